import type { RedisClient } from './client.js';
import { runScript, script } from './script.js';

/** A lock that is not renewed for this long means that its leader is gone. */
export const LOCK_MS = 3000;

/** How long a result is kept for its waiters. */
const RESULT_MS = 10_000;

/** Results are announced here, by their leader's token. */
export const LANDED_CHANNEL = 'perch:landed';

/** The lock contains its leader's token, and a `+` for each waiter. All tokens have the same length. */
const ACQUIRE = script(`
local held = redis.call('GET', KEYS[1])
if not held then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return ARGV[1]
end
redis.call('APPEND', KEYS[1], '+')
return string.sub(held, 1, #ARGV[1])
`);

const RENEW = script(`
local held = redis.call('GET', KEYS[1])
if held and string.sub(held, 1, #ARGV[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0
`);

/** Releases the lock if nobody waits; otherwise the result must be announced. */
const RELEASE = script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`);

const LAND = script(`
local held = redis.call('GET', KEYS[1])
if not held or string.sub(held, 1, #ARGV[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[4], ARGV[1])
return 1
`);

/** Both keys of a flight are in one slot; an encoded key contains no braces. */
const lockKey = (key: string): string => `perch:flight:{${encodeURIComponent(key)}}`;
const resultKey = (key: string, token: string): string => `${lockKey(key)}:${token}`;

/** Takes the lock, or otherwise registers as waiting: returns the leader's token. */
export const acquire = async (redis: RedisClient, key: string, token: string): Promise<string> =>
  String(await runScript(redis, ACQUIRE, [lockKey(key)], [token, LOCK_MS]));

export const renew = (redis: RedisClient, key: string, token: string): Promise<unknown> =>
  runScript(redis, RENEW, [lockKey(key)], [token, LOCK_MS]);

/** Ends one's own flight. The result is written only if somebody waits for it. */
export async function land(redis: RedisClient, key: string, token: string, result: () => string): Promise<void> {
  if ((await runScript(redis, RELEASE, [lockKey(key)], [token])) === 1) return;
  const args = [token, result(), RESULT_MS, LANDED_CHANNEL];
  await runScript(redis, LAND, [lockKey(key), resultKey(key, token)], args);
}

/** The result; or nothing yet, and whether that leader still leads. */
export async function look(
  redis: RedisClient,
  key: string,
  token: string,
): Promise<{ result: string | null; leads: boolean }> {
  const [held, result] = await redis.mget(lockKey(key), resultKey(key, token));
  return { result: result ?? null, leads: held?.startsWith(token) ?? false };
}
