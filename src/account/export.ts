import { toCredits } from '../domain/credits.js';
import { USAGE_PAGE } from '../domain/fields.js';
import { DAY_MS, utcDay } from '../lib/durations.js';
import type { AccountRecord, Accounts, AuditLog, InvitationRecord, MemberRecord } from '../ports/accounts.js';
import type { AlertRecord } from '../ports/alerts.js';
import type { Clock } from '../ports/clock.js';
import type { RequestLog } from '../ports/figures.js';
import type { GrantRecord } from '../ports/grants.js';
import type { Ledger, UsageRow } from '../ports/ledger.js';

/** Pages of usage, and rows of each other kind: more than a file holds, which then says so. */
const MOST_PAGES = 100;
const MOST_ROWS = 10_000;
/** Receipts of each mode: the newest. Older ones are found by their request id. */
const RECEIPTS = 1000;
const GROUP = ['day', 'endpoint', 'key'] as const;

export interface ExportSources {
  readonly accounts: Pick<Accounts, 'get' | 'testAccount'>;
  readonly ledger: Pick<Ledger, 'usage' | 'recent' | 'statement'>;
  readonly auditLog: AuditLog;
  readonly members: {
    list(accountId: string): Promise<readonly MemberRecord[]>;
    invitations(accountId: string): Promise<readonly InvitationRecord[]>;
  };
  readonly alerts: { list(accountId: string): Promise<readonly AlertRecord[]> };
  readonly grants: { list(accountId: string): Promise<readonly GrantRecord[]> };
  readonly billing: { sales(accountId: string): Promise<readonly { readonly url: string | null }[]> };
  readonly requestLog: Pick<RequestLog, 'list'>;
  readonly clock: Clock;
}

type Line = Readonly<Record<string, unknown>> & { readonly type: string };

/**
 * All that Perch keeps for an account and its test account, one object a line: a person reads it, and a program. Amounts
 * are in credits. The last line says whether the file is complete; one without it was cut off.
 */
export async function* exportLines(
  account: AccountRecord,
  sources: ExportSources,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { accounts, members, alerts, grants, billing, auditLog, ledger, requestLog, clock } = sources;
  const { accountId } = account;
  const text = (line: Line): string => `${JSON.stringify(line)}\n`;
  const cut: string[] = [];
  const bounded = <Row>(kind: string, rows: readonly Row[], most: number): readonly Row[] => {
    if (rows.length >= most) cut.push(kind);
    return rows;
  };
  yield text({ type: 'export', at: new Date(clock.now()).toISOString(), account_id: accountId });
  const testId = await accounts.testAccount(accountId);
  const test = testId === undefined ? undefined : await accounts.get(testId);
  for (const [mode, each] of [
    ['live', account],
    ['test', test],
  ] as const) {
    if (each === undefined) continue;
    const { name, email, balance, paidUsd, frozen } = each;
    yield text({
      type: 'account',
      mode,
      account_id: each.accountId,
      name,
      email,
      balance: toCredits(balance),
      paid_usd: paidUsd,
      frozen,
    });
    for (const key of each.keys) {
      const cap = key.cap && {
        period: key.cap.period,
        amount: toCredits(key.cap.amount),
        spent: toCredits(key.cap.spent),
      };
      yield text({ type: 'key', mode, ...key, spent: toCredits(key.spent), cap });
    }
  }
  for (const member of await members.list(accountId)) yield text({ type: 'member', ...member });
  for (const invitation of await members.invitations(accountId)) yield text({ type: 'invitation', ...invitation });
  for (const alert of await alerts.list(accountId))
    yield text({ type: 'alert', ...alert, amount: toCredits(alert.amount) });
  for (const { cap: _, ...grant } of await grants.list(accountId)) {
    yield text({ type: 'app', ...grant, spent: toCredits(grant.spent) });
  }
  for (const { url: _, ...sale } of await billing.sales(accountId)) yield text({ type: 'purchase', ...sale });
  for (const event of bounded('change', await auditLog.list(accountId, MOST_ROWS, signal), MOST_ROWS)) {
    yield text({ type: 'change', ...event });
  }
  for (const [mode, id] of [
    ['live', accountId],
    ['test', testId],
  ] as const) {
    if (id === undefined) continue;
    for (const entry of bounded('entry', await ledger.statement(id, MOST_ROWS, signal), MOST_ROWS)) {
      yield text({
        type: 'entry',
        mode,
        ...entry,
        amount: toCredits(entry.amount),
        balanceAfter: toCredits(entry.balanceAfter),
      });
    }
    let last: UsageRow | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const rows: UsageRow[] = await ledger.usage(
        id,
        {
          ...{ from: '2000-01-01T00:00:00Z', to: `${utcDay(clock.now() + DAY_MS)}T00:00:00Z`, group: GROUP },
          ...{ after: last && [last.day ?? '', last.endpoint ?? '', last.keyPrefix ?? ''], limit: USAGE_PAGE.max },
        },
        signal,
      );
      for (const row of rows) yield text({ type: 'usage', mode, ...row, amount: toCredits(row.amount) });
      last = rows.at(-1);
      if (rows.length < USAGE_PAGE.max) break;
      if (page === MOST_PAGES - 1) cut.push('usage');
    }
    for (const { lines, ...receipt } of await ledger.recent(id, RECEIPTS, signal)) {
      const [amount, balanceAfter] = [toCredits(receipt.amount), toCredits(receipt.balanceAfter)];
      const priced = lines.map((line) => ({ ...line, unitPrice: toCredits(line.unitPrice) }));
      yield text({ type: 'receipt', mode, ...receipt, amount, balanceAfter, lines: priced });
    }
    for (const { accountId: _, ...request } of await requestLog.list(id, { limit: MOST_ROWS }, signal)) {
      const at = new Date(request.at).toISOString();
      yield text({ type: 'request', mode, ...request, at, charged: toCredits(request.charged) });
    }
  }
  yield text({ type: 'end', left_out: cut });
}
