import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCorpus } from '../../../adapters/networks/corpus/import/load.js';
import type { CorpusRow, CorpusUser } from '../../../adapters/networks/corpus/rows.js';
import type { Tweet } from '../../../src/domain/model.js';
import type { FreshDatabase } from '../../kit/postgres/database.js';

/** So many people, each with one tweet; ids and handles from 1 on. */
const PEOPLE = 1500;

export const handleOf = (n: number): string => `person_${n}`;
export const tweetOf = (n: number): string => String(1_000_000 + n);

const AT = '2024-05-01T08:00:00.000Z';

function people(): { users: CorpusUser[]; tweets: Tweet[] } {
  const users: CorpusUser[] = [];
  const tweets: Tweet[] = [];
  for (let n = 1; n <= PEOPLE; n += 1) {
    const counts = { followersCount: 1, followingCount: 1, tweetsCount: 1 };
    users.push({ id: String(n), handle: handleOf(n), name: `Person ${n}`, createdAt: AT, ...counts });
    tweets.push({ id: tweetOf(n), text: `word${n} from person ${n}`, authorId: String(n), createdAt: AT });
  }
  return { users, tweets };
}

/** A network that is large enough for a thousand different reads. */
export async function fillPeople({ sql }: FreshDatabase): Promise<void> {
  const { users, tweets } = people();
  await loadCorpus(sql, [
    ...users.map((user): CorpusRow => ({ kind: 'user', user })),
    ...tweets.map((tweet): CorpusRow => ({ kind: 'tweet', tweet })),
  ]);
}

/** The same people as a file to import. */
export function peopleFile(folder: string): string {
  const file = join(folder, 'users.ndjson');
  const lines = people().users.map(({ id, handle, name, createdAt }) =>
    JSON.stringify({ id, handle, name, created_at: createdAt, followers: 1, following: 1, tweets: 1 }),
  );
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}
