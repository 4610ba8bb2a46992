/** The scripted network over a world. The world is in the test's process, and each read asks it there. */
import { ServiceError } from '../../../src/domain/errors.js';
import type { Tweet, User, UserRef } from '../../../src/domain/model.js';
import type { Found, Network, NetworkPage } from '../../../src/ports/network.js';
import { EVERY_LIST } from '../../kit/networks/lists.js';
import { AUTHOR, type Kind, ROWS, type World, type WorldPage } from '../calls/world.js';

/** What a read requests from the network, as plain JSON. */
export type Question =
  | { readonly of: 'user' | 'tweet'; readonly ids: readonly string[] }
  | { readonly of: 'list'; readonly kind: Kind; readonly subject: string; readonly token: string | null };

export type Reply =
  | { readonly fault: string }
  | { readonly has: readonly boolean[] }
  | { readonly page: WorldPage | null };

export function replyOf(world: World, question: Question): Reply {
  if (world.fault !== null) return { fault: world.fault };
  if (question.of !== 'list') return { has: question.ids.map((id) => world.has(question.of, id)) };
  return { page: world.page(question.kind, question.subject, question.token) };
}

const START = Date.UTC(2020, 0, 1);
const createdAt = (id: string): string => new Date(START + Number(id) * 1000).toISOString();

const userOf = (id: string): User => ({
  id,
  handle: `user${id}`,
  name: `User ${id}`,
  followersCount: 0,
  followingCount: 0,
  tweetsCount: 0,
  createdAt: createdAt(id),
});

const tweetOf = (id: string): Tweet => ({
  id,
  text: `tweet ${id}`,
  authorId: AUTHOR,
  author: userOf(AUTHOR),
  createdAt: createdAt(id),
});

const gone = (): ServiceError => new ServiceError('not_found', 'There is none.', { reason: 'deleted' });

const idOf = (ref: UserRef): string => ('id' in ref ? ref.id : ref.handle.toLowerCase().replace(/^user/, ''));

export function worldNetwork(send: (question: Question) => Promise<Reply>): Network {
  async function answered(question: Question): Promise<Exclude<Reply, { fault: string }>> {
    const reply = await send(question);
    if (!('fault' in reply)) return reply;
    throw new ServiceError(reply.fault as 'upstream_error', 'The network is not well.', { retryAfter: 60 });
  }

  async function found<T>(of: 'user' | 'tweet', ids: readonly string[], make: (id: string) => T): Promise<Found<T>[]> {
    const reply = await answered({ of, ids });
    const has = 'has' in reply ? reply.has : [];
    return ids.map((id, n) => (has[n] ? { ok: make(id) } : { fail: gone() }));
  }

  return {
    name: 'world',
    sessions: ['only'],
    batchSize: { users: 100, tweets: 100 },
    pace: { fast: null, slow: null },
    billing: null,
    products: ['Latest', 'People'],
    lists: EVERY_LIST,
    users: (refs) => found('user', refs.map(idOf), userOf),
    tweets: (ids) => found('tweet', ids, tweetOf),
    async page({ kind, subject, product }, token): Promise<NetworkPage> {
      const name = product === 'People' ? 'people' : kind;
      if (!(name in ROWS)) throw gone();
      const known = name as Kind;
      const reply = await answered({ of: 'list', kind: known, subject, token });
      if (!('page' in reply) || reply.page === null) throw gone();
      const { ids, next } = reply.page;
      return ROWS[known].items === 'users' ? { users: ids.map(userOf), next } : { tweets: ids.map(tweetOf), next };
    },
  };
}
