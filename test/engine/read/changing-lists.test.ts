import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/domain/errors.js';
import { createEngine } from '../../kit/engine.js';
import { upstreamFault, withFaults } from '../../kit/networks/faults.js';
import { createListNetwork, type ListShape } from '../../kit/networks/list-network.js';
import { call, follow, kinds, newestFirst, pageSizes, type Seen, startChain, steps } from './chains.js';

const RUNS = { numRuns: 100 };

const keyset = (kind: fc.Arbitrary<Pick<ListShape, 'kind' | 'product'>>) =>
  fc
    .record({ kind, items: fc.integer({ min: 1, max: 40 }), pageSizes, nextIsCertain: fc.boolean() })
    .map(({ kind: of, ...shape }): ListShape => ({ ...shape, ...of, tokens: 'keyset' }));

/** Which ids are deleted before a call, by their distance from the last one shown and the first one not yet shown. */
const losses = fc.array(fc.record({ behind: fc.subarray([0, 1, 2, 3, 7]), ahead: fc.subarray([0, 1, 5]) }), {
  minLength: 1,
  maxLength: 4,
});

interface Loss {
  readonly behind: readonly number[];
  readonly ahead: readonly number[];
}

const lost = (all: readonly string[], { ids }: Seen, { behind, ahead }: Loss): string[] => {
  const shown = new Set(ids);
  const rest = all.filter((id) => !shown.has(id));
  return [...behind.map((n) => ids.at(-1 - n)), ...ahead.map((n) => rest[n])].filter((id) => id !== undefined);
};

describe('a list that changes under a chain', () => {
  it('continues from its position after the last passed items were deleted, newest first (C10, M25)', async () => {
    await fc.assert(
      fc.asyncProperty(keyset(newestFirst), steps, losses, async (shape, todo, some) => {
        const chain = startChain(shape);
        const all = chain.list.ids();
        let turn = 0;
        const { ids } = await follow(chain, todo, (seen) => {
          const loss = turn < 8 ? some[turn % some.length] : undefined;
          if (loss) chain.list.remove(lost(all, seen, loss));
          turn += 1;
        });
        expectOnceInOrder(ids, all, chain.list.ids());
      }),
      RUNS,
    );
  });

  it('continues from an earlier item in a list without time order, while one of the last three exists', async () => {
    await fc.assert(
      fc.asyncProperty(keyset(kinds), steps, fc.subarray([0, 1, 2], { maxLength: 2 }), async (shape, todo, behind) => {
        const chain = startChain(shape);
        const all = chain.list.ids();
        let turn = 0;
        const { ids } = await follow(chain, todo, (seen) => {
          // Only now and then, so that three anchors in a row are not deleted one by one; a first page needs an
          // existing one.
          if (turn % 4 === 3 && seen.ids.length > 3) chain.list.remove(lost(all, seen, { behind, ahead: [] }));
          turn += 1;
        });
        expectOnceInOrder(ids, all, chain.list.ids());
      }),
      RUNS,
    );
  });

  it('answers 400 if nothing is left to find its position (C7)', async () => {
    const chain = startChain({ kind: 'followers', items: 9, pageSizes: [9], tokens: 'keyset' });
    const step = { count: 4, before: 'nothing', fresh: false, offset: 0 } as const;
    const first = await call(chain, step, null);
    chain.list.remove(first.nodes.map((node) => node.id));
    const gone = call(chain, { ...step, before: 'all dropped' }, first.endCursor);
    await expect(gone).rejects.toMatchObject({
      code: 'bad_request',
      detail: { param: 'cursor', reason: 'cursor_expired' },
    });
  });
});

function expectOnceInOrder(ids: readonly string[], all: readonly string[], left: readonly string[]): void {
  const seen = new Set(ids);
  expect(seen.size).toBe(ids.length);
  expect(ids).toEqual(all.filter((id) => seen.has(id)));
  // Everything that was in the list throughout was shown.
  expect(left.filter((id) => !seen.has(id))).toEqual([]);
}

describe('a network that fails in between', () => {
  it('causes no short page and no charge, and the next try reads less (C13)', async () => {
    await fc.assert(
      fc.asyncProperty(keyset(kinds), fc.integer({ min: 1, max: 8 }), fc.nat(6), async (shape, count, after) => {
        const list = createListNetwork(shape);
        const plain = createEngine(list.network);
        const query = { ...list.list, count };
        const expected = await plain.page(query);

        const faults = withFaults(list.network);
        const engine = createEngine(faults.network);
        faults.failAfter(after, upstreamFault('upstream_error'));
        const first = await engine.page(query).catch((error: unknown) => error);
        faults.heal();
        if (first instanceof ServiceError) {
          expect(first.status).toBe(503);
          const retry = await engine.page(query);
          expect(retry.page.nodes).toEqual(expected.page.nodes);
          // What was read before the failure is not read again, and costs half.
          expect(faults.calls.length - 1).toBe(plain.calls());
          expect(retry.charge.amount).toBeLessThanOrEqual(expected.charge.amount);
          if (after > 0 && shape.pageSizes[0] !== 0) expect(retry.charge.amount).toBeLessThan(expected.charge.amount);
        } else {
          // Only the look-ahead can have failed, so the page is whole.
          expect(first).toMatchObject({ page: { nodes: expected.page.nodes } });
        }
      }),
      RUNS,
    );
  });
});
