import { Redis } from 'ioredis';
import type { RedisClient } from './client.js';
import type { RedisLink } from './link.js';

const KEYS_PER_LOOK = 1000;
/** In a Redis too large for this many scans, such a key is assumed to exist. */
const MOST_LOOKS = 50;

const serversOf = (client: RedisClient): Redis[] => (client instanceof Redis ? [client] : client.nodes('master'));

/** True only when every server answered throughout and none has a key like that. */
export async function hasNoKeyLike(link: RedisLink, pattern: RegExp): Promise<boolean> {
  const servers = await link.run(
    async (client) => serversOf(client).length,
    () => 0,
  );
  for (let nth = 0; nth < servers; nth += 1) {
    let cursor = '0';
    for (let looks = 0; ; looks += 1) {
      const seen = await link.run<[string, string[]] | undefined>(
        async (client) => serversOf(client)[nth]?.scan(cursor, 'COUNT', KEYS_PER_LOOK),
        () => undefined,
      );
      if (seen === undefined || looks === MOST_LOOKS || seen[1].some((key) => pattern.test(key))) return false;
      cursor = seen[0];
      if (cursor === '0') break;
    }
  }
  return servers > 0;
}
