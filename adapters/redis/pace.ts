import type { Clock } from '../../src/ports/clock.js';
import type { Pace } from '../../src/ports/rate-limiter.js';
import type { RedisLink } from './link.js';
import { runScript, script } from './script.js';

/**
 * The key holds `next last`: its next slot and the time of the last reservation. If the clock has gone back since then
 * (it was set back, or is another server's), the slots move back with it, so that no caller waits longer than the
 * earlier reservations require. A key whose next slot is past has no effect, so it expires; with the caller's own clock
 * (tests), much later.
 */
export const RESERVE = script(`
local interval, now = tonumber(ARGV[1]), tonumber(ARGV[2])
local own = now ~= nil
if not own then
  local time = redis.call('TIME')
  now = time[1] * 1000 + time[2] / 1000
end
local at = now - 10
local next, last = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%S+)$')
next, last = tonumber(next), tonumber(last)
if next and last then at = math.max(at, next - math.max(0, last - now)) end
local px = own and 3600000 or math.max(1, math.ceil(at + interval - now + 10))
redis.call('SET', KEYS[1], string.format('%.17g %.17g', at + interval, now), 'PX', string.format('%.0f', px))
return string.format('%.17g', math.max(0, at - now))
`);

export interface RedisPaceOptions {
  readonly link: RedisLink;
  readonly nodes: { count(): number };
  /** This process's own pace, which keeps to its share while Redis is away. */
  readonly local: Pace;
  /** Replaces the server's time. */
  readonly clock?: Clock;
}

/** The network's pace, kept jointly by all nodes. */
export function createRedisPace({ link, nodes, local, clock }: RedisPaceOptions): Pace {
  return {
    reserve(key, perSecond) {
      const args = [1000 / perSecond, clock?.now() ?? ''];
      return link.run(
        async (redis) => Number(await runScript(redis, RESERVE, [`perch:pace:${key}`], args)),
        () => local.reserve(key, perSecond / nodes.count()),
      );
    },
  };
}
