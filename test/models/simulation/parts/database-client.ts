import { createPost } from '../../../../adapters/postgres/ledger/post.js';
import type { Accounts } from '../../../../src/ports/accounts.js';
import type { Time } from '../../../../src/ports/clock.js';
import type { Debit, Ledger } from '../../../../src/ports/ledger.js';
import type { Database } from './database.js';
import type { Host, Station, Wire } from './wire.js';

export interface SimulatedDatabase {
  readonly database: Database;
  readonly station: Station;
  readonly wire: Wire;
  /** Who is told of changes of keys. */
  readonly followers: Set<(hashHex: string) => void>;
}

/** Changes of keys are told to every process that follows; any message may be lost. */
export function openDatabase(database: Database, station: Station, wire: Wire): SimulatedDatabase {
  const followers = new Set<(hashHex: string) => void>();
  database.notify = (hashHex) => {
    for (const tell of followers) tell(hashHex);
  };
  return { database, station, wire, followers };
}

/** What one process has of the database: the real posting of debits, over statements that go by wire. */
export function connectDatabase({ database, station, wire, followers }: SimulatedDatabase, host: Host, time: Time) {
  const ask = <T>(what: string, effect: () => T): Promise<T> => wire.call(host, station, what, effect);
  const post = createPost(
    {
      postPlain: (debits) => ask(`post ${idsOf(debits)}`, () => database.postPlain(debits)),
      postAny: (debits, mode) => ask(`post ${mode} ${idsOf(debits)}`, () => database.postAny(debits, mode)),
      find: (debits) => ask(`find ${idsOf(debits)}`, () => database.find(debits)),
    },
    time,
  );
  const ledger: Ledger = {
    post,
    balance: (payer) => ask('balance', () => database.balance(payer)),
    receipt: (accountId, requestId) =>
      ask('receipt', () => {
        const row = database.row(requestId);
        if (row === undefined || row.accountId !== accountId) return undefined;
        const { balanceAfter, atMs, keyId } = row;
        const keyPrefix = database.keys.get(keyId)?.prefix ?? '';
        return { ...row, at: new Date(atMs).toISOString(), balanceAfter, keyPrefix };
      }),
    archivedMonth: async () => undefined,
    claimNames: (_account, _day, names) => ask('claim names', () => [...names]),
    ...unused,
  };
  const accounts: Pick<Accounts, 'findKeys' | 'onKeyChange'> = {
    findKeys: (hashes) => ask('keys', () => database.findKeys(hashes)),
    async onKeyChange(listener) {
      const tell = (hashHex: string): void => {
        // A message that is lost is not sent again: the key is looked up anew within its time.
        wire
          .call(host, station, 'message', () => {})
          .then(
            () => listener(hashHex),
            () => {},
          );
      };
      followers.add(tell);
      return async () => void followers.delete(tell);
    },
  };
  return { ledger, accounts };
}

const idsOf = (debits: readonly Debit[]): string => debits.map(({ requestId }) => requestId.slice(-4)).join();

/** Serving reads makes no use of these. */
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
