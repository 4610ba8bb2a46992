import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServiceError } from '../../../src/domain/errors.js';
import { unitOfList } from '../../../src/domain/lists.js';
import { itemPrice } from '../../../src/domain/prices.js';
import type { Page } from '../../../src/read/reads.js';
import type { ListShape } from '../../kit/networks/list-network.js';
import { type Chain, call, follow, kinds, newestFirst, type Step, startChain, steps } from './chains.js';

const RUNS = { numRuns: 100 };

/** What a network that bills by item accepts, from one item at a time to the whole list. */
const bounds = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 40 }))
  .map(([least, more]) => ({ least, most: least + Math.max(more, 8 - least) }));

const shapes = (kind: fc.Arbitrary<Pick<ListShape, 'kind' | 'product'>>) =>
  fc
    .record({
      kind,
      items: fc.integer({ min: 0, max: 80 }),
      tokens: fc.constantFrom<ListShape['tokens']>('keyset', 'offset'),
      nextIsCertain: fc.boolean(),
      end: fc.constantFrom<'none' | 'dangling'>('none', 'dangling'),
      repeated: fc.constantFrom(0, 0, 1, 3),
      tied: fc.constantFrom(1, 2),
    })
    .map(({ kind: of, ...shape }): ListShape => ({ ...shape, ...of, pageSizes: [7] }));

/** Every so many items, one is billed and not shown. */
const hidden = fc.constantFrom(undefined, 2, 3, 7);

const EXAMPLE: ListShape = { kind: 'timeline', items: 27, pageSizes: [7], tokens: 'keyset', repeated: 3 };

const step = (count: number, before: Step['before'] = 'nothing', fresh = false): Step => ({
  ...{ count, before, fresh, offset: 0 },
});

type Callers = [ListShape, { least: number; most: number }, number | undefined, Step[][]];

/** A page is cached while the one before it is not, which is then read again smaller: the third caller’s cursor. */
const repeatedByCachedPage: Callers = [
  EXAMPLE,
  { least: 11, most: 20 },
  undefined,
  [
    [step(5), step(8, 'all dropped'), step(7, 'nothing', true)],
    [step(2), step(2), step(8, 'nothing', true), step(2), step(1)],
    [step(5), step(8, 'all dropped')],
  ],
];

/** The second caller’s page becomes a natural one, with all items of the third caller’s page. */
const cutAgainInNaturalSize: Callers = [
  { ...EXAMPLE, items: 26, repeated: 0 },
  { least: 10, most: 16 },
  undefined,
  [[step(1, 'all dropped')], [step(4, 'nothing', true), step(1)], [step(3), step(8)]],
];

const idsOf = (page: Page): string[] => page.nodes.map(({ id }) => id);

/** What a caller sees of a page and pays for it; the next page shows where the cursor leads. */
const seenOf = (page: Page) => [idsOf(page), page.endCursor !== null, page.truncated, page.endReason, page.charged];

