import { toCredits } from '../domain/credits.js';
import { USAGE_PAGE } from '../domain/fields.js';
import { DAY_MS, utcDay } from '../lib/durations.js';
import type { AccountRecord, Accounts, AuditLog, InvitationRecord, MemberRecord } from '../ports/accounts.js';
import type { AlertRecord } from '../ports/alerts.js';
import type { Clock } from '../ports/clock.js';
import type { RequestLog } from '../ports/figures.js';
import type { GrantRecord } from '../ports/grants.js';
import type { Ledger, UsageRow } from '../ports/ledger.js';
import type { WatchRecord } from '../ports/watches.js';

/** Most pages of usage, and most rows of each other kind. If there are more, the end of the file says so. */
const MOST_PAGES = 100;
const MOST_ROWS = 10_000;
/** The newest receipts of each mode. Older ones can be looked up by request id. */
const RECEIPTS = 1000;
const GROUP = ['day', 'endpoint', 'key'] as const;

export interface ExportSources {
  readonly accounts: Pick<Accounts, 'get' | 'testAccount' | 'keys'>;
  readonly ledger: Pick<Ledger, 'usage' | 'recent' | 'statement'>;
  readonly auditLog: AuditLog;
  readonly members: {
    list(accountId: string): Promise<readonly MemberRecord[]>;
    invitations(accountId: string): Promise<readonly InvitationRecord[]>;
  };
  readonly alerts: { list(accountId: string): Promise<readonly AlertRecord[]> };
  readonly grants: { list(accountId: string, limit: number): Promise<readonly GrantRecord[]> };
  readonly billing: { sales(accountId: string, limit: number): Promise<readonly { readonly url: string | null }[]> };
  readonly watches: { list(accountId: string, mostEnded: number): Promise<readonly WatchRecord[]> };
  readonly requestLog: Pick<RequestLog, 'list'>;
  readonly clock: Clock;
}

type Line = Readonly<Record<string, unknown>> & { readonly type: string };
type Mode = 'live' | 'test';

interface Reading extends ExportSources {
  readonly signal: AbortSignal;
  /** Kinds of rows that were cut off because there are too many. */
  readonly cut: string[];
}

/**
 * Everything that Perch keeps for an account and its test account, one JSON object a line, readable by people and
 * programs. Amounts are in credits. The last line says whether the data is complete; a file without that line was cut
 * off.
 */
export async function* exportLines(
  account: AccountRecord,
  sources: ExportSources,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for await (const line of exported(account, { ...sources, signal, cut: [] })) yield `${JSON.stringify(line)}\n`;
}

async function* exported(account: AccountRecord, reading: Reading): AsyncGenerator<Line> {
  const { accounts, clock, cut } = reading;
  const { accountId } = account;
  yield { type: 'export', at: new Date(clock.now()).toISOString(), account_id: accountId };
  const testId = await accounts.testAccount(accountId);
  const test = testId === undefined ? undefined : await accounts.get(testId);
  yield* accountLines('live', account, reading);
  if (test !== undefined) yield* accountLines('test', test, reading);
  yield* customerLines(accountId, reading);
  yield* activityLines('live', accountId, reading);
  if (testId !== undefined) yield* activityLines('test', testId, reading);
  yield { type: 'end', left_out: cut };
}

async function* accountLines(mode: Mode, account: AccountRecord, reading: Reading): AsyncGenerator<Line> {
  const { accountId, name, email, balance, paidUsd, frozen } = account;
  const money = { balance: toCredits(balance), paid_usd: paidUsd };
  yield { type: 'account', mode, account_id: accountId, name, email, ...money, frozen };
  for (const key of noted('key', await reading.accounts.keys(accountId, MOST_ROWS), reading)) {
    const cap = key.cap && {
      period: key.cap.period,
      amount: toCredits(key.cap.amount),
      spent: toCredits(key.cap.spent),
    };
    yield { type: 'key', mode, ...key, spent: toCredits(key.spent), cap };
  }
  for (const { accountId: _, ...watch } of noted('watch', await reading.watches.list(accountId, MOST_ROWS), reading)) {
    const dailyLimit = watch.dailyLimit === null ? null : toCredits(watch.dailyLimit);
    const [spent, spentToday] = [toCredits(watch.spent), toCredits(watch.spentToday)];
    yield { type: 'watch', mode, ...watch, dailyLimit, spent, spentToday };
  }
}

