import type { Chance } from '../../../../demo/random.js';
import { type Customer, Presence, type Request, serveOn } from './call.js';
import { AUTHOR, FOLLOWED } from './network.js';
import type { Result, World } from './world.js';

/** A client gives up on a request after this many attempts. */
const MOST_TRIES = 6;
/** The pause after a failed connection or a cut-off answer. */
const AGAIN_MS = 300;
/** Milliseconds between client and service, each way. */
const WAY_MS = [1, 20] as const;
/** Per cent of requests whose answer is cut off, in runs in which clients leave. */
const CUT = 6;
/** The longest that a client waits before it leaves. */
const STAYS_MS = 1_500;
/** Per cent of its requests that an impatient client leaves. */
const IMPATIENT = 70;

export interface ClientOptions {
  readonly name: string;
  readonly customer: Customer;
  readonly chance: Chance;
  /** How many requests or lists it makes, one after the other. */
  readonly tasks?: number;
  readonly isImpatient?: boolean;
}

/** Reads what a customer would, and retries as `docs/errors.md` says. Ends when all its tasks are done. */
export async function runClient(world: World, options: ClientOptions): Promise<void> {
  const { chance, tasks = 1 } = options;
  const { scheduler, network } = world;
  for (let nth = 0; nth < tasks; nth += 1) {
    await scheduler.wait(chance.between(0, 1_500));
    const kind = chance.int(10);
    const budget = chance.int(8) === 0 ? chance.int(3_000) : null;
    if (kind < 3) await readChain(world, options, chance.int(2) === 0 ? 'followers' : 'user-tweets');
    else if (kind < 6) {
      const count = 1 + chance.int(6);
      const operation = chance.pick(['followers', 'follower-ids', 'user-tweets'] as const);
      await read(world, options, { operation, variables: subjectOf(operation, { count }, chance), budget });
    } else if (kind < 8) {
      const gone = [...world.removed.keys()];
      const id = chance.pick(gone.length > 0 && chance.int(2) === 0 ? gone : network.tweets);
      await read(world, options, { operation: 'tweet', variables: { id, fresh: chance.int(4) === 0 }, budget });
    } else {
      const ids = chance.shuffled(network.tweets).slice(0, 1 + chance.int(4));
      await read(world, options, { operation: 'tweets-batch', variables: { ids }, budget });
    }
  }
}

/** Many request the same at nearly the same moment, after a few requests for something else. */
export async function rush(world: World, customers: readonly Customer[], chance: Chance): Promise<void> {
  const { scheduler } = world;
  await scheduler.wait(chance.between(0, 6_000));
  const operation = chance.pick(['followers', 'user-tweets'] as const);
  const user = operation === 'followers' ? FOLLOWED : AUTHOR;
  const isImpatient = chance.int(2) === 0;
  const request = async (name: string, what: Request): Promise<void> => {
    const customer = chance.pick(customers);
    const own = chance.fork(name);
    await scheduler.wait(own.between(0, 60));
    await read(world, { name, customer, chance: own, isImpatient }, what);
  };
  const others = [FOLLOWED, AUTHOR].map((subject) =>
    request(`beside${subject}`, { operation: 'following', variables: { user: subject, count: 3 }, budget: null }),
  );
  const variables = { user, count: 1 + chance.int(12) };
  const many = Array.from({ length: chance.pick([4, 8, 16]) }, (_, nth) =>
    request(`rush${nth}`, { operation, variables, budget: null }),
  );
  await Promise.all([...others, ...many]);
}

