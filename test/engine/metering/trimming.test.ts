import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/domain/errors.js';
import { unitOfList } from '../../../src/domain/lists.js';
import { itemPrice } from '../../../src/domain/prices.js';
import type { ListShape } from '../../kit/networks/list-network.js';
import { kinds, pageSizes, startChain } from '../read/chains.js';

const shapes = fc
  .record({ kind: kinds, items: fc.integer({ min: 1, max: 30 }), pageSizes, nextIsCertain: fc.boolean() })
  .map(({ kind, ...shape }): ListShape => ({ ...shape, ...kind, tokens: 'keyset' }));

/** The wallet at each call, in items at full price. */
const wallets = fc.array(fc.constantFrom(0, 0.4, 0.5, 0.9, 1, 1.5, 2.4, 3, 7, 50), { minLength: 1, maxLength: 6 });

describe('a page, trimmed to what the money covers (M1)', () => {
  it('ends at the last item covered, costs no more than there is, and continues from there', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, wallets, fc.integer({ min: 1, max: 8 }), async (shape, walletCache, count) => {
        const { engine, list } = startChain(shape);
        const unit = unitOfList(list.list);
        const query = { ...list.list, count };
        const ids: string[] = [];
        let after: string | null = null;
        for (let turn = 0; turn < 300; turn += 1) {
          // The second time round there is enough, because a wallet that never covers an item would never reach the
          // end.
          const round = Math.floor(turn / walletCache.length);
          const credits =
            Math.round((walletCache[turn % walletCache.length] ?? 0) * itemPrice(unit, 'miss')) +
            (round > 3 ? 10 ** 6 : 0);
          const before = engine.calls();
          const got = await engine.page({ ...query, after }, credits).catch((error: unknown) => error);
          if (credits < itemPrice(unit, 'miss')) expect(engine.calls()).toBe(before);
          if (got instanceof ServiceError) {
            expect([got.code, credits < itemPrice(unit, 'miss')]).toEqual(['no_credits', true]);
            continue;
          }
          const { page, charge } = got as Awaited<ReturnType<typeof engine.page>>;
          expect(charge.amount).toBeLessThanOrEqual(credits);
          if (page.truncated !== null) {
            expect(page).toMatchObject({ truncated: 'no_credits', endCursor: expect.any(String) });
            expect(page.nodes.length).toBeGreaterThan(0);
            expect(page.nodes.length).toBeLessThan(count);
            // Not one more item would have been covered at full price.
            expect(credits - charge.amount).toBeLessThan(itemPrice(unit, 'miss'));
          } else if (page.endCursor !== null) expect(page.nodes).toHaveLength(count);
          ids.push(...page.nodes.map((node) => node.id));
          after = page.endCursor;
          if (after === null) break;
        }
        expect(after).toBeNull();
        expect(ids).toEqual(list.ids());
      }),
      { numRuns: 80 },
    );
  });
});
