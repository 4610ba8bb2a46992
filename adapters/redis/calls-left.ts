import { type CallsLeft, FINDS_OUT_WITHIN_MS, type Taken } from '../../src/ports/rate-limiter.js';
import type { RedisLink } from './link.js';
import { runScript, script } from './script.js';

/** The key holds what is left, and expires at the reset; `?` while the first call finds out. */
const TAKE_CALL = script(`
local held = redis.call('GET', KEYS[1])
local left = tonumber(held or '')
if left and left < 1 then return { 'empty', math.max(1, redis.call('PTTL', KEYS[1])) } end
if ARGV[1] == '0' then return { 'unknown' } end
if left then
  redis.call('DECR', KEYS[1])
  return { 'counted' }
end
if held == '?' then return { 'awaited' } end
redis.call('SET', KEYS[1], '?', 'PX', ${FINDS_OUT_WITHIN_MS})
return { 'first' }
`);

const GIVE_CALL_BACK = script(`
local held = redis.call('GET', KEYS[1])
if held == '?' then redis.call('DEL', KEYS[1]) elseif held then redis.call('INCR', KEYS[1]) end
`);

/** Answers of one window arrive in any order, and give its end in whole seconds. */
const NOTE_CALLS = script(`
local left, ms = tonumber(redis.call('GET', KEYS[1]) or ''), redis.call('PTTL', KEYS[1])
local remaining, px = tonumber(ARGV[1]), tonumber(ARGV[2])
if left and math.abs(ms - px) < 2000 then remaining = math.min(left, remaining) end
redis.call('SET', KEYS[1], string.format('%.0f', remaining), 'PX', string.format('%.0f', px))
`);

const callsKey = (bucket: string): string => `perch:calls:${bucket}`;

/**
 * The calls left as all nodes know them. While Redis is away they are unknown: each node then goes by its own answers.
 */
export function createRedisCallsLeft(link: RedisLink): CallsLeft {
  const send = (what: typeof NOTE_CALLS, bucket: string, args: readonly number[]) =>
    link.run<void>(
      async (redis) => void (await runScript(redis, what, [callsKey(bucket)], args)),
      () => undefined,
    );
  return {
    take: (bucket, calls) =>
      link.run<Taken>(
        async (redis) => {
          const [is, waitMs] = (await runScript(redis, TAKE_CALL, [callsKey(bucket)], [calls])) as [
            Taken['is'],
            number,
          ];
          return { is, waitMs } as Taken;
        },
        () => ({ is: 'unknown' }),
      ),
    giveBack: (bucket) => send(GIVE_CALL_BACK, bucket, []),
    note: (bucket, remaining, resetsInMs) => send(NOTE_CALLS, bucket, [remaining, resetsInMs]),
  };
}
