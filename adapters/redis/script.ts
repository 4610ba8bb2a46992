import { createHash } from 'node:crypto';
import type { RedisClient } from './client.js';

/** Lua that Redis runs atomically. All its keys are in one slot. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

export const script = (text: string): Script => ({ text, sha: createHash('sha1').update(text).digest('hex') });

/** Runs a script by its hash, or by its text if the server does not have it yet. */
export async function runScript(
  redis: RedisClient,
  { text, sha }: Script,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<unknown> {
  try {
    return await redis.evalsha(sha, keys.length, ...keys, ...args);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return redis.eval(text, keys.length, ...keys, ...args);
  }
}
