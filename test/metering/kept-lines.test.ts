import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ItemCache, priceOf, UNITS, type Unit } from '../../src/core/prices.js';
import { ledgerLines, responseLines } from '../../src/metering/receipt-lines.js';
import type { ReceiptLine } from '../../src/ports/ledger.js';

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
  .map((one): ReceiptLine => ({ ...one, unitPrice: priceOf(one.unit, one.cache) }));
const receipts = fc.array(line, { maxLength: 300 });

const sumsOf = (lines: readonly ReceiptLine[]) => ({
  items: lines.reduce((sum, { items }) => sum + items, 0),
  amount: lines.reduce((sum, { items, unitPrice }) => sum + items * unitPrice, 0),
  hits: lines.reduce((sum, { items, cache }) => sum + (cache === 'hit' ? items : 0), 0),
});

/** A caller's path, and what the schema calls it. */
const fieldPaths = (lines: readonly ReceiptLine[]) => new Map(lines.map(({ path }) => [path, path]));

it('whatever was asked: under 1,000 bytes, the same sums, one line each', () => {
  fc.assert(
    fc.property(receipts, (lines) => {
      const kept = ledgerLines(lines, fieldPaths(lines));
      expect(JSON.stringify(kept).length).toBeLessThan(1_000);
      expect(sumsOf(kept)).toEqual(sumsOf(lines));
      expect(new Set(kept.map(({ path, unit, cache }) => `${path} ${unit} ${cache}`)).size).toBe(kept.length);
    }),
  );
});

it('the very worst: every unit in every way of coming by it, at many places', () => {
  const lines = Array.from({ length: 20 }, (_, nth) =>
    UNIT_NAMES.flatMap((unit) =>
      CACHES.map((cache): ReceiptLine => {
        const path = Array.from({ length: 9 }, () => 'retweeters').join('.') + nth;
        return { path, unit, cache, items: 999_999, unitPrice: priceOf(unit, cache) };
      }),
    ),
  ).flat();
  const kept = ledgerLines(lines, fieldPaths(lines));
  expect(JSON.stringify(kept).length).toBeLessThan(1_100);
  expect(sumsOf(kept)).toEqual(sumsOf(lines));
});

it('what a caller called a field is not kept', () => {
  const lines: ReceiptLine[] = [
    { path: 'secret', unit: 'tweet', cache: 'hit', items: 1, unitPrice: 500 },
    { path: 'unknown', unit: 'tweet', cache: 'hit', items: 2, unitPrice: 500 },
  ];
  expect(ledgerLines(lines, new Map([['secret', 'tweet']])).map(({ path }) => path)).toEqual(['tweet', 'other']);
});

it('a long path keeps its first name and the last ones', () => {
  const path = 'user.tweets.nodes.quoted.quoted.quoted.quoted.quoted.quoted.inReplyTo';
  const lines: ReceiptLine[] = [{ path, unit: 'tweet', cache: 'hit', items: 1, unitPrice: 500 }];
  const [kept] = ledgerLines(lines, new Map([[path, path]]));
  expect(kept?.path).toMatch(/^user\.\.\.[\w.]*quoted\.inReplyTo$/);
  expect(kept?.path.length).toBeLessThanOrEqual(64);
});

it('an answer tells at most 115 lines, and no path over 256 characters', () => {
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
