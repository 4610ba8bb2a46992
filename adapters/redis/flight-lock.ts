import { batched } from './batched.js';
import type { RedisClient } from './client.js';
import type { RedisLink } from './link.js';
import { runScript, type Script, script } from './script.js';

/** A lock that is not renewed for this long means that its leader is gone. */
export const LOCK_MS = 3000;

/** How long a result is kept for its waiters. */
const RESULT_MS = 10_000;

/** Results are announced here, by their leader's token. */
export const LANDED_CHANNEL = 'perch:landed';

/**
 * Each script handles the keys in turn. A lock contains its leader's token and a `+` for each waiter; all tokens have
 * the same length.
 */
export const ACQUIRE = script(`
local leaders = {}
for n, lock in ipairs(KEYS) do
  local token, held = ARGV[n], redis.call('GET', lock)
  if held then
    redis.call('APPEND', lock, '+')
    leaders[n] = string.sub(held, 1, #token)
  else
    redis.call('SET', lock, token, 'PX', ${LOCK_MS})
    leaders[n] = token
  end
end
return leaders
`);

export const RENEW = script(`
for n, lock in ipairs(KEYS) do
  local held = redis.call('GET', lock)
  if held and string.sub(held, 1, #ARGV[n]) == ARGV[n] then redis.call('PEXPIRE', lock, ${LOCK_MS}) end
end
return redis.status_reply('OK')
`);

/** Releases each lock that has no waiters; the result of the others must be announced. */
export const RELEASE = script(`
local released = {}
for n, lock in ipairs(KEYS) do
  released[n] = redis.call('GET', lock) == ARGV[n] and redis.call('DEL', lock) or 0
end
return released
`);

export const ANNOUNCE = script(`
local held = redis.call('GET', KEYS[1])
if not held or string.sub(held, 1, #ARGV[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[2], 'PX', ${RESULT_MS})
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[3], ARGV[1])
return 1
`);

/** A flight and its leader's token. */
export interface Leading {
  /** What is read (see `RedisStoresOptions`). */
  readonly source: string;
  readonly key: string;
  readonly token: string;
}

export interface Seen {
  readonly result: string | null;
  /** Whether that leader still leads. */
  readonly leads: boolean;
}

/** Both keys of a flight are in one slot; an encoded key contains no braces. */
const lockKey = ({ source, key }: Leading): string => `perch:${source}:flight:{${encodeURIComponent(key)}}`;
const resultKey = (flight: Leading): string => `${lockKey(flight)}:${flight.token}`;

const runOn = async (redis: RedisClient, by: Script, flights: readonly Leading[]): Promise<unknown[]> => {
  const tokens = flights.map(({ token }) => token);
  return (await runScript(redis, by, flights.map(lockKey), tokens)) as unknown[];
};

/** The locks of flights, in Redis. */
export class FlightLocks {
  readonly #link: RedisLink;
  /** Takes the lock, or otherwise registers as waiting: the leader's token, or undefined while Redis is away. */
  readonly acquire: (flight: Leading) => Promise<string | undefined>;
  readonly renew: (flight: Leading) => Promise<unknown>;
  readonly #release: (flight: Leading) => Promise<boolean>;
  /** The result, or nothing yet; undefined while Redis is away. */
  readonly look: (flight: Leading) => Promise<Seen | undefined>;

  constructor(link: RedisLink) {
    this.#link = link;
    this.acquire = batched<Leading, string | undefined>(link, {
      send: async (redis, flights) => (await runOn(redis, ACQUIRE, flights)).map(String),
      fallback: () => undefined,
    });
    this.renew = batched<Leading, unknown>(link, {
      async send(redis, flights) {
        await runOn(redis, RENEW, flights);
        return flights;
      },
      fallback: () => undefined,
    });
    this.#release = batched<Leading, boolean>(link, {
      send: async (redis, flights) => (await runOn(redis, RELEASE, flights)).map((released) => released === 1),
      fallback: () => true,
    });
    this.look = batched<Leading, Seen | undefined>(link, {
      async send(redis, flights) {
        const found = await redis.mget(flights.flatMap((flight) => [lockKey(flight), resultKey(flight)]));
        return flights.map(({ token }, n) => ({
          result: found[2 * n + 1] ?? null,
          leads: found[2 * n]?.startsWith(token) ?? false,
        }));
      },
      fallback: () => undefined,
    });
  }

  /** Ends a flight of this process. Writes the result, which may be large, only if it has waiters. */
  async land(flight: Leading, result: () => string): Promise<void> {
    if (await this.#release(flight)) return;
    const args = [flight.token, result(), LANDED_CHANNEL];
    await this.#link.run<unknown>(
      (redis) => runScript(redis, ANNOUNCE, [lockKey(flight), resultKey(flight)], args),
      () => undefined,
    );
  }
}
