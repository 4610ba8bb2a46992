import type { Tombstone } from '../../../src/ports/tombstones.js';
import type { RedisClient } from '../client.js';
import { runScript, script } from '../script.js';

/**
 * One stream for all sources, with the source in each entry: nodes of a version that names no source read and write the
 * same stream during an upgrade.
 */
const KEY = 'perch:tombstones';

/** Carries the message "look now". */
export const ADDED_CHANNEL = 'perch:tombstones:added';

const MOST_ENTRIES = 100_000;
const ENTRIES_PER_READ = 1000;

export const APPEND = script(`
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', 't', ARGV[2], 's', ARGV[3])
return redis.call('PUBLISH', ARGV[4], '')
`);

/** The id that precedes every entry of the last so many milliseconds, by the server's clock. */
export const START = script(`
local time = redis.call('TIME')
return string.format('%.0f-0', math.max(0, time[1] * 1000 + math.floor(time[2] / 1000) - ARGV[1]))
`);

/** One entry for all tombstones that are added together. */
export const append = (redis: RedisClient, source: string, tombstones: readonly Tombstone[]): Promise<unknown> =>
  runScript(redis, APPEND, [KEY], [MOST_ENTRIES, JSON.stringify(tombstones), source, ADDED_CHANNEL]);

export const startId = async (redis: RedisClient, sinceMs: number): Promise<string> =>
  String(await runScript(redis, START, [KEY], [Math.ceil(sinceMs)]));

/** The tombstones of a source after an id, in order, and the id of the last entry. */
export async function readAfter(
  redis: RedisClient,
  source: string,
  id: string,
): Promise<{ tombstones: Tombstone[]; last: string; isAll: boolean }> {
  const entries = await redis.xrange(KEY, `(${id}`, '+', 'COUNT', ENTRIES_PER_READ);
  return {
    tombstones: entries.flatMap(([, [, text, , of = source]]) => (of === source ? parse(text) : [])),
    last: entries.at(-1)?.[0] ?? id,
    isAll: entries.length < ENTRIES_PER_READ,
  };
}

const isTombstone = (one: unknown): one is Tombstone =>
  typeof one === 'object' && one !== null && 'key' in one && typeof one.key === 'string' && 'gone' in one;

/** Empty for entries that another program wrote. */
function parse(text: string | undefined): Tombstone[] {
  try {
    const tombstones: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(tombstones) ? tombstones.filter(isTombstone) : [];
  } catch {
    return [];
  }
}
