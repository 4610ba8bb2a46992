import { expect, it } from 'vitest';
import { wantedSize } from '../../../src/read/fill.js';
import type { CachedPage } from '../../../src/read/page-cache.js';
import { range } from '../../kit/networks/scripted-network.js';

type Last = Pick<CachedPage, 'size' | 'before'> & { readonly shown: number };

const pageOf = ({ shown, ...page }: Last) =>
  ({ ...page, items: range(shown).map((id) => ({ id })), place: 'b', next: 'c' }) as unknown as CachedPage;

const first = { before: null };
const second = { before: '' };

it.each<[string, number, Last | undefined, boolean, number]>([
  ['a first page: one more than wanted (C15)', 20, undefined, false, 21],
  ['the page at which a chain goes on', 20, undefined, true, 21],
  ['after a page that came in full', 4, { ...first, size: 10, shown: 10 }, false, 5],
  ['after a page of which the network showed half: twice as many', 4, { ...first, size: 10, shown: 5 }, false, 10],
  ['after a page of which it showed two of three: rounded up', 4, { ...first, size: 3, shown: 2 }, false, 8],
  [
    'after a page of which it showed nothing: as many times as it was large',
    1,
    { ...first, size: 5, shown: 0 },
    false,
    10,
  ],
  ['after a page of no size, which the network chose', 4, { ...first, shown: 2 }, true, 5],
  ['after a first page, in a chain: no more than needed', 4, { ...first, size: 10, shown: 10 }, true, 5],
  ['after a second page, in a chain: twice as many', 4, { ...second, size: 10, shown: 10 }, true, 20],
  ['after a second page, in a chain, where more are needed', 40, { ...second, size: 10, shown: 10 }, true, 41],
  ['after a second page of one call', 4, { ...second, size: 10, shown: 10 }, false, 5],
])('asks a network that bills by item for %s', (_name, rest, last, isChain, wanted) => {
  expect(wantedSize(rest, last && pageOf(last), isChain)).toBe(wanted);
});
