import type { CallsLeft } from '../../src/ports/rate-limiter.js';
import type { RedisLink } from './link.js';
import { runScript, script } from './script.js';

/** The key holds what is left, and expires at the reset. Returns the wait, and whether a call was counted. */
const TAKE_CALL = script(`
local left = tonumber(redis.call('GET', KEYS[1]) or '')
if not left then return { 0, 0 } end
if left < 1 then return { math.max(1, redis.call('PTTL', KEYS[1])), 0 } end
if ARGV[1] == '1' then redis.call('DECR', KEYS[1]) end
return { 0, tonumber(ARGV[1]) }
`);

const GIVE_CALL_BACK = script(`
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('INCR', KEYS[1]) end
`);

/** Answers of one window come in any order, and say its end in whole seconds. */
const NOTE_CALLS = script(`
local left, ms = tonumber(redis.call('GET', KEYS[1]) or ''), redis.call('PTTL', KEYS[1])
local remaining, px = tonumber(ARGV[1]), tonumber(ARGV[2])
if left and math.abs(ms - px) < 2000 then remaining = math.min(left, remaining) end
redis.call('SET', KEYS[1], string.format('%.0f', remaining), 'PX', string.format('%.0f', px))
`);

const keyOf = (bucket: string): string => `perch:calls:${bucket}`;

/** What all nodes know. While Redis is away nothing is: each node then goes by its own answers. */
export function createRedisCallsLeft(link: RedisLink): CallsLeft {
  const tell = (what: typeof NOTE_CALLS, bucket: string, args: readonly number[]) =>
    link.run<void>(
      async (redis) => void (await runScript(redis, what, [keyOf(bucket)], args)),
      () => undefined,
    );
  return {
    take: (bucket, calls) =>
      link.run(
        async (redis) => {
          const [waitMs, counted] = (await runScript(redis, TAKE_CALL, [keyOf(bucket)], [calls])) as [number, number];
          return { waitMs, counted: counted === 1 };
        },
        () => ({ waitMs: 0, counted: false }),
      ),
    giveBack: (bucket) => tell(GIVE_CALL_BACK, bucket, []),
    note: (bucket, remaining, resetsInMs) => tell(NOTE_CALLS, bucket, [remaining, resetsInMs]),
  };
}
