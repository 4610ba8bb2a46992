import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ItemCache, itemPrice, UNITS, type Unit } from '../../../src/domain/prices.js';
import { ledgerLines, responseLines } from '../../../src/metering/receipt.js';
import type { ReceiptLine } from '../../../src/ports/ledger.js';

const UNIT_NAMES = Object.keys(UNITS) as Unit[];
const CACHES: readonly ItemCache[] = ['hit', 'miss', 'bypass'];

const names = fc.array(fc.constantFrom('user', 'tweets', 'nodes', 'quoted', 'inReplyTo', 'retweeters'), {
  minLength: 1,
  maxLength: 10,
});
const line = fc
  .record({
    path: names.map((path) => path.join('.')),
    unit: fc.constantFrom(...UNIT_NAMES),
    cache: fc.constantFrom(...CACHES),
    items: fc.integer({ min: 1, max: 99_999 }),
  })
  .map((one): ReceiptLine => ({ ...one, unitPrice: itemPrice(one.unit, one.cache) }));
const receipts = fc.array(line, { maxLength: 300 });

const sumsOf = (lines: readonly ReceiptLine[]) => ({
  items: lines.reduce((sum, { items }) => sum + items, 0),
  amount: lines.reduce((sum, { items, unitPrice }) => sum + items * unitPrice, 0),
  hits: lines.reduce((sum, { items, cache }) => sum + (cache === 'hit' ? items : 0), 0),
});

/** Maps a caller's path to its name in the schema. */
const fieldPaths = (lines: readonly ReceiptLine[]) => new Map(lines.map(({ path }) => [path, path]));

it('keeps any receipt under 1,000 bytes, with the same sums and one line each', () => {
  fc.assert(
    fc.property(receipts, (lines) => {
      const kept = ledgerLines(lines, fieldPaths(lines));
      expect(JSON.stringify(kept).length).toBeLessThan(1_000);
      expect(sumsOf(kept)).toEqual(sumsOf(lines));
      expect(new Set(kept.map(({ path, unit, cache }) => `${path} ${unit} ${cache}`)).size).toBe(kept.length);
    }),
  );
});

it('keeps sums even in the worst case: every unit with every cache label, at many places', () => {
  const lines = Array.from({ length: 20 }, (_, nth) =>
    UNIT_NAMES.flatMap((unit) =>
      CACHES.map((cache): ReceiptLine => {
        const path = Array.from({ length: 9 }, () => 'retweeters').join('.') + nth;
        return { path, unit, cache, items: 999_999, unitPrice: itemPrice(unit, cache) };
      }),
    ),
  ).flat();
  const kept = ledgerLines(lines, fieldPaths(lines));
  expect(JSON.stringify(kept).length).toBeLessThan(1_100);
  expect(sumsOf(kept)).toEqual(sumsOf(lines));
});

/** Lines of twelve kinds at as many paths, each path `width` characters long. */
const wide = (width: number, items = 1): ReceiptLine[] =>
  UNIT_NAMES.flatMap((unit) => CACHES.map((cache) => ({ unit, cache })))
    .slice(0, 12)
    .map(({ unit, cache }, nth) => {
      const path = String.fromCharCode(97 + nth).repeat(width);
      return { path, unit, cache, items, unitPrice: itemPrice(unit, cache) };
    });
const bytesOf = (lines: readonly ReceiptLine[]): number => JSON.stringify(lines).length;
/** The last of these that is small enough. */
const largest = (sizes: readonly ReceiptLine[][]): ReceiptLine[] =>
  sizes.findLast((lines) => bytesOf(lines) < 990) ?? [];

it('separates lines by path up to 999 bytes, and folds them at 1,000', () => {
  const [first, ...rest] = largest(Array.from({ length: 60 }, (_, width) => wide(width + 1))) as [ReceiptLine];
  for (const bytes of [998, 999, 1000, 1001]) {
    const path = first.path + 'z'.repeat(bytes - bytesOf([first, ...rest]));
    const lines = [{ ...first, path }, ...rest];
    expect(bytesOf(lines)).toBe(bytes);
    expect(ledgerLines(lines, fieldPaths(lines)).some((one) => one.path === 'other')).toBe(bytes >= 1000);
  }
});

it('keeps units and cache labels apart when paths do not fit', () => {
  const folded = (items: number) => wide(1, items).map((one) => ({ ...one, path: 'other' }));
  const most = largest(Array.from({ length: 15 }, (_, digits) => folded(10 ** digits)));
  const lines = wide(64, most[0]?.items);
  expect(ledgerLines(lines, fieldPaths(lines))).toEqual(most);
});

it('drops aliases that a caller chose', () => {
  const lines: ReceiptLine[] = [
    { path: 'secret', unit: 'tweet', cache: 'hit', items: 1, unitPrice: 500 },
    { path: 'unknown', unit: 'tweet', cache: 'hit', items: 2, unitPrice: 500 },
  ];
  expect(ledgerLines(lines, new Map([['secret', 'tweet']])).map(({ path }) => path)).toEqual(['tweet', 'other']);
});