/** Reads a list, deletes one of its tweets, has a client find out, and reads the list again and again. */
export async function watchDeletion(world: World, customers: readonly Customer[], chance: Chance): Promise<void> {
  const { scheduler, network } = world;
  // Near the top, so that a short list, which most customers can afford, includes it.
  const id = chance.pick(network.tweets.slice(0, 5));
  const readAs = (name: string, what: Omit<Request, 'budget'>): Promise<unknown> =>
    read(world, { name, customer: chance.pick(customers), chance: chance.fork(name) }, { ...what, budget: null });
  const readList = (nth: number, fresh = false): Promise<unknown> =>
    readAs(`watcher${nth}`, {
      operation: 'user-tweets',
      variables: { user: AUTHOR, count: 5 + chance.int(8), fresh },
    });
  await scheduler.wait(chance.between(0, 4_000));
  await readList(0);
  await scheduler.wait(chance.between(0, 500));
  // Perhaps the network makes a page that has the tweet, and sends it after the tweet was found to be deleted.
  const isLate = chance.int(2) === 0;
  if (isLate) network.pageLateMs = chance.between(0, 2_500);
  const reading = isLate ? readList(1, true) : undefined;
  scheduler.after(chance.between(0, 400), () => world.remove(id));
  await scheduler.wait(chance.between(0, 600));
  await readAs('finder', { operation: 'tweet', variables: { id, fresh: chance.int(4) > 0 } });
  network.pageLateMs = 0;
  for (let nth = 2; nth < 6; nth += 1) {
    await scheduler.wait(chance.between(0, 1_500));
    await readList(nth);
  }
  await reading;
}

const subjectOf = (operation: Request['operation'], more: object, chance: Chance): Record<string, unknown> => ({
  user: operation === 'user-tweets' ? AUTHOR : FOLLOWED,
  fresh: chance.int(10) === 0,
  ...more,
});

/** Pages through a list to its end. A refusal that is final ends the chain. */
async function readChain(world: World, options: ClientOptions, operation: 'followers' | 'user-tweets'): Promise<void> {
  const { chains, network, removed } = world;
  const { chance, name } = options;
  const ids: string[] = [];
  const count = 3 + chance.int(10);
  for (let cursor: string | undefined; ; ) {
    const variables = { user: operation === 'followers' ? FOLLOWED : AUTHOR, count, ...(cursor && { cursor }) };
    const result = await read(world, options, { operation, variables, budget: null });
    if (result?.kind !== 'answer') return;
    ids.push(...result.ids);
    // A page may be cut short by the balance, which is no mistake of the client: it continues if it has the credits.
    if (result.next === null) break;
    cursor = result.next;
  }
  const all = operation === 'followers' ? network.followers : network.tweets;
  chains.push({ client: name, list: operation, ids, expected: all.filter((id) => !removed.has(id)) });
}

/** Sends one request until it is answered or finally refused. Undefined if the client gave up. */
async function read(world: World, options: ClientOptions, request: Request): Promise<Result | undefined> {
  const { scheduler } = world;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const result = await attempt(world, options, request);
    if (result?.kind === 'answer') return result;
    if (result === undefined) await scheduler.wait(AGAIN_MS);
    else if (result.retryAfter === undefined && !(result.code === 'internal' && tries === 0)) return result;
    else await scheduler.wait((result.retryAfter ?? 0) * 1000);
  }
  return undefined;
}

/** Undefined if the connection failed, the answer was cut off, or the client left. */
function attempt(
  world: World,
  { chance, customer, name, isImpatient = false }: ClientOptions,
  request: Request,
): Promise<Result | undefined> {
  const { scheduler, trace, nodes, leaving } = world;
  const presence = new Presence();
  const way = (): number => chance.between(...WAY_MS);
  return new Promise((resolve) => {
    const end = (result: Result | undefined, how: string): void => {
      trace.add(`${name} ${how}`);
      resolve(result);
    };
    const fail = (how: string) => scheduler.after(way(), () => end(undefined, how));
    scheduler.after(way(), () => {
      const node = nodes.get(chance.pick([...world.names]));
      if (node === undefined) return fail('finds nobody');
      world.onDeath(node.host, () => fail('is cut off'));
      if (chance.int(100) < (isImpatient ? IMPATIENT : leaving.perCent)) {
        scheduler.after(chance.between(0, STAYS_MS), () => {
          presence.leave();
          end(undefined, 'leaves');
        });
      }
      const isCut = leaving.perCent > 0 && chance.int(100) < CUT;
      void serveOn(world, node, customer, request, presence).then(({ result }) => {
        if (!node.host.isAlive) return;
        scheduler.after(way(), () => (isCut ? end(undefined, 'loses an answer') : end(result, 'is answered')));
      });
    });
  });
}
