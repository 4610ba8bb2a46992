import type { Memories } from '../../src/lib/memories.js';
import { batched } from './batched.js';
import type { RedisLink } from './link.js';
import { MissedKeys } from './missed-keys.js';
import { runScript, script } from './script.js';
import { HEADER_BYTES } from './stored-entry.js';

/** A value of another type, which another program must have written, counts as nothing. */
export const READ_HEADERS = script(`
local headers = {}
for n, key in ipairs(KEYS) do
  local header = redis.pcall('GETRANGE', key, 0, ${HEADER_BYTES - 1})
  headers[n] = type(header) == 'string' and header or ''
end
return headers
`);

/** In order, sets each key to its value with its lifetime, or deletes it where the lifetime is 0. */
export const WRITE = script(`
for n, key in ipairs(KEYS) do
  local value, px = ARGV[2 * n - 1], ARGV[2 * n]
  if px == '0' then redis.call('UNLINK', key) else redis.call('SET', key, value, 'PX', px) end
end
return redis.status_reply('OK')
`);

interface Write {
  readonly key: string;
  readonly value: string;
  /** Whole milliseconds; 0 deletes. */
  readonly px: number;
}

type Text = string | null | 'away';

export interface StoredValuesOptions {
  readonly link: RedisLink;
  /** What the values were read from (see `RedisStoresOptions`). */
  readonly source: string;
  readonly memories?: Memories | undefined;
}

/** The values that Redis holds, as text, by their cache keys; `away`: Redis can't be asked. */
export class StoredValues {
  readonly #missed: MissedKeys;
  readonly #storeKey: (key: string) => string;
  readonly get: (key: string) => Promise<Text>;
  /** The beginning of the value: its header. */
  readonly header: (key: string) => Promise<Text>;
  /** One operation for setting and deleting, so that writes are done in the order in which they were requested. */
  readonly #write: (write: Write) => Promise<unknown>;

  constructor({ link, source, memories }: StoredValuesOptions) {
    const storeKey = (key: string): string => `perch:${source}:${key}`;
    this.#storeKey = storeKey;
    this.#missed = new MissedKeys(link, memories);
    this.get = batched<string, Text>(link, {
      send: (redis, keys) => redis.mget(keys.map(storeKey)),
      fallback: () => 'away',
    });
    this.header = batched<string, Text>(link, {
      send: async (redis, keys) => (await runScript(redis, READ_HEADERS, keys.map(storeKey), [])) as string[],
      fallback: () => 'away',
    });
    this.#write = batched<Write, unknown>(link, {
      async send(redis, writes) {
        const keys = writes.map(({ key }) => storeKey(key));
        const args = writes.flatMap(({ value, px }) => [value, px]);
        await runScript(redis, WRITE, keys, args);
        return writes;
      },
      fallback: ({ key }) => this.miss(key),
    });
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    await this.#write({ key, value, px: Math.ceil(ttlMs) });
  }

  async delete(key: string): Promise<void> {
    await this.#write({ key, value: '', px: 0 });
  }

  /** Notes that the value in Redis is out of date: it is deleted as soon as Redis is back. */
  miss(key: string): void {
    this.#missed.add([this.#storeKey(key)]);
  }
}
