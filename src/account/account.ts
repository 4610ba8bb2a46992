import { toCredits } from '../core/credits.js';
import { DAY_MS } from '../core/durations.js';
import { badRequest, ServiceError } from '../core/errors.js';
import { isUuid } from '../core/uuid.js';
import type { Clock } from '../ports/clock.js';
import type { Caller, Ledger, Receipt, UsageGroup, UsageRow } from '../ports/truth.js';
import { FIRST_DAY, isDay, LAST_DAY } from './days.js';

const DEFAULT_DAYS = 30;
const GROUPS: readonly UsageGroup[] = ['day', 'endpoint', 'key'];

export interface Me {
  readonly customerId: string;
  readonly keyPrefix: string;
  /** Credits. */
  readonly balance: number;
  readonly rateLimitQps: number;
}

export interface UsageAsk {
  /** RFC 3339 date, the first day, UTC. */
  readonly from?: string | null | undefined;
  /** RFC 3339 date, the last day, UTC. */
  readonly to?: string | null | undefined;
  /** Comma-separated: day, endpoint, key. */
  readonly group?: string | null | undefined;
}

/** The caller's own account: everything here is free and works with an empty wallet (M14, M21). */
export class Account {
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  readonly #caller: Caller;

  constructor(ledger: Ledger, clock: Clock, caller: Caller) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#caller = caller;
  }

  async me(): Promise<Me> {
    const { accountId, walletId, keyId, keyPrefix, qps } = this.#caller;
    const { balance } = await this.#ledger.balance(walletId, keyId);
    return { customerId: accountId, keyPrefix, balance: toCredits(balance), rateLimitQps: qps };
  }

  /** Paid requests of the account (W12). Throws `bad_request` on a date or group that is none. */
  usage(ask: UsageAsk): Promise<UsageRow[]> {
    const today = new Date(this.#clock.now()).toISOString().slice(0, 10);
    const to = day(ask.to, 'to') ?? today;
    const from =
      day(ask.from, 'from') ?? new Date(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
    if (from > to) throw badRequest(`from (${from}) is after to (${to}).`, 'from');
    // The ledger counts up to a moment; the caller means the whole of the last day.
    const end = new Date(Date.parse(to) + DAY_MS).toISOString();
    const group = groups(ask.group ?? 'day');
    return this.#ledger.usage(this.#caller.accountId, { from: `${from}T00:00:00Z`, to: end, group });
  }

  /** One request's receipt; throws `not_found` when this account paid for none under that id. */
  async receipt(requestId: string): Promise<Receipt> {
    const receipt = isUuid(requestId) ? await this.#ledger.receipt(this.#caller.accountId, requestId) : undefined;
    if (receipt) return receipt;
    throw new ServiceError(
      'not_found',
      'This account has no paid request under that id. Free requests leave no receipt.',
    );
  }
}

function day(text: string | null | undefined, param: string): string | undefined {
  if (text === null || text === undefined) return undefined;
  if (isDay(text)) return text;
  const right = `a date such as 2026-11-21 (UTC), from ${FIRST_DAY} to ${LAST_DAY}`;
  throw badRequest(`${param} must be ${right}, not ${JSON.stringify(text)}.`, param);
}

function groups(text: string): UsageGroup[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  for (const name of names) {
    if (!GROUPS.some((group) => group === name)) {
      throw badRequest(`group takes ${GROUPS.join(', ')} in any combination, not ${JSON.stringify(name)}.`, 'group');
    }
  }
  return GROUPS.filter((group) => names.includes(group));
}