describe('a network that bills by item', () => {
  it('returns the whole list once, in order, exactly `count` at a time, with any mix of cached and fresh reads', async () => {
    await fc.assert(
      fc.asyncProperty(shapes(kinds), bounds, hidden, steps, async (shape, billed, hiddenEach, todo) => {
        const nextIsCertain = shape.nextIsCertain === true && hiddenEach === undefined;
        const chain = startChain({ ...shape, billed, nextIsCertain, ...(hiddenEach && { hiddenEach }) });
        const { ids } = await follow(chain, todo);
        expect(ids).toEqual(chain.list.ids());
      }),
      RUNS,
    );
  });

  it('is not shifted by new items on top, and does not show them (C10)', async () => {
    await fc.assert(
      fc.asyncProperty(shapes(newestFirst), bounds, steps, fc.array(fc.nat(4), { minLength: 1 }), async (...given) => {
        const [shape, billed, todo, news] = given;
        const chain = startChain({ ...shape, billed, tokens: 'keyset', repeated: 0 });
        const expected = chain.list.ids();
        let turn = 0;
        const { ids } = await follow(chain, todo, () => {
          if (turn < 12) chain.list.arrive(news[turn % news.length] ?? 0);
          turn += 1;
        });
        expect(ids).toEqual(expected);
      }),
      RUNS,
    );
  });

  it('gives each of several callers the whole list, though each makes the others’ pages larger or smaller', async () => {
    await fc.assert(
      fc.asyncProperty(
        shapes(kinds),
        bounds,
        hidden,
        fc.array(steps, { minLength: 2, maxLength: 3 }),
        async (...given) => {
          const [shape, billed, hiddenEach, callers] = given;
          const nextIsCertain = shape.nextIsCertain === true && hiddenEach === undefined;
          const chain = startChain({ ...shape, billed, nextIsCertain, ...(hiddenEach && { hiddenEach }) });
          const going = callers.map((todo) => ({ todo, ids: [] as string[], calls: 0, after: null as string | null }));
          for (let left = going; left.length > 0; left = left.filter(({ after }) => after !== null)) {
            for (const caller of left) {
              const page = await call(chain, caller.todo[caller.calls % caller.todo.length] as Step, caller.after);
              caller.ids.push(...idsOf(page));
              caller.after = page.endCursor;
              caller.calls += 1;
            }
          }
          for (const { ids } of going) expect(ids).toEqual(chain.list.ids());
        },
      ),
      { numRuns: 150, examples: [repeatedByCachedPage, cutAgainInNaturalSize] },
    );
  });

  it('answers as with pages of one size, at the same price if nothing or everything is cached', async () => {
    await fc.assert(
      fc.asyncProperty(shapes(kinds), bounds, bounds, steps, async (shape, one, other, todo) => {
        const of = [shape, { ...shape, billed: one }, { ...shape, billed: other }].map(startChain);
        const plain = todo.map((step) => ({ ...step, fresh: false }));
        const cold = await each(of, (chain) => walk(chain, todo, 'all dropped'));
        await each(of, (chain) => walk(chain, plain, 'nothing'));
        const warm = await each(of, (chain) => walk(chain, plain, 'nothing'));
        for (const [natural = [], ...sized] of [cold, warm])
          for (const pages of sized) expect(pages.map(seenOf)).toEqual(natural.map(seenOf));
        expect(warm.flat().every(({ cache }) => cache === 'hit')).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('delivers the same for what is left in the wallet (M1)', async () => {
    await fc.assert(
      fc.asyncProperty(shapes(kinds), bounds, fc.nat(12), fc.integer({ min: 1, max: 10 }), async (...given) => {
        const [shape, billed, payable, count] = given;
        const of = [shape, { ...shape, billed }].map(startChain);
        const [natural, sized] = await each(of, async ({ engine, list: { list } }) => {
          const credits = payable * itemPrice(unitOfList(list), 'miss');
          const read = engine.page({ ...list, count }, credits);
          return read.then(({ page }) => seenOf(page)).catch((error: ServiceError) => error.code);
        });
        expect(sized).toEqual(natural);
      }),
      RUNS,
    );
  });

  it('answers for the delivered items plus one, or the minimum, and later only for the rest', async () => {
    const counts = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 60 }));
    await fc.assert(
      fc.asyncProperty(kinds, counts, fc.integer({ min: 1, max: 10 }), async (kind, [few, more], least) => {
        const { list, engine } = startChain({
          ...{ ...kind, items: 100, pageSizes: [7], tokens: 'keyset' },
          billed: { least, most: 100 },
        });
        const billedFor = async (count: number): Promise<number> => {
          const before = list.billedItems();
          await engine.page({ ...list.list, count });
          return list.billedItems() - before;
        };
        const first = Math.max(least, few + 1);
        expect(await billedFor(few)).toBe(first);
        expect(await billedFor(more)).toBe(more < first ? 0 : Math.min(100 - first, Math.max(least, more + 1 - first)));
        expect(await billedFor(Math.max(few, more))).toBe(0);
      }),
      RUNS,
    );
  });

  it('is read in pages that double as a caller pages on: few calls, and less than three times what is delivered', async () => {
    await fc.assert(
      fc.asyncProperty(kinds, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 300 }), async (...given) => {
        const [kind, count, items] = given;
        const shape: ListShape = {
          ...kind,
          items: 400,
          pageSizes: [7],
          tokens: 'keyset',
          billed: { least: 1, most: 100 },
        };
        const { list, engine } = startChain(shape);
        let after: string | null = null;
        let delivered = 0;
        while (delivered < items) {
          const { page } = await engine.page({ ...list.list, count, after });
          delivered += page.nodes.length;
          after = page.endCursor;
        }
        expect(list.billedItems()).toBeLessThanOrEqual(3 * delivered + 1);
        expect(engine.calls()).toBeLessThanOrEqual(9 + delivered / 50);
      }),
      RUNS,
    );
  });
});

const each = <T>(chains: readonly Chain[], work: (chain: Chain) => Promise<T>): Promise<T[]> =>
  Promise.all(chains.map(work));

/** Follows a chain from start to end, repeating the same calls. */
async function walk(chain: Chain, todo: readonly Step[], before: Step['before']): Promise<Page[]> {
  const pages: Page[] = [];
  let after: string | null = null;
  do {
    const step = todo[pages.length % todo.length] as Step;
    const page: Page = await call(chain, { ...step, before }, after);
    pages.push(page);
    after = page.endCursor;
  } while (after !== null);
  return pages;
}
