import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import { hashKey, keyPrefix, mintKey } from '../../src/access/key.js';
import type { Mount } from '../graphql/service.js';
import { World } from '../model/world.js';
import { type ManualClock, manualClock } from '../support/manual-clock.js';
import { startPerch, type TestAccount, type TestPerch } from '../support/perch.js';
import { type WorldNetwork, worldNetwork } from './network.js';

/** In credits: small enough for a fresh page of fifty to be over it. */
export const DEFAULT_BUDGET = 60;

/** More than anything is kept, tombstones too. */
const FORGET_MS = 15 * 3_600_000;

export interface TestKey {
  readonly key: string;
  readonly keyId: string;
  readonly accountId: string;
}

/** A service over a network of plain data, which goes from run to run: each begins with an empty cache and its own accounts. */
export interface Bench {
  readonly perch: TestPerch;
  readonly clock: ManualClock;
  readonly net: WorldNetwork;
  begin(): World;
  addKey(accountId: string, cap: number | null): Promise<TestKey>;
  rotate(old: TestKey): Promise<TestKey>;
  revoke(old: TestKey): Promise<void>;
  grant(accountId: string, thousandths: number): Promise<void>;
  /** In thousandths, from the database. */
  balance(account: Pick<TestAccount, 'walletId'>): Promise<number>;
  /** The amounts of the account's debits, by request. */
  debits(accountId: string): Promise<Map<string, number>>;
  close(): Promise<void>;
}

export async function openBench(graphql: Mount): Promise<Bench> {
  const clock = manualClock();
  const net = worldNetwork(new World());
  const env = { PERCH_MAX_OPERATION_CREDITS: String(DEFAULT_BUDGET) };
  const perch = await startPerch({ clock, network: net.network, env, graphql });
  const { accounts, ledger, secrets } = perch.stores;
  const minted = () => {
    const key = mintKey(randomBytes);
    return { key, hash: hashKey(key, secrets.pepper), prefix: keyPrefix(key) };
  };

  /** Until every lookup has heard of it (A9). What these calls take of the rate limit is back after a second. */
  async function untilRefused(key: string): Promise<void> {
    for (;;) {
      const { status } = await fetch(`${perch.url}/v1/me`, { headers: { 'x-api-key': key } });
      if (status === 401) return clock.advance(1000);
    }
  }

  return {
    perch,
    clock,
    net,
    begin() {
      clock.advance(FORGET_MS);
      net.world = new World();
      net.reset();
      return net.world;
    },
    async addKey(accountId, cap) {
      const { key, hash, prefix } = minted();
      const limit = cap === null ? null : ({ amount: cap, period: 'total' } as const);
      const { keyId } = await accounts.addKey({ accountId, hash, prefix, name: 'model', cap: limit });
      return { key, keyId, accountId };
    },
    async rotate(old) {
      const { key, hash, prefix } = minted();
      const { keyId } = await accounts.rotateKey(old, { hash, prefix, expiresAt: null }, null);
      await untilRefused(old.key);
      return { key, keyId, accountId: old.accountId };
    },
    async revoke(old) {
      await accounts.revokeKey(old);
      await untilRefused(old.key);
    },
    async grant(accountId, amount) {
      await ledger.grant({ requestId: v7(), accountId, amount, reason: 'model' });
    },
    async balance({ walletId }) {
      const [row] = await perch.database.sql<{ balance: string }[]>`
        select balance_thousandths as balance from wallets where wallet_id = ${walletId}`;
      return Number(row?.balance);
    },
    async debits(accountId) {
      const rows = await perch.database.sql<{ requestId: string; amount: string }[]>`
        select request_id as "requestId", amount_thousandths as amount from ledger_entries
        where account_id = ${accountId} and kind = 'debit'`;
      return new Map(rows.map(({ requestId, amount }) => [requestId, Number(amount)]));
    },
    async close() {
      const { faults } = await perch.ledger.check();
      await perch.close();
      if (faults.length > 0) throw new Error(`The ledger is wrong: ${JSON.stringify(faults)}`);
    },
  };
}
