import type { Sql, Transaction } from '../sql.js';

/** Months that are open ahead of the running one. */
const MONTHS_AHEAD = 3;

/**
 * Opens the running month of the ledger and those ahead. A month that was not opened in time has its debits among those
 * of no month, where everything works but `perch ledger archive`.
 */
export async function openMonths(tx: Sql | Transaction): Promise<void> {
  await tx`
    select open_month(date_trunc('month', now(), 'UTC') + ahead * interval '1 month')
    from generate_series(0, ${MONTHS_AHEAD}::int) as ahead`;
}
