import { indexCorpus } from '../../../adapters/networks/corpus/import/index-corpus.js';
import { createCorpusNetwork } from '../../../adapters/networks/corpus/network.js';
import type { Sql } from '../../../adapters/postgres/sql.js';
import type { ListKind, ListRef } from '../../../src/domain/lists.js';
import { PRODUCTS, type Product } from '../../../src/domain/model.js';
import type { Network, NetworkPage, ReadContext } from '../../../src/ports/network.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';

export interface Corpus {
  readonly sql: Sql;
  readonly network: Network;
  readonly context: ReadContext;
  /** Columns of `corpus_users`; makes up handle and name if they are not given. */
  user(row: { id: number | string } & Record<string, unknown>): Promise<void>;
  /** Columns of `corpus_tweets`. Without a time, tweets are a second apart, the one with the higher id later. */
  tweet(row: { id: number | string } & Record<string, unknown>): Promise<void>;
  follow(followerId: number, followedId: number, ordinal: number): Promise<void>;
  page(kind: ListKind, subject: string | number, token?: string | null): Promise<NetworkPage>;
  search(q: string, product?: Product, token?: string | null): Promise<NetworkPage>;
  /** The ids of a whole list, read page by page, and the size of each page. */
  walk(list: ListRef): Promise<{ ids: string[]; sizes: number[] }>;
  drop(): Promise<void>;
}

export const START = Date.UTC(2015, 0, 7);

/** An empty corpus in a database of its own. */
export const freshCorpus = async (): Promise<Corpus> => corpusIn(await freshDatabase({ max: 3 }));

/** An empty corpus in that database. */
export function corpusIn(database: FreshDatabase): Corpus {
  const { sql } = database;
  const network = createCorpusNetwork(sql);
  const context = { signal: new AbortController().signal };
  const page = async (list: ListRef, token: string | null): Promise<NetworkPage> => {
    // Rows that a test inserts are indexed like rows of an earlier version at a start.
    if (list.kind === 'search') await indexCorpus(sql);
    return network.page(list, token, context);
  };
  return {
    sql,
    network,
    context,
    async user(row) {
      await sql`insert into corpus_users ${sql({ handle: `user${row.id}`, name: `User ${row.id}`, ...row })}`;
    },
    async tweet({ media, ...row }) {
      const created = new Date(START + (Number(row.id) % 1_000_000) * 1000).toISOString();
      const all = { text: `tweet ${row.id}`, author_id: 1, created_at: created, ...row };
      await sql`insert into corpus_tweets ${sql(media === undefined ? all : { ...all, media: sql.json(media as never) })}`;
    },
    async follow(follower_id, followed_id, ordinal) {
      await sql`insert into corpus_follows ${sql({ follower_id, followed_id, ordinal })}`;
    },
    page: (kind, subject, token = null) => page({ kind, subject: String(subject) }, token),
    search: (q, product = PRODUCTS[0], token = null) => page({ kind: 'search', subject: q, product }, token),
    async walk(list) {
      const ids: string[] = [];
      const sizes: number[] = [];
      let token: string | null = null;
      do {
        const held: NetworkPage = await page(list, token);
        ids.push(...idsOf(held));
        sizes.push(idsOf(held).length);
        token = held.next;
      } while (token !== null && sizes.length < 100);
      return { ids, sizes };
    },
    drop: () => database.drop(),
  };
}

export const idsOf = (page: NetworkPage): string[] => (page.users ?? page.tweets ?? []).map((item) => item.id);

export const range = (count: number, first = 1): number[] => Array.from({ length: count }, (_, index) => first + index);
