/** A page asks the database free questions: who leaves before they are answered must not keep it at them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DashboardService, startDashboard } from './service.js';

const PATHS = [
  '/dashboard',
  '/dashboard/usage',
  '/dashboard/usage.csv',
  '/dashboard/keys',
  '/dashboard/credits',
  '/dashboard/receipts',
  '/dashboard/receipts?request_id=01893c5e-7a2b-7c1d-8e4f-5a6b7c8d9e0f',
  '/dashboard/security',
];

let service: DashboardService;
beforeAll(async () => {
  service = await startDashboard();
});
afterAll(() => service.close());

const atWork = async (): Promise<number> => {
  const [row] = await service.sql<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and state = 'active' and wait_event_type = 'Lock'`;
  return row?.count ?? 0;
};

/** Within two seconds: the database itself ends a question after three. */
async function until(test: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 80; tries += 1) {
    if (await test()) return true;
    await sleep(25);
  }
  return false;
}

it.each(PATHS)('%s: cancels its queries when the visitor leaves', async (path) => {
  const customer = await service.customer();
  const locker = await service.sql.reserve();
  try {
    await locker`begin`;
    await locker`lock table ledger_entries, usage_days, audit_log in access exclusive mode`;
    const leaving = new AbortController();
    const asked = customer.get(path, {}, leaving.signal).catch(() => 'left');
    expect(await until(async () => (await atWork()) > 0)).toBe(true);
    leaving.abort();
    expect(await asked).toBe('left');
    expect(await until(async () => (await atWork()) === 0)).toBe(true);
  } finally {
    await locker`rollback`;
    locker.release();
  }
});
