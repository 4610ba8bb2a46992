/** Pages run database queries that cost nothing. When the visitor leaves before they end, they must be cancelled. */
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
  // The query for the newest receipts waits here. A lock on their table would stop the look-up of the account, too.
  await service.sql.unsafe(`
    alter function receipt_lines rename to receipt_lines_at_once;
    create function receipt_lines(lines text, operation text) returns jsonb language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(1); return receipt_lines_at_once(lines, operation); end $$`);
});
afterAll(() => service.close());

const atWork = async (): Promise<number> => {
  const [row] = await service.sql<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and state = 'active' and wait_event_type = 'Lock'`;
  return row?.count ?? 0;
};

// On a busy machine the cancel itself may take a second. A page that does not cancel fails every try.
it.each(PATHS)('%s: cancels its queries when the visitor leaves', { retry: 2 }, async (path) => {
  const customer = await service.customer();
  await customer.grant(1);
  await customer.read((await customer.key()).keyId, 1);
  const locker = await service.sql.reserve();
  try {
    await locker`begin`;
    // Each page waits for one of these locks. Leaving does not cancel the look-up of the account, which waits for none.
    await locker`select pg_advisory_xact_lock(1)`;
    await locker`lock table statement_entries, usage_hours, usage_days, audit_log in access exclusive mode`;
    const leaving = new AbortController();
    const pending = customer.get(path, {}, leaving.signal).catch(() => 'left');
    await expect.poll(atWork).toBeGreaterThan(0);
    leaving.abort();
    expect(await pending).toBe('left');
    // The database itself ends a wait for a lock only after two seconds.
    await expect.poll(atWork, { timeout: 1000 }).toBe(0);
  } finally {
    await locker`rollback`;
    locker.release();
  }
});