it('keeps the first name and the last names of a long path', () => {
  const path = 'user.tweets.nodes.quoted.quoted.quoted.quoted.quoted.quoted.inReplyTo';
  const lines: ReceiptLine[] = [{ path, unit: 'tweet', cache: 'hit', items: 1, unitPrice: 500 }];
  const [kept] = ledgerLines(lines, new Map([[path, path]]));
  expect(kept?.path).toMatch(/^user\.\.\.[\w.]*quoted\.inReplyTo$/);
  expect(kept?.path.length).toBeLessThanOrEqual(64);
});

it('lists at most 115 lines in an answer, and no path over 256 characters', () => {
  const lines = Array.from(
    { length: 300 },
    (_, nth): ReceiptLine => ({
      path: `${nth}${'x'.repeat(30_000)}`,
      unit: 'tweet',
      cache: 'miss',
      items: 1,
      unitPrice: 1000,
    }),
  );
  const shown = responseLines(lines);
  expect(shown).toHaveLength(101);
  expect(Math.max(...shown.map(({ path }) => path.length))).toBe(256);
  expect(sumsOf(shown)).toEqual(sumsOf(lines));
});

const lineAt = (path: string, unit: Unit, cache: ItemCache, amount = 1): ReceiptLine => ({
  ...{ path, unit, cache, items: amount, unitPrice: itemPrice(unit, cache) },
});

it.each([
  [64, true],
  [65, false],
])('leaves a path of %i characters whole in the ledger: %s', (length, whole) => {
  const path = `user.${'q'.repeat(length - 9)}.end`;
  const [kept] = ledgerLines([lineAt(path, 'tweet', 'hit')], new Map([[path, path]]));
  expect(kept?.path).toBe(whole ? path : 'user...end');
});

it('keeps as many last names of a shortened path as fit into 64 characters', () => {
  for (let length = 1; length < 70; length += 1) {
    const path = `user.${'x'.repeat(70)}.${'y'.repeat(length)}.end`;
    const [kept] = ledgerLines([lineAt(path, 'tweet', 'hit')], new Map([[path, path]]));
    const longer = `user...${'y'.repeat(length)}.end`;
    expect(kept?.path).toBe(longer.length <= 64 ? longer : 'user...end');
  }
});

it('keeps the paths of the first lines while there is room, and folds the others under other', () => {
  const lines = Array.from({ length: 40 }, (_, nth) => lineAt(`user.field${nth}`, 'tweet', 'miss', nth + 1));
  const kept = ledgerLines(lines, fieldPaths(lines));
  const named = kept.filter(({ path }) => path !== 'other');
  expect(named).toEqual(lines.slice(0, named.length));
  expect(named.length).toBeGreaterThan(8);
  expect(kept.slice(named.length)).toEqual([
    lineAt(
      'other',
      'tweet',
      'miss',
      lines.slice(named.length).reduce((sum, { items }) => sum + items, 0),
    ),
  ]);
});

it('counts profiles as tweets only if not even one line for each unit and cache label fits', () => {
  const long = `user.${'x'.repeat(55)}.end`;
  const all = UNIT_NAMES.flatMap((unit) => CACHES.map((cache) => lineAt(long, unit, cache, 9)));
  for (let count = 1; count <= all.length; count += 1) {
    const lines = all.slice(0, count);
    const folded = lines.map((one) => ({ ...one, path: 'other' }));
    const fits = JSON.stringify(folded).length < 1_000;
    const kept = ledgerLines(lines, fieldPaths(lines));
    expect(kept.some(({ unit }) => unit === 'profile')).toBe(fits);
    if (!fits) expect(new Set(kept.map(({ path }) => path))).toEqual(new Set(['other']));
  }
});

it.each([
  [100, 100, 0],
  [101, 100, 1],
  [300, 100, 1],
])('of %i lines, shows %i as they are in an answer, and %i for the rest', (count, named, rest) => {
  const lines = Array.from({ length: count }, (_, nth) => lineAt(`field${nth}`, 'tweet', 'hit'));
  const shown = responseLines(lines);
  expect(shown.slice(0, named)).toEqual(lines.slice(0, named));
  expect(shown.slice(named).map(({ path, items }) => [path, items])).toEqual(
    Array.from({ length: rest }, () => ['other', count - named]),
  );
});

it('does not fold lines of the same path in an answer that shows all of them', () => {
  const lines = [lineAt('field', 'tweet', 'hit'), lineAt('field', 'tweet', 'hit')];
  expect(responseLines(lines)).toEqual(lines);
});

it.each([
  [256, 256, false],
  [257, 256, true],
])('shows a path of %i characters with %i', (length, shown, clipped) => {
  const [line] = responseLines([lineAt('p'.repeat(length), 'tweet', 'hit')]);
  expect(line?.path).toHaveLength(shown);
  expect(line?.path.endsWith('…')).toBe(clipped);
});
