import { toCredits } from '../domain/credits.js';
import { badRequest, ServiceError } from '../domain/errors.js';
import { USAGE_PAGE } from '../domain/fields.js';
import { HOURLY_DAYS, USAGE_GROUPS, type UsageGroup } from '../domain/usage.js';
import { DAY_MS, utcDay } from '../lib/durations.js';
import { quoted } from '../lib/text.js';
import { isUuid } from '../lib/uuid.js';
import type { Caller } from '../ports/accounts.js';
import type { Clock } from '../ports/clock.js';
import type { Ledger, Receipt, UsageRow } from '../ports/ledger.js';
import { FIRST_DAY, isDay, LAST_DAY, readUsageCursor, usageCursor } from './usage-cursor.js';

const DEFAULT_DAYS = 30;

export interface Me {
  readonly customerId: string;
  readonly keyPrefix: string;
  /** Credits. */
  readonly balance: number;
  readonly rateLimitQps: number;
}

export interface UsageParams {
  /** RFC 3339 date, the first day, UTC. */
  readonly from?: string | null | undefined;
  /** RFC 3339 date, the last day, UTC. */
  readonly to?: string | null | undefined;
  /** Comma-separated: day, hour, endpoint, key. */
  readonly group?: string | null | undefined;
  /** Number of rows; the schema checks the bounds. */
  readonly count?: number | null | undefined;
  readonly after?: string | null | undefined;
}

export interface UsagePage {
  readonly nodes: readonly UsageRow[];
  /** Null on the last page. */
  readonly endCursor: string | null;
  /** The time up to which the figures are complete; null: up to the answer. */
  readonly asOf: string | null;
}

export interface AccountOptions {
  readonly ledger: Pick<Ledger, 'balance' | 'usage' | 'receipt' | 'archivedMonth'>;
  readonly clock: Clock;
  readonly caller: Caller;
  /** Fires when the caller disconnects, and at the deadline. */
  readonly signal: AbortSignal;
  /** Called with the number of values about to be added to the answer. */
  readonly completing: (values: number) => void;
}

/** The caller's own account, for one operation: everything here is free and works with an empty wallet (M14, M21). */
export class Account {
  readonly #ledger: AccountOptions['ledger'];
  readonly #clock: Clock;
  readonly #caller: Caller;
  readonly #signal: AbortSignal;
  readonly #completing: (values: number) => void;
  /** Rows returned by its usage fields. */
  #rows = 0;
  /** Ends the usage fields still being read once there are too many rows; undefined for an operation without any. */
  #usage: { readonly tooMany: AbortController; readonly signal: AbortSignal } | undefined;

