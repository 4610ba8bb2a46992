import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ListShape } from '../../kit/networks/list-network.js';
import { follow, kinds, newestFirst, pageSizes, startChain, steps } from './chains.js';

const RUNS = { numRuns: 100 };

const shapes = (kind: fc.Arbitrary<Pick<ListShape, 'kind' | 'product'>>) =>
  fc
    .record({
      kind,
      items: fc.integer({ min: 0, max: 60 }),
      pageSizes,
      tokens: fc.constantFrom<ListShape['tokens']>('keyset', 'offset'),
      nextIsCertain: fc.boolean(),
      end: fc.constantFrom<'none' | 'dangling'>('none', 'dangling'),
      repeated: fc.constantFrom(0, 0, 1, 3),
      tied: fc.constantFrom(1, 2),
    })
    .map(({ kind: of, ...shape }): ListShape => ({ ...shape, ...of }));

describe('a chain of pages', () => {
  it('returns the whole list once, in order, exactly `count` at a time, with any mix of cached and fresh reads', async () => {
    await fc.assert(
      fc.asyncProperty(shapes(kinds), steps, async (shape, todo) => {
        const chain = startChain(shape);
        const { ids, pages } = await follow(chain, todo);
        expect(ids).toEqual(chain.list.ids());
        // C15: only an empty list has an empty page, so every promised page has items.
        if (ids.length > 0) expect(pages.every((page) => page.nodes.length > 0)).toBe(true);
      }),
      RUNS,
    );
  });

  it('shows nothing twice and ends if the network repeats whole pages and goes round in a circle (C11, U22)', async () => {
    const turning = shapes(kinds).chain((shape) =>
      fc.record({ items: fc.nat(24), repeated: fc.nat(9) }).map((own) => ({ ...shape, ...own, end: 'loop' as const })),
    );
    await fc.assert(
      fc.asyncProperty(turning, steps, async (shape, todo) => {
        const chain = startChain(shape);
        const held = todo.map((step) => ({ ...step, before: 'nothing' as const }));
        const { ids } = await follow(chain, held);
        expect(ids).toEqual(chain.list.ids());
      }),
      RUNS,
    );
  });

  it('is not shifted by new items on top, and does not show them (C10)', async () => {
    await fc.assert(
      fc.asyncProperty(shapes(newestFirst), steps, fc.array(fc.nat(4), { minLength: 1 }), async (shape, todo, news) => {
        const chain = startChain({ ...shape, tokens: 'keyset', repeated: 0 });
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
});
