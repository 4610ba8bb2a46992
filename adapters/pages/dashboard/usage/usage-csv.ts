import { toCredits } from '../../../../src/domain/credits.js';
import type { UsageRow } from '../../../../src/ports/ledger.js';
import type { UsageParams } from './usage-params.js';

/**
 * One field in the format of RFC 4180. A value that a spreadsheet would take for a formula gets a leading apostrophe:
 * the names in it are the customer's own, but the file may be passed on.
 */
export function csvField(value: string | number): string {
  const text = String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** With a header line; lines end with CRLF. Credits have at most three decimals. */
export function usageCsv({ groups }: UsageParams, rows: readonly UsageRow[]): string {
  const names = { day: 'day', hour: 'hour', endpoint: 'endpoint', key: 'key_prefix' } as const;
  const head = [...groups.map((group) => names[group]), 'requests', 'items', 'cache_hits', 'credits'];
  const lines = rows.map((row) => {
    const values = { day: row.day ?? '', hour: row.hour ?? '', endpoint: row.endpoint ?? '', key: row.keyPrefix ?? '' };
    return [...groups.map((group) => values[group]), row.requests, row.items, row.cacheHits, toCredits(row.amount)];
  });
  return [head, ...lines].map((fields) => `${fields.map(csvField).join(',')}\r\n`).join('');
}
