import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Sql } from '../../../adapters/postgres/sql.js';
import { toThousandths } from '../../../src/domain/credits.js';
import { type Answer, get } from '../nodes/client.js';

/** What clients saw of the service, to compare with its ledger. */
export interface Books {
  /** Keeps requesting the addresses in turn, `width` at a time, until it is stopped. */
  load(width: number, addresses: (n: number) => string, key: string): void;
  stop(): Promise<void>;
  /** The number of whole answers by status. */
  statuses(): Record<number, number>;
  answers(): number;
  /** The p99 in milliseconds of the answers between two shares of all answers in their order. */
  slowest(from: number, to: number): number;
  /** The number of broken connections by error. */
  broken(): Record<string, number>;
  /** Whether all of the last answers were delivered. */
  isWell(last?: number): boolean;
  /** The numbers, from 0, of delivered answers whose charge is not in the ledger. */
  missing(sql: Sql, accountId: string): Promise<number[]>;
  /**
   * Checks that the ledger has every delivered charge as reported, and no failed one unless its outcome was reported as
   * unknown, and that the wallet fell by the sum of the rows.
   */
  compare(sql: Sql, account: { accountId: string; walletId: string; credits: number }): Promise<void>;
}

interface Seen {
  readonly requestId: string;
  readonly status: number;
  readonly charged: number;
  /** The call failed with the message that it may have been charged. */
  readonly isUnknown: boolean;
  readonly ms: number;
}

const PAUSE_MS = 5;

function countOf<K extends string | number>(values: readonly K[]): Record<K, number> {
  const counts = {} as Record<K, number>;
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/** Thousandths by request id. */
async function debitsOf(sql: Sql, accountId: string): Promise<Map<string, number>> {
  const rows = await sql<{ requestId: string; amount: number }[]>`
    select request_id as "requestId", amount_thousandths as amount from ledger_entries
    where account_id = ${accountId} and kind = 'debit'`;
  return new Map(rows.map(({ requestId, amount }) => [requestId, Number(amount)]));
}

export function openBooks(): Books {
  const seen: Seen[] = [];
  const loops: Promise<void>[] = [];
  const broken: string[] = [];
  let requests = 0;
  let isOpen = true;

  async function loop(addresses: (n: number) => string, key: string): Promise<void> {
    while (isOpen) {
      try {
        const startedAt = performance.now();
        const answer = await get(addresses(requests++), key);
        note(answer, performance.now() - startedAt);
      } catch (error) {
        broken.push(String(error));
        await sleep(10 * PAUSE_MS);
      }
      await sleep(PAUSE_MS);
    }
  }

  function note({ status, headers, body }: Answer, ms: number): void {
    const requestId = String(headers['x-request-id'] ?? body?.request_id);
    const isUnknown = body?.error?.reason === 'charge_unknown';
    seen.push({ requestId, status, charged: toThousandths(body?.credits_charged ?? 0), isUnknown, ms });
  }

  return {
    load(width, addresses, key) {
      for (let n = 0; n < width; n += 1) loops.push(loop(addresses, key));
    },
    async stop() {
      isOpen = false;
      await Promise.all(loops);
    },
    statuses: () => countOf(seen.map(({ status }) => status)),
    answers: () => seen.length,
    slowest(from, to) {
      const part = seen.slice(Math.floor(from * seen.length), Math.ceil(to * seen.length)).map(({ ms }) => ms);
      return part.sort((a, b) => a - b)[Math.floor(0.99 * part.length)] ?? Number.NaN;
    },
    broken: () => countOf(broken),
    isWell: (last = 20) => seen.length >= last && seen.slice(-last).every(({ status }) => status === 200),
    async missing(sql, accountId) {
      const ledger = await debitsOf(sql, accountId);
      return seen.flatMap(({ requestId, charged }, nth) => (charged > 0 && !ledger.has(requestId) ? [nth] : []));
    },
    async compare(sql, { accountId, walletId, credits }) {
      const ledger = await debitsOf(sql, accountId);
      const delivered = seen.filter(({ charged }) => charged > 0);
      expect(delivered.filter(({ requestId, charged }) => ledger.get(requestId) !== charged)).toEqual([]);
      const failed = seen.filter(({ status, isUnknown }) => status >= 400 && !isUnknown);
      expect(failed.filter(({ requestId }) => ledger.has(requestId))).toEqual([]);
      const [wallet] = await sql<{ balance: number }[]>`
        select balance_thousandths as balance from wallets where wallet_id = ${walletId}`;
      const spent = [...ledger.values()].reduce((sum, amount) => sum + amount, 0);
      expect(Number(wallet?.balance)).toBe(toThousandths(credits) - spent);
      // What was paid and not seen is of connections that broke between the debit and the last byte (M18), or of calls
      // that were told so.
      const unknown = seen.filter(({ isUnknown }) => isUnknown);
      expect(ledger.size - delivered.length).toBeLessThanOrEqual(broken.length + unknown.length);
    },
  };
}
