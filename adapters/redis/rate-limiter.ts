import { shortName } from '../../src/lib/digest.js';
import type { Clock } from '../../src/ports/clock.js';
import type { RateDecision, RateLimiter } from '../../src/ports/rate-limiter.js';
import { batched } from './batched.js';
import type { RedisLink } from './link.js';
import { runScript, script } from './script.js';

/**
 * Decides for each key in turn. A bucket is stored as `units milliseconds`; one millisecond adds `limit` units. Both
 * are whole numbers below 2^53, so nothing is rounded. A full bucket is the same as none, so it expires; with the
 * caller's own clock (tests), much later. A value that another program wrote there counts as none.
 */
export const TAKE = script(`
local time = redis.call('TIME')
local serverMs = time[1] * 1000 + math.floor(time[2] / 1000)
local decisions = {}
for n, key in ipairs(KEYS) do
  local limit, token, now = tonumber(ARGV[3 * n - 2]), tonumber(ARGV[3 * n - 1]), tonumber(ARGV[3 * n])
  local own = now ~= nil
  now = now or serverMs
  local full = limit * token
  local held = redis.pcall('GET', key)
  local units, at = string.match(type(held) == 'string' and held or '', '^(%d+) (%d+)$')
  local before = full
  if units then before = math.min(full, units + math.max(0, now - at) * limit) end
  local allowed = before >= token
  local after = allowed and before - token or before
  local px = own and 3600000 or math.max(1, math.ceil((full - after) / limit))
  redis.call('SET', key, string.format('%.0f %.0f', after, now), 'PX', string.format('%.0f', px))
  decisions[n] = { allowed and 1 or 0, after }
end
return decisions
`);

interface Taking {
  readonly bucket: string;
  readonly limit: number;
  /** The size of a request in the bucket's units: its window in milliseconds. */
  readonly token: number;
}

export interface RedisRateLimiterOptions {
  readonly link: RedisLink;
  readonly nodes: { count(): number };
  /** This process's own limiter, which enforces its share of each limit while Redis is away. */
  readonly local: RateLimiter;
  /** Replaces the server's time. */
  readonly clock?: Clock;
}

/** Token buckets shared by all nodes. One script decides all requests of one turn of the event loop. */
export function createRedisRateLimiter({ link, nodes, local, clock }: RedisRateLimiterOptions): RateLimiter {
  /** Decides by an even share of the limit. Where the share is less than one request, its window is longer. */
  async function takeShare({ bucket, limit, token: windowMs }: Taking): Promise<RateDecision> {
    const count = nodes.count();
    const share = Math.max(1, Math.floor(limit / count));
    const shareMs = Math.ceil((windowMs * share * count) / limit);
    // A bucket's window never changes, but the number of nodes does.
    return { ...(await local.take(`${bucket} ${shareMs}`, share, shareMs / 1000)), limit };
  }

  const take = batched<Taking, RateDecision>(link, {
    async send(redis, takings) {
      const nowMs = clock?.now() ?? '';
      const keys = takings.map(({ bucket }) => `perch:rate:${shortName(bucket)}`);
      const args = takings.flatMap(({ limit, token }) => [limit, token, nowMs]);
      const decisions = (await runScript(redis, TAKE, keys, args)) as [allowed: number, units: number][];
      return decisions.map(([allowed, units], n) => toDecision(takings[n] as Taking, allowed === 1, units));
    },
    fallback: takeShare,
  });

  return {
    async take(bucket, limit, windowSeconds = 1) {
      if (!Number.isSafeInteger(limit) || limit < 1) throw new RangeError(`${limit} is not a limit: whole, at least 1`);
      return take({ bucket, limit, token: windowSeconds * 1000 });
    },
  };
}

function toDecision({ limit, token }: Taking, allowed: boolean, units: number): RateDecision {
  const perSecond = limit * 1000;
  return {
    allowed,
    limit,
    remaining: Math.floor(units / token),
    resetSeconds: Math.ceil((limit * token - units) / perSecond),
    retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((token - units) / perSecond)),
  };
}
