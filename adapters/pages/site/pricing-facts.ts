import { type Thousandths, toCredits } from '../../../src/domain/credits.js';
import { LIST_READS } from '../../../src/domain/lists.js';
import { itemPrice, UNITS, type Unit } from '../../../src/domain/prices.js';
import { PACKS, type Pack, usdPer1000 } from '../../../src/domain/tiers.js';
import { quoted } from '../../../src/lib/text.js';
import { ignoredParameters } from '../../http/request.js';

const UNIT_NAMES = Object.keys(UNITS) as Unit[];

/** Credits per item, by how it was obtained. */
export interface PriceRow {
  readonly unit: Unit;
  readonly items: string;
  readonly miss: number;
  readonly hit: number;
  readonly bypass: number;
}

export const priceRows = (): PriceRow[] =>
  UNIT_NAMES.map((unit) => ({
    unit,
    items: UNITS[unit].items,
    miss: toCredits(itemPrice(unit, 'miss')),
    hit: toCredits(itemPrice(unit, 'hit')),
    bypass: toCredits(itemPrice(unit, 'bypass')),
  }));

export const packRows = () =>
  PACKS.map(({ name, usd, credits, ...pack }) => ({
    ...{ name, usd, credits },
    usd_per_1000: usdPer1000({ name, usd, credits, ...pack } as Pack),
    requests_per_second: pack.requestsPerSecond,
  }));

/** What one page of each list costs in credits, at its usual size and at its largest. */
export const pageRows = () =>
  LIST_READS.map(({ tool, unit, size }) => ({
    title: tool.title,
    each: toCredits(itemPrice(unit, 'miss')),
    usual: { count: size.initial, credits: toCredits(itemPrice(unit, 'miss') * size.initial) },
    largest: { count: size.max, credits: toCredits(itemPrice(unit, 'miss') * size.max) },
  }));

/** Items of each kind that are read in a month. */
type Items = Readonly<Partial<Record<Unit, number>>>;

/** What reading costs a month, and the pack to buy for it. */
export interface Month {
  readonly credits: number;
  /** Null if nothing is read. */
  readonly buy: {
    readonly pack: Pack;
    /** How many of the pack to buy; more than one only of the largest pack. */
    readonly count: number;
    /** How many months their credits last, rounded down to a tenth. */
    readonly months: number;
  } | null;
}

const LARGEST = PACKS.reduce<Pack>((largest, pack) => (pack.credits > largest.credits ? pack : largest), PACKS[0]);

/** The smallest pack that is enough for a month, or enough of the largest pack. Assumes that no item is cached. */
export function monthOf(items: Items): Month {
  const amount = UNIT_NAMES.reduce<Thousandths>((sum, unit) => sum + (items[unit] ?? 0) * itemPrice(unit, 'miss'), 0);
  const credits = toCredits(amount);
  if (credits === 0) return { credits, buy: null };
  const pack = PACKS.find((each) => each.credits >= credits) ?? LARGEST;
  const count = Math.ceil(credits / pack.credits);
  return { credits, buy: { pack, count, months: Math.floor((10 * count * pack.credits) / credits) / 10 } };
}

const DAYS = 30;

/** Typical uses, and what each reads in a month. */
const USES: readonly { readonly what: string; readonly items: Items }[] = [
  {
    what: 'Read 10 accounts: profile and 20 newest tweets, every six hours',
    items: { profile: DAYS * 40, tweet: DAYS * 800 },
  },
  { what: 'Follow 10 accounts that post ten times a day: every new tweet', items: { tweet: DAYS * 100 } },
  { what: 'Search for a name every hour, 20 results each', items: { tweet: DAYS * 480 } },
  { what: 'List 100,000 followers once a month, ids only', items: { follower_id: 100_000 } },
];

export const monthRows = (): (Month & { readonly what: string })[] =>
  USES.map(({ what, items }) => ({ what, ...monthOf(items) }));

/** Enough for any reader; sums of such numbers are still exact. */
const MOST_ITEMS = 1_000_000_000;

/** A field of the calculator, as filled in. */
export interface CalculatorField {
  readonly unit: Unit;
  readonly text: string;
  readonly error: string | null;
}

export interface Calculation {
  readonly fields: readonly CalculatorField[];
  readonly per: keyof typeof TIMES_A_MONTH;
  /** Null while a field is wrong. */
  readonly month: Month | null;
  /** Warnings about parameters that the calculator does not have. */
  readonly warnings: readonly string[];
}

/** The periods that a number of items may refer to, with how many of them make a month. */
export const TIMES_A_MONTH = { day: DAYS, month: 1 } as const;

/** A number, with or without thousands separators; null if the text is not one. */
function itemsIn(text: string): number | null {
  if (!/^(?:[0-9]{0,10}|[0-9]{1,3}(?:[, ][0-9]{3}){1,3})$/.test(text)) return null;
  const items = Number(text.replaceAll(/[, ]/g, ''));
  return items <= MOST_ITEMS ? items : null;
}

/** What the calculator shows for a query; without one, the first of the typical uses. */
export function calculate(query: Readonly<Record<string, unknown>>): Calculation {
  const per = query.per === 'month' ? 'month' : 'day';
  const hasInput = UNIT_NAMES.some((unit) => query[unit] !== undefined);
  const [example] = USES;
  const inputs = UNIT_NAMES.map((unit) => {
    const text = hasInput
      ? String(query[unit] ?? '').trim()
      : String((example?.items[unit] ?? 0) / TIMES_A_MONTH[per] || '');
    return { unit, text, items: itemsIn(text) };
  });
  const fields = inputs.map(({ unit, text, items }) => ({
    ...{ unit, text },
    error:
      items === null
        ? `${quoted(text)} is not a whole number of items from 0 to ${MOST_ITEMS.toLocaleString('en-US')}.`
        : null,
  }));
  const isWrong = inputs.some(({ items }) => items === null);
  const month = monthOf(Object.fromEntries(inputs.map(({ unit, items }) => [unit, (items ?? 0) * TIMES_A_MONTH[per]])));
  const warnings = ignoredParameters(
    Object.keys(query).filter((name) => name !== 'per' && !Object.hasOwn(UNITS, name)),
  );
  return { fields, per, month: isWrong ? null : month, warnings };
}

/** `GET /pricing` for a program, with the same query as the calculator. */
export const pricingFacts = ({ month, warnings }: Calculation) => ({
  currency: 'USD',
  prices: priceRows(),
  packs: packRows(),
  month:
    month === null
      ? null
      : {
          credits: month.credits,
          buy: month.buy && { pack: month.buy.pack.name, count: month.buy.count, months: month.buy.months },
        },
  ...(warnings.length > 0 && { warnings }),
});
