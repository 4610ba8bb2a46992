import { shortName } from '../../src/core/digest.js';
import type { Clock } from '../../src/ports/clock.js';
import type { RateDecision, RateLimiter } from '../../src/ports/rate-limiter.js';
import type { RedisLink } from './link.js';
import { runScript, script } from './script.js';

/**
 * The bucket is `units milliseconds`; one millisecond adds `limit` units: whole numbers below 2^53, so nothing is
 * rounded. A full bucket is the same as none, so it expires; with the caller's own clock (tests), much later.
 */
const TAKE = script(`
local limit, token, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local own = now ~= nil
if not own then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local full = limit * token
local units, at = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (%d+)$')
local before = full
if units then before = math.min(full, units + math.max(0, now - at) * limit) end
local allowed = before >= token
local after = allowed and before - token or before
local px = own and 3600000 or math.max(1, math.ceil((full - after) / limit))
redis.call('SET', KEYS[1], string.format('%.0f %.0f', after, now), 'PX', string.format('%.0f', px))
return { allowed and 1 or 0, after }
`);

export interface RedisRateLimiterOptions {
  readonly link: RedisLink;
  readonly nodes: { count(): number };
  /** This process's own limiter, for its share of each limit while Redis is away. */
  readonly local: RateLimiter;
  /** Replaces the server's time. */
  readonly clock?: Clock;
}

/** Token buckets shared by all nodes (L3). */
export function createRedisRateLimiter({ link, nodes, local, clock }: RedisRateLimiterOptions): RateLimiter {
  /** An even share, and the window that it is for; a share of less than one request has a longer window. */
  async function takeShare(bucket: string, limit: number, windowMs: number): Promise<RateDecision> {
    const count = nodes.count();
    const share = Math.max(1, Math.floor(limit / count));
    const shareMs = Math.ceil((windowMs * share * count) / limit);
    // A bucket's window never changes, but the number of nodes does.
    return { ...(await local.take(`${bucket} ${shareMs}`, share, shareMs / 1000)), limit };
  }

  return {
    async take(bucket, limit, windowSeconds = 1) {
      if (!Number.isSafeInteger(limit) || limit < 1) throw new RangeError(`${limit} is not a limit: whole, at least 1`);
      const token = windowSeconds * 1000;
      const args = [limit, token, clock?.now() ?? ''];
      return link.run(
        async (redis) => {
          const [allowed, units] = (await runScript(redis, TAKE, [`perch:rate:${shortName(bucket)}`], args)) as [
            number,
            number,
          ];
          const perSecond = limit * 1000;
          return {
            allowed: allowed === 1,
            limit,
            remaining: Math.floor(units / token),
            resetSeconds: Math.ceil((limit * token - units) / perSecond),
            retryAfterSeconds: allowed === 1 ? 0 : Math.max(1, Math.ceil((token - units) / perSecond)),
          };
        },
        () => takeShare(bucket, limit, token),
      );
    },
  };
}
