import { toCredits } from '../core/credits.js';
import { DAY_MS } from '../core/durations.js';
import { badRequest, ServiceError } from '../core/errors.js';
import { USAGE_PAGE } from '../core/fields.js';
import { quoted } from '../core/shown.js';
import { HOURLY_DAYS, USAGE_GROUPS, type UsageGroup } from '../core/usage.js';
import { isUuid } from '../core/uuid.js';
import type { Clock } from '../ports/clock.js';
import type { Caller, Ledger, Receipt, UsageRow } from '../ports/truth.js';
import { FIRST_DAY, isDay, LAST_DAY } from './days.js';
import { readUsageCursor, usageCursor } from './usage-cursor.js';

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
  /** Rows: the schema checks how many. */
  readonly count?: number | null | undefined;
  readonly after?: string | null | undefined;
}

export interface UsagePage {
  readonly nodes: readonly UsageRow[];
  /** Null on the last page. */
  readonly endCursor: string | null;
}

/** The caller's own account: everything here is free and works with an empty wallet (M14, M21). */
export class Account {
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  readonly #caller: Caller;
  readonly #signal: AbortSignal;

  /** `signal` fires when the caller is gone, and at the deadline. */
  constructor(ledger: Ledger, clock: Clock, caller: Caller, signal: AbortSignal) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#caller = caller;
    this.#signal = signal;
  }

  async me(): Promise<Me> {
    const { accountId, walletId, keyId, keyPrefix, qps } = this.#caller;
    const { balance } = await this.#ledger.balance(walletId, keyId);
    return { customerId: accountId, keyPrefix, balance: toCredits(balance), rateLimitQps: qps };
  }

  /** Paid requests of the account (W12): the first 1,000 rows. Throws as `usagePage`. */
  async usage(params: UsageParams): Promise<readonly UsageRow[]> {
    return (await this.usagePage({ ...params, count: USAGE_PAGE.initial, after: null })).nodes;
  }

  /**
   * A page of paid requests (W12). Throws `bad_request` on a date, group or cursor that is none and on hours that are not kept
   * any more, `upstream_rate_limited` while the account has too many questions at work, `upstream_error` when it takes too long.
   */
  async usagePage(params: UsageParams): Promise<UsagePage> {
    const group = groups(params.group ?? 'day');
    const { from, to } = this.#range(params, group.includes('hour'));
    const question = [params.from ?? '', params.to ?? '', group].join(' ');
    const after = params.after == null ? undefined : readUsageCursor(question, group, params.after);
    // The ledger counts up to a moment; the caller means the whole of the last day.
    const end = new Date(Date.parse(to) + DAY_MS).toISOString();
    const count = params.count ?? USAGE_PAGE.initial;
    const asked = { from: `${from}T00:00:00Z`, to: end, group, after, limit: count + 1 };
    const rows = await this.#ledger.usage(this.#caller.accountId, asked, this.#signal);
    const nodes = rows.slice(0, count);
    const last = nodes.at(-1);
    return { nodes, endCursor: rows.length > count && last ? usageCursor(question, group, last) : null };
  }

  #range(params: UsageParams, byHour: boolean): { from: string; to: string } {
    const today = dayOf(this.#clock.now());
    const to = day(params.to, 'to') ?? today;
    const kept = dayOf(Date.parse(today) - (HOURLY_DAYS - 1) * DAY_MS);
    const usual = byHour ? kept : dayOf(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS);
    const from = day(params.from, 'from') ?? usual;
    if (byHour && (from < kept || to < kept)) {
      const [param, text] = from < kept ? ['from', from] : ['to', to];
      const why = `Hourly usage is kept for ${HOURLY_DAYS} days, currently since ${kept}: ${param} can't be ${text}.`;
      throw badRequest(`${why} Group by day for older usage.`, param);
    }
    if (from > to) throw badRequest(`from (${from}) must not be later than to (${to}).`, 'from');
    return { from, to };
  }

  /** One request's receipt; throws `not_found` when this account paid for none under that id. */
  async receipt(requestId: string): Promise<Receipt> {
    const { accountId } = this.#caller;
    const receipt = isUuid(requestId) ? await this.#ledger.receipt(accountId, requestId, this.#signal) : undefined;
    if (receipt) return receipt;
    throw new ServiceError(
      'not_found',
      'This account has no paid request with that id. Free requests have no receipt.',
    );
  }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

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
