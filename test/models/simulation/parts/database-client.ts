import { createPost } from '../../../../adapters/postgres/ledger/post.js';
import type { Accounts } from '../../../../src/ports/accounts.js';
import type { Time } from '../../../../src/ports/clock.js';
import type { Debit, Ledger } from '../../../../src/ports/ledger.js';
import { type Database, refused } from './database.js';
import type { Host, Station, Wire } from './wire.js';

/** Servers that hold accounts, behind the one that processes talk to. */
interface Shards {
  /** Empty if the database is not distributed. */
  readonly stations: readonly Station[];
  readonly posts: PostLog[];
  /** Statements refused because their debits were of several shards. */
  readonly mixed: string[];
  /** Stations that had a fault. */
  readonly troubled: Set<Station>;
}

/** One debit as a process gave it to the ledger. */
interface PostLog {
  readonly host: Host;
  readonly shard: Station;
  readonly beganAtMs: number;
  /** Undefined until it ends. */
  tookMs?: number;
}

export interface SimulatedDatabase {
  readonly database: Database;
  readonly station: Station;
  readonly wire: Wire;
  readonly shards: Shards;
  /** The processes that are told of changed keys. */
  readonly followers: Set<(hashHex: string) => void>;
}

/** Tells every process that follows of changed keys; any message may be lost. */
export function openDatabase(
  database: Database,
  station: Station,
  wire: Wire,
  stations: readonly Station[],
): SimulatedDatabase {
  const followers = new Set<(hashHex: string) => void>();
  database.notify = (hashHex) => {
    for (const notify of followers) notify(hashHex);
  };
  const shards = { stations, posts: [], mixed: [], troubled: new Set<Station>() };
  return { database, station, wire, followers, shards };
}

/** The error of Citus for a statement that touches several of its shards. */
const ofSeveral = (): Error => refused('0A000', 'cannot push down this subquery');

const COORDINATOR: Host = { name: 'coordinator', isAlive: true };

/** The database as one process has it: the real posting of debits, over statements that travel by wire. */
export function connectDatabase(link: SimulatedDatabase, host: Host, time: Time) {
  const { database, station, wire, followers, shards } = link;
  const call = <T>(what: string, effect: () => T | Promise<T>): Promise<T> => wire.call(host, station, what, effect);
  /**
   * Statements about accounts run on the server that has them; all others, such as look-ups of keys by hash, on the
   * first.
   */
  const callFor = <T>(of: readonly { readonly accountId: string }[], what: string, effect: () => T): Promise<T> =>
    call(what, () => {
      const [shard, ...others] = new Set(of.map(({ accountId }) => shardOf(link, accountId)));
      if (others.length > 0) {
        shards.mixed.push(what);
        throw ofSeveral();
      }
      return shard === undefined ? effect() : wire.call(COORDINATOR, shard, what, effect);
    });
  const commit = createPost(
    {
      postPlain: (debits) => callFor(debits, `post ${idsOf(debits)}`, () => database.postPlain(debits)),
      postAny: (debits, mode) => callFor(debits, `post ${mode} ${idsOf(debits)}`, () => database.postAny(debits, mode)),
      find: (debits) => callFor(debits, `find ${idsOf(debits)}`, () => database.find(debits)),
    },
    time,
    (accountId) => shards.stations.indexOf(shardOf(link, accountId) as Station),
  );
  const post: Ledger['post'] = (debit, signal) => {
    const shard = shardOf(link, debit.accountId);
    const posted = commit(debit, signal);
    if (shard === undefined) return posted;
    const log: PostLog = { host, shard, beganAtMs: time.monotonic.now() };
    shards.posts.push(log);
    return posted.finally(() => {
      log.tookMs = time.monotonic.now() - log.beganAtMs;
    });
  };
  const ledger: Ledger = {
    post,
    balance: (payer) => callFor([payer], 'balance', () => database.balance(payer)),
    receipt: (accountId, requestId) =>
      callFor([{ accountId }], 'receipt', () => {
        const row = database.row(requestId);
        if (row === undefined || row.accountId !== accountId) return undefined;
        const { balanceAfter, atMs, keyId } = row;
        const keyPrefix = database.keys.get(keyId)?.prefix ?? '';
        return { ...row, at: new Date(atMs).toISOString(), balanceAfter, keyPrefix };
      }),
    archivedMonth: async () => undefined,
    claimNames: (_account, _day, names) => call('claim names', () => [...names]),
    ...unused,
  };
  const accounts: Pick<Accounts, 'findKeys' | 'onKeyChange'> = {
    findKeys: (hashes) => call('keys', () => database.findKeys(hashes)),
    async onKeyChange(listener) {
      const notify = (hashHex: string): void => {
        // A lost message is not sent again: the key is looked up anew when its entry expires.
        wire
          .call(host, station, 'message', () => {})
          .then(
            () => listener(hashHex),
            () => {},
          );
      };
      followers.add(notify);
      return async () => void followers.delete(notify);
    },
  };
  return { ledger, accounts };
}

/** The accounts of the runs are numbered. Undefined if the database is not distributed. */
const shardOf = ({ shards: { stations } }: SimulatedDatabase, accountId: string): Station | undefined =>
  stations[Number(accountId.slice(0, 8)) % stations.length];

const idsOf = (debits: readonly Debit[]): string => debits.map(({ requestId }) => requestId.slice(-4)).join();

/** Serving reads never calls these. */
const never = (): never => {
  throw new Error('not simulated');
};
const unused = {
  grant: never,
  refill: never,
  usage: never,
  recent: never,
  lastUses: never,
  statement: never,
  runMaintenance: never,
  check: never,
};
