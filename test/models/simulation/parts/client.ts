import type { Chance } from '../../../../demo/random.js';
import { type Customer, Presence, type Request, serveOn } from './call.js';
import { AUTHOR, FOLLOWED } from './network.js';
import type { Result, World } from './world.js';

/** A client gives up on a request after so many attempts. */
const MOST_TRIES = 6;
/** Where a connection failed, or an answer was cut off. */
const AGAIN_MS = 300;
/** Milliseconds between client and service. */
const WAY_MS = [1, 20] as const;
/** Of a hundred requests: those whose answer is cut off, in a run in which clients leave. */
const CUT = 6;
/** The longest that a client stays which leaves. */
const STAYS_MS = 1_500;
/** Of a hundred requests of an impatient client, those that it leaves. */
const IMPATIENT = 70;

export interface ClientOptions {
  readonly name: string;
  readonly customer: Customer;
  readonly chance: Chance;
  /** How many things it does, one after the other. */
  readonly tasks?: number;
  readonly isImpatient?: boolean;
}

/** Reads what a customer would, and tries again as `docs/errors.md` says. Ends when it has done all. */
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

/** Many ask for the same at nearly the same moment, behind some who ask for something else. */
export async function rush(world: World, customers: readonly Customer[], chance: Chance): Promise<void> {
  const { scheduler } = world;
  await scheduler.wait(chance.between(0, 6_000));
  const operation = chance.pick(['followers', 'user-tweets'] as const);
  const user = operation === 'followers' ? FOLLOWED : AUTHOR;
  const isImpatient = chance.int(2) === 0;
  const ask = async (name: string, what: Request): Promise<void> => {
    const customer = chance.pick(customers);
    const own = chance.fork(name);
    await scheduler.wait(own.between(0, 60));
    await read(world, { name, customer, chance: own, isImpatient }, what);
  };
  const others = [FOLLOWED, AUTHOR].map((subject) =>
    ask(`beside${subject}`, { operation: 'following', variables: { user: subject, count: 3 }, budget: null }),
  );
  const variables = { user, count: 1 + chance.int(12) };
  const many = Array.from({ length: chance.pick([4, 8, 16]) }, (_, nth) =>
    ask(`rush${nth}`, { operation, variables, budget: null }),
  );
  await Promise.all([...others, ...many]);
}

/** A list is read, one of its tweets is deleted, somebody finds out, and the list is read again and again. */
export async function watchDeletion(world: World, customers: readonly Customer[], chance: Chance): Promise<void> {
  const { scheduler, network } = world;
  // Near the top, so that a short list has it, which most customers can pay for.
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
  // Perhaps the network makes a page with the tweet that comes after it was found to be deleted.
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

/** Pages through a list to its end; a chain that was refused for good is left. */
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
    // A page that the balance cut short is not the client's mistake; it goes on from there if it has the money.
    if (result.next === null) break;
    cursor = result.next;
  }
  const all = operation === 'followers' ? network.followers : network.tweets;
  chains.push({ client: name, list: operation, ids, expected: all.filter((id) => !removed.has(id)) });
}

/** One request, until it is answered or refused for good. Undefined: the client gave up. */
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

/** Undefined where the connection failed, the answer was cut off, or the client left. */
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
