import { ServiceError } from '../../src/core/errors.js';
import type { Tweet, User, UserRef } from '../../src/core/model.js';
import type { Found, Network, NetworkPage } from '../../src/ports/network.js';
import { AUTHOR, ROWS, type World, type WorldPage } from '../model/world.js';
import { EVERY_LIST } from '../support/lists.js';

export interface WorldNetwork {
  readonly network: Network;
  /** What it answers from; another one for each run. */
  world: World;
  /** Reads hang from now on, until released; `called` resolves with the first that does. */
  hang(): { readonly called: Promise<void>; release(): void };
  /** Answers at once again, whatever a run that failed has left. */
  reset(): void;
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

/** The scripted network over a world: the same data that the model has. */
export function worldNetwork(first: World): WorldNetwork {
  let gate: (() => Promise<void>) | null = null;

  async function pass(): Promise<void> {
    await gate?.();
    const code = self.world.fault;
    if (code) throw new ServiceError(code as 'upstream_error', 'The network is not well.', { retryAfter: 60 });
  }

  const found = <T>(what: 'user' | 'tweet', id: string, make: (id: string) => T): Found<T> =>
    self.world.has(what, id) ? { ok: make(id) } : { fail: gone() };

  const network: Network = {
    name: 'world',
    sessions: ['only'],
    batchSize: { users: 100, tweets: 100 },
    pace: { fast: null, slow: null },
    billing: null,
    products: ['Latest'],
    lists: EVERY_LIST,
    async users(refs) {
      await pass();
      return refs.map((ref) => found('user', idOf(ref), userOf));
    },
    async tweets(ids) {
      await pass();
      return ids.map((id) => found('tweet', id, tweetOf));
    },
    async page({ kind, subject }, token): Promise<NetworkPage> {
      await pass();
      if (!(kind in ROWS)) throw gone();
      const known = kind as keyof typeof ROWS;
      const page: WorldPage | null = self.world.page(known, subject, token);
      if (!page) throw gone();
      const { ids, next } = page;
      return ROWS[known].items === 'users' ? { users: ids.map(userOf), next } : { tweets: ids.map(tweetOf), next };
    },
  };

  const self: WorldNetwork = {
    network,
    world: first,
    hang() {
      const [called, released] = [signal(), signal()];
      gate = async () => {
        called.fire();
        await released.fired;
      };
      return {
        called: called.fired,
        release() {
          gate = null;
          released.fire();
        },
      };
    },
    reset() {
      gate = null;
    },
  };
  return self;
}

function signal(): { readonly fired: Promise<void>; readonly fire: () => void } {
  let fire = (): void => {};
  const fired = new Promise<void>((resolve) => {
    fire = resolve;
  });
  return { fired, fire };
}
