import { type Thousandths, toCredits } from '../../../../src/domain/credits.js';
import type { Mode } from '../../../../src/domain/mode.js';
import { itemPrice, type Unit } from '../../../../src/domain/prices.js';
import { TIERS } from '../../../../src/domain/tiers.js';
import type { AccountRecord, KeyRecord } from '../../../../src/ports/accounts.js';
import type { Receipt, StatementEntry } from '../../../../src/ports/ledger.js';
import type { ChartData } from '../../charts/chart-data.js';
import type { DashboardLayout } from '../frame/dashboard-page.js';

/** The parts of the overview that change with each paid request. */
export interface LiveModel {
  readonly account: AccountRecord;
  readonly mode: Mode;
  readonly mail: boolean;
  /** The most recent paid requests. */
  readonly recent: readonly Receipt[];
  /** The latest incoming credits, or null for an account that never had any. */
  readonly lastTopUp: StatementEntry | null;
  /** Null if the customer has hidden them, or cannot take them because the account is frozen. */
  readonly steps: FirstSteps | null;
}

/** Which steps from a new account to live reads are done. */
export interface FirstSteps {
  readonly hasTestKey: boolean;
  /** Whether anything was read, in either mode. */
  readonly hasRead: boolean;
  readonly hasCredits: boolean;
  readonly hasLiveKey: boolean;
  /** Whether live reads were made, or could be made now. */
  readonly isLive: boolean;
}

export const ALL_TAKEN: FirstSteps = {
  ...{ hasTestKey: true, hasRead: true, hasCredits: true, hasLiveKey: true, isLive: true },
};

/** Whether there is a step left to take. A customer who reads live needs no test key. */
export const isBeginning = (steps: FirstSteps | null): steps is FirstSteps =>
  steps !== null && !(steps.hasRead && steps.isLive);

export interface OverviewModel extends LiveModel {
  readonly layout: DashboardLayout;
  readonly keys: readonly KeyRecord[];
  readonly network: string;
  /** Whether packs can be bought by card. */
  readonly sells: boolean;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly nowMs: number;
  /** First and last day of the chart. */
  readonly range: { readonly from: string; readonly to: string };
  readonly usage: ChartData;
}

/** How many units, or pages of `perPage` units, a balance buys at full price. */
export const buys = (balance: Thousandths, unit: Unit, perPage = 1): number =>
  Math.floor(balance / (itemPrice(unit, 'miss') * perPage));

/** Profiles on a full page of followers. */
export const FOLLOWERS_PER_PAGE = 200;

/** The balance counts as low below this share of what it was after the last top-up. */
const LOW = 0.2;

export type Funds = 'good' | 'low' | 'empty';

export function fundsLevel({ account, lastTopUp }: Pick<LiveModel, 'account' | 'lastTopUp'>): Funds {
  if (account.balance <= 0) return 'empty';
  return lastTopUp !== null && account.balance < lastTopUp.balanceAfter * LOW ? 'low' : 'good';
}

/** With fewer days of use, a forecast would be chance. */
const FEWEST_DAYS = 3;
const WEEK = 7;

/** How long a balance lasts. */
export interface Forecast {
  readonly days: number;
  /** The number of days whose rate it assumes: seven, or fewer for a younger account. */
  readonly from: number;
}

/** Null if nothing was spent in the last seven days, or the first use is less than three days ago. `usage` is daily. */
export function forecastSpending(balance: Thousandths, usage: ChartData): Forecast | null {
  const spent = usage.bars.map((_, day) => usage.series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0));
  const first = spent.findIndex((credits) => credits > 0);
  const from = Math.min(WEEK, spent.length - first);
  const lately = spent.slice(-WEEK).reduce((sum, credits) => sum + credits, 0);
  if (first < 0 || from < FEWEST_DAYS || lately === 0) return null;
  return { days: Math.floor(toCredits(balance) / (lately / from)), from };
}

export interface Standing {
  /** The account's rate, whether from its tier or from an operator. */
  readonly qps: number;
  /** Whether an operator set it, instead of the tier. */
  readonly special: boolean;
  /** What is still to be paid for the next tier, and its rate; null at the top. */
  readonly next: { readonly moreUsd: number; readonly requestsPerSecond: number } | null;
}

export function rateStanding({ paidUsd, qps }: Pick<AccountRecord, 'paidUsd' | 'qps'>): Standing {
  const reached = TIERS.filter((tier) => paidUsd >= tier.paidUsd).at(-1);
  const next = TIERS.find((tier) => tier.paidUsd > paidUsd);
  return {
    qps,
    special: reached?.requestsPerSecond !== qps,
    next: next === undefined ? null : { moreUsd: next.paidUsd - paidUsd, requestsPerSecond: next.requestsPerSecond },
  };
}