  constructor({ ledger, clock, caller, signal, completing }: AccountOptions) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#caller = caller;
    this.#signal = signal;
    this.#completing = completing;
  }

  async me(): Promise<Me> {
    const { accountId, keyPrefix, qps } = this.#caller;
    const { balance } = await this.#ledger.balance(this.#caller);
    return { customerId: accountId, keyPrefix, balance: toCredits(balance), rateLimitQps: qps };
  }

  /** All rows of paid requests. Throws as `usagePage` does, and `bad_request` if they do not fit on a page. */
  async usage(params: UsageParams, fields: number): Promise<readonly UsageRow[]> {
    const { nodes, endCursor } = await this.usagePage({ ...params, count: USAGE_PAGE.max, after: null }, fields);
    if (endCursor === null) return nodes;
    const most = USAGE_PAGE.max.toLocaleString('en-US');
    throw badRequest(
      `The result has more than ${most} rows: use usagePage to get them page by page, or request fewer days or groups.`,
    );
  }

  /**
   * A page of paid requests. Throws `bad_request` on an invalid date, group or cursor, on hours that are no
   * longer kept, and if the operation has more than 1,000 rows in all; `upstream_rate_limited` while the account has
   * too many queries running; `upstream_error` if it takes too long. `fields`: how many fields of each row are
   * selected.
   */
  async usagePage(params: UsageParams, fields: number): Promise<UsagePage> {
    const group = groups(params.group ?? 'day');
    const { from, to } = this.#range(params, group.includes('hour'));
    const query = [params.from ?? '', params.to ?? '', group].join(' ');
    const after = params.after == null ? undefined : readUsageCursor(query, group, params.after);
    // The ledger's range excludes its end; the caller's includes the whole last day.
    const end = new Date(Date.parse(to) + DAY_MS).toISOString();
    const count = params.count ?? USAGE_PAGE.initial;
    const request = { from: `${from}T00:00:00Z`, to: end, group, after, limit: count + 1 };
    const rows = await this.#ledger.usage(this.#caller.accountId, request, this.#usageSignal());
    const nodes = rows.slice(0, count);
    this.#completing(nodes.length * fields);
    this.#count(nodes.length);
    const last = nodes.at(-1);
    const endCursor = rows.length > count && last ? usageCursor(query, group, last) : null;
    return { nodes, endCursor, asOf: rows.asOf?.toISOString() ?? null };
  }

  #usageSignal(): AbortSignal {
    if (this.#usage === undefined) {
      const tooMany = new AbortController();
      this.#usage = { tooMany, signal: AbortSignal.any([this.#signal, tooMany.signal]) };
    }
    return this.#usage.signal;
  }

  /** Throws if one operation has more rows than any page may have, and ends its other usage fields. */
  #count(rows: number): void {
    this.#rows += rows;
    if (this.#rows <= USAGE_PAGE.max) return;
    const most = USAGE_PAGE.max.toLocaleString('en-US');
    const refusal = badRequest(
      `One operation can return at most ${most} rows of usage in all its fields together. Request fewer days, fewer groups or smaller pages, or send several operations.`,
    );
    this.#usage?.tooMany.abort(refusal);
    throw refusal;
  }

  #range(params: UsageParams, byHour: boolean): { from: string; to: string } {
    const today = utcDay(this.#clock.now());
    const to = day(params.to, 'to') ?? today;
    const kept = utcDay(Date.parse(today) - (HOURLY_DAYS - 1) * DAY_MS);
    const usual = byHour ? kept : utcDay(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS);
    const from = day(params.from, 'from') ?? usual;
    if (byHour && (from < kept || to < kept)) {
      const [param, text] = from < kept ? ['from', from] : ['to', to];
      const why = `Hourly usage is kept for ${HOURLY_DAYS} days, currently since ${kept}: ${param} can't be ${text}.`;
      throw badRequest(`${why} Group by day for older usage.`, param);
    }
    if (from > to) throw badRequest(`from (${from}) must not be later than to (${to}).`, 'from');
    return { from, to };
  }

  /** One request's receipt; throws `not_found` if this account has no paid request with that id. */
  async receipt(requestId: string): Promise<Receipt> {
    const { accountId } = this.#caller;
    if (!isUuid(requestId)) throw noReceipt();
    const receipt = await this.#ledger.receipt(accountId, requestId, this.#signal);
    if (receipt) return receipt;
    throw noReceipt(await this.#ledger.archivedMonth(accountId, requestId, this.#signal));
  }
}

/** `archived`: the month of the request, if its receipts are archived. */
const noReceipt = (archived?: string): ServiceError =>
  new ServiceError(
    'not_found',
    archived === undefined
      ? 'This account has no paid request with that id. Free requests have no receipt.'
      : `Receipts of ${archived} are archived and no longer kept here. Usage still includes their requests.`,
  );

function day(text: string | null | undefined, param: string): string | undefined {
  if (text === null || text === undefined) return undefined;
  if (isDay(text)) return text;
  const right = `a date such as 2026-11-21 (UTC), from ${FIRST_DAY} to ${LAST_DAY}`;
  throw badRequest(`${param} must be ${right}, not ${quoted(text)}.`, param);
}

function groups(text: string): UsageGroup[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  for (const name of names) {
    if (!USAGE_GROUPS.some((group) => group === name)) {
      const right = USAGE_GROUPS.join(', ');
      throw badRequest(`group must be any combination of ${right}, not ${quoted(name)}.`, 'group');
    }
  }
  return USAGE_GROUPS.filter((group) => names.includes(group));
}
