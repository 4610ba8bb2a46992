import fc from 'fast-check';
import { isNewestFirst, LIST_KINDS, LISTS, unitOfList } from '../../../src/domain/lists.js';
import { PRODUCTS } from '../../../src/domain/model.js';
import { itemPrice } from '../../../src/domain/prices.js';
import type { Page } from '../../../src/read/reads.js';
import { createEngine, type Engine } from '../../kit/engine.js';
import { createListNetwork, type ListNetwork, type ListShape } from '../../kit/networks/list-network.js';

/** What happens to cached entries before a call. */
export type Before = 'nothing' | 'all dropped' | 'some dropped' | 'first pages expire' | 'everything expires';

export interface Step {
  readonly count: number;
  readonly before: Before;
  readonly fresh: boolean;
  /** Selects the entries to drop, if some are dropped. */
  readonly offset: number;
}

type KindAndProduct = Pick<ListShape, 'kind' | 'product'>;

/** Every kind of list, and each product of a search. */
const ALL: readonly KindAndProduct[] = LIST_KINDS.flatMap((kind): KindAndProduct[] =>
  LISTS[kind].products ? PRODUCTS.map((product) => ({ kind, product })) : [{ kind }],
);

export const kinds = fc.constantFrom(...ALL);

export const newestFirst = fc.constantFrom(...ALL.filter(isNewestFirst));

const MOST_COUNT = 8;

/**
 * Natural pages, some of them empty, but never so many in a row that a call would reach its bound of upstream pages.
 */
export const pageSizes = fc
  .array(fc.integer({ min: 0, max: 7 }), { minLength: 1, maxLength: 5 })
  .filter((sizes) => sizes.every((_, from) => sumOf(sizes, from, 7) > MOST_COUNT));

const sumOf = (sizes: readonly number[], from: number, pages: number): number =>
  Array.from({ length: pages }, (_, i) => sizes[(from + i) % sizes.length] ?? 0).reduce((sum, size) => sum + size, 0);

export const steps = fc.array(
  fc.record<Step>({
    count: fc.integer({ min: 1, max: MOST_COUNT }),
    before: fc.constantFrom<Before>(
      'nothing',
      'all dropped',
      'some dropped',
      'first pages expire',
      'everything expires',
    ),
    fresh: fc.boolean(),
    offset: fc.nat(2),
  }),
  { minLength: 1, maxLength: 6 },
);

export interface Seen {
  readonly ids: string[];
  readonly pages: readonly Page[];
}

export interface Chain {
  readonly list: ListNetwork;
  readonly engine: Engine;
}

export function startChain(shape: ListShape): Chain {
  const list = createListNetwork(shape);
  return { list, engine: createEngine(list.network) };
}

const MINUTE_MS = 60_000;

function prepare(engine: Engine, step: Step): void {
  if (step.before === 'all dropped') engine.drop();
  if (step.before === 'some dropped') engine.drop(2, step.offset);
  if (step.before === 'first pages expire') engine.clock.nowMs += 3 * MINUTE_MS;
  if (step.before === 'everything expires') engine.clock.nowMs += 7 * 60 * MINUTE_MS;
}

/** One call of a chain, and what must hold for any list: its bounds, and its charge as the sum of its parts. */
export async function call(chain: Chain, step: Step, after: string | null): Promise<Page> {
  const { engine, list } = chain;
  const { kind, product, subject } = list.list;
  prepare(engine, step);
  const before = engine.calls();
  const query = { kind, subject, product, count: step.count, after, fresh: step.fresh };
  const { page, charge } = await engine.page(query);
  const upstream = engine.calls() - before;
  if (upstream > 10) throw new Error(`${upstream} upstream pages in one call (C12)`);
  const unit = unitOfList(list.list);
  const rest = itemPrice(unit, step.fresh ? 'bypass' : 'miss');
  const due = page.cacheHits * itemPrice(unit, 'hit') + (page.nodes.length - page.cacheHits) * rest;
  if (page.charged !== due || charge.amount !== due) throw new Error(`${charge.amount} charged, ${due} due (M6)`);
  const label = step.fresh ? 'bypass' : upstream > 0 ? 'miss' : 'hit';
  if (page.cache !== label) throw new Error(`${page.cache} where ${upstream} pages were read (M6)`);
  return page;
}

/** Follows a chain to its end, repeating the steps; `between` happens before each call but the first. */
export async function follow(
  chain: Chain,
  todo: readonly Step[],
  between: (seen: Seen) => void = () => {},
): Promise<Seen> {
  const ids: string[] = [];
  const pages: Page[] = [];
  let after: string | null = null;
  for (let i = 0; i < 500; i += 1) {
    const step = todo[i % todo.length] as Step;
    if (i > 0) between({ ids, pages });
    const page = await call(chain, step, after);
    pages.push(page);
    ids.push(...page.nodes.map((node) => node.id));
    after = page.endCursor;
    if (after === null) return { ids, pages };
    if (page.nodes.length !== step.count)
      throw new Error(`${page.nodes.length} of ${step.count} with a cursor (rule 4)`);
  }
  throw new Error('the chain does not end');
}