/** Rows that exist once per customer, not once per mode. */
async function* customerLines(accountId: string, reading: Reading): AsyncGenerator<Line> {
  const { members, alerts, grants, billing, auditLog, signal } = reading;
  for (const member of await members.list(accountId)) yield { type: 'member', ...member };
  for (const invitation of await members.invitations(accountId)) yield { type: 'invitation', ...invitation };
  for (const alert of await alerts.list(accountId)) yield { type: 'alert', ...alert, amount: toCredits(alert.amount) };
  for (const { cap: _, ...grant } of noted('app', await grants.list(accountId, MOST_ROWS), reading)) {
    yield { type: 'app', ...grant, spent: toCredits(grant.spent) };
  }
  const sales = noted('purchase', await billing.sales(accountId, MOST_ROWS), reading);
  for (const { url: _, ...sale } of sales) yield { type: 'purchase', ...sale };
  const changes = await auditLog.list(accountId, MOST_ROWS, signal);
  for (const event of noted('change', changes, reading)) yield { type: 'change', ...event };
}

/** Charges and requests of one mode. */
async function* activityLines(mode: Mode, accountId: string, reading: Reading): AsyncGenerator<Line> {
  const { ledger, requestLog, signal } = reading;
  for (const entry of noted('entry', await ledger.statement(accountId, MOST_ROWS, signal), reading)) {
    const [amount, balanceAfter] = [toCredits(entry.amount), toCredits(entry.balanceAfter)];
    yield { type: 'entry', mode, ...entry, amount, balanceAfter };
  }
  for await (const row of usageRows(accountId, reading)) {
    yield { type: 'usage', mode, ...row, amount: toCredits(row.amount) };
  }
  for (const { lines, ...receipt } of await ledger.recent(accountId, RECEIPTS, signal)) {
    const [amount, balanceAfter] = [toCredits(receipt.amount), toCredits(receipt.balanceAfter)];
    const priced = lines.map((line) => ({ ...line, unitPrice: toCredits(line.unitPrice) }));
    yield { type: 'receipt', mode, ...receipt, amount, balanceAfter, lines: priced };
  }
  for (const { accountId: _, ...request } of await requestLog.list(accountId, { limit: MOST_ROWS }, signal)) {
    const at = new Date(request.at).toISOString();
    yield { type: 'request', mode, ...request, at, charged: toCredits(request.charged) };
  }
}

async function* usageRows(accountId: string, { ledger, clock, signal, cut }: Reading): AsyncGenerator<UsageRow> {
  const period = { from: '2000-01-01T00:00:00Z', to: `${utcDay(clock.now() + DAY_MS)}T00:00:00Z`, group: GROUP };
  let last: UsageRow | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const after = last && [last.day ?? '', last.endpoint ?? '', last.keyPrefix ?? ''];
    const rows: readonly UsageRow[] = await ledger.usage(
      accountId,
      { ...period, after, limit: USAGE_PAGE.max },
      signal,
    );
    yield* rows;
    last = rows.at(-1);
    if (rows.length < USAGE_PAGE.max) return;
  }
  cut.push('usage');
}

/** Returns the rows, and notes the kind if there may be more, so that the end of the file says so. */
function noted<Row>(kind: string, rows: readonly Row[], { cut }: Reading): readonly Row[] {
  if (rows.length >= MOST_ROWS && !cut.includes(kind)) cut.push(kind);
  return rows;
}
