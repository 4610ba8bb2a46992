import { randomUUID } from 'node:crypto';
import { repeat } from '../../src/lib/poll.js';
import type { RedisLink } from './link.js';
import { runScript, script } from './script.js';

const KEY = 'perch:nodes';
const BEAT_EVERY_MS = 1000;
const GONE_AFTER_MS = 5000;

export const BEAT = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2] * 2)
return redis.call('ZCARD', KEYS[1])
`);

export interface Nodes {
  /** Live processes as last known, at least as many as the operator configured. */
  count(): number;
  close(): Promise<void>;
}

/** Counts the processes that share this Redis: each announces itself once a second. */
export async function joinNodes({ link, minNodes = 1 }: { link: RedisLink; minNodes?: number }): Promise<Nodes> {
  const id = randomUUID();
  let known = 1;

  const beat = async (): Promise<void> => {
    known = await link.run(
      async (redis) => Number(await runScript(redis, BEAT, [KEY], [id, GONE_AFTER_MS])),
      () => known,
    );
  };
  await beat();
  const stop = repeat(link.time.timers, BEAT_EVERY_MS, () => void beat());

  return {
    count: () => Math.max(1, minNodes, known),
    async close() {
      stop();
      await link.run<unknown>(
        (redis) => redis.zrem(KEY, id),
        () => undefined,
      );
    },
  };
}
