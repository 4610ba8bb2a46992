import { v7 } from 'uuid';
import { expect } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { resumeItems, writeItems } from '../../../adapters/postgres/customers/new-deliveries.js';
import type { Sql } from '../../../adapters/postgres/sql.js';
import { utcDay } from '../../../src/lib/durations.js';

/** A watch of an account. Its deliveries are written as the process that follows it would write them. */
export interface Watched {
  readonly accountId: string;
  readonly watchId: string;
  /** Writes the next delivery. Its transaction commits once `held` has ended. */
  write(atMs: number, held?: () => Promise<unknown>): Promise<{ readonly deliveryId: string; readonly body: string }>;
  resume(atMs: number): Promise<void>;
  end(): Promise<void>;
  /** All deliveries of the watch, in order. */
  rows(): Promise<Row[]>;
  state(): Promise<{ state: string; reason: string | null }>;
}

export interface Row {
  readonly deliveryId: string;
  readonly number: number;
  readonly tries: number;
  readonly dueAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly status: number | null;
  readonly inTurn: boolean;
}

let accounts = 0;

/** An account with a key, which pays for watches. */
export async function watchingAccount(sql: Sql, email: string | null = `w${++accounts}@example.org`) {
  const { accountId } = await createAccounts(sql).create({ name: 'Ada', email, paidUsd: 0, qpsOverride: null });
  const hash = Buffer.from(accountId.replaceAll('-', '').repeat(2), 'hex');
  const prefix = `perch_live_${accountId.slice(0, 6)}`;
  const { keyId } = await createAccounts(sql).addKey({ accountId, hash, prefix, name: 'Watches', cap: null });
  return { accountId, keyId, email };
}

export async function watched(
  sql: Sql,
  { accountId, keyId }: { readonly accountId: string; readonly keyId: string },
  webhookUrl: string,
): Promise<Watched> {
  const [watchId, holder] = [v7(), v7()];
  await sql`
    insert into watches (account_id, watch_id, key_id, kind, subject, subject_id, count, webhook_url, state, state_at, position,
      created_at, holder)
    values (${accountId}, ${watchId}, ${keyId}, 'timeline', 'ada', '7', 20, ${webhookUrl}, 'active', now(), 'x', now(), ${holder})`;
  return {
    accountId,
    watchId,
    write: async (atMs, held) => {
      // Claims a watch that was paused again.
      await sql`update watches set holder = ${holder} where watch_id = ${watchId} and holder is null`;
      const [now] = await sql<{ number: number; position: string }[]>`
        select number, position from watches where account_id = ${accountId} and watch_id = ${watchId}`;
      const { number = 0, position: from = '' } = now ?? {};
      const requestId = v7();
      return sql.begin(async (tx) => {
        const of = { accountId, watchId, holder, requestId, from, position: `${from}x`, day: utcDay(atMs) };
        const body = JSON.stringify({ number: number + 1 });
        const written = { ...of, items: 1, charged: 1000, newestAt: atMs, at: atMs, body: ['', body, ''] as const };
        expect(await writeItems(tx, [written], false)).toContain(watchId);
        await held?.();
        return { deliveryId: requestId, body };
      });
    },
    resume: (atMs) =>
      sql.begin(async (tx) => {
        await tx`
          update watches set state = 'active', reason = null where account_id = ${accountId} and watch_id = ${watchId}`;
        await resumeItems(tx, { accountId, watchId }, atMs);
      }),
    end: async () => {
      await sql`
        update watches set state = 'ended', reason = null where account_id = ${accountId} and watch_id = ${watchId}`;
    },
    rows: () => sql<Row[]>`
      select delivery_id as "deliveryId", number, tries, due_at as "dueAt", delivered_at as "deliveredAt", status,
        in_turn as "inTurn"
      from deliveries where account_id = ${accountId} and watch_id = ${watchId} and number is not null order by number`,
    state: async () => {
      const [row] = await sql<{ state: string; reason: string | null }[]>`
        select state, reason from watches where account_id = ${accountId} and watch_id = ${watchId}`;
      if (row === undefined) throw new Error('no such watch');
      return row;
    },
  };
}
