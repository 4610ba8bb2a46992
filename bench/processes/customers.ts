import { openAccount } from '../../adapters/cli/accounts.js';
import { withConfiguredStores } from '../../adapters/cli/with-stores.js';
import { readConfig } from '../../src/config/config.js';
import type { Home } from './perch.js';

/** More credits and a higher rate than any benchmark uses. */
export const CREDITS = 900_000_000;
export const QPS = 1_000_000;

/** Opens accounts that can pay; returns a key of each. */
export async function openCustomers({ env, folder }: Home, count: number): Promise<string[]> {
  const config = readConfig({ env, cwd: folder, terminal: false });
  const money = { paidUsd: 0, qpsOverride: QPS, credits: CREDITS * 1000, reason: 'bench' };
  return withConfiguredStores(config, (stores) =>
    Promise.all(
      Array.from({ length: count }, async (_, nth) => {
        const named = { name: `customer ${nth}`, email: null, keyName: 'bench' };
        return (await openAccount(stores, { ...named, ...money })).key;
      }),
    ),
  );
}
