import type { PricedVariables } from '../documents/priced-variables.js';
import type { CostBook } from '../figures/cost-book.js';
import type { Soon } from '../lib/soon.js';
import type { Caller } from '../ports/accounts.js';
import type { Sources } from '../read/reads.js';
import type { AnswerCache } from './answer-cache.js';
import type { Deadline } from './deadline.js';

/**
 * Everything about a call that depends on its mode: the network it reads, the caches, and who is told about spending.
 */
export interface Side {
  readonly sources: Sources;
  readonly pricedVariables: PricedVariables;
  readonly answerCache: AnswerCache;
  /** Called with each account that paid for something. */
  readonly spent: (accountId: string) => void;
  /** Records what reads earn and cost, for the operator. */
  readonly costs?: CostBook | undefined;
}

/** The side of test keys, opened by the first call that needs it. */
export interface TestSide {
  /** Resolves to the side once the account has its play credits for the day. */
  ready(accountId: string): Promise<Side>;
}

/** The sides of the two modes, which share nothing. */
export interface Sides {
  readonly live: Side;
  readonly test: TestSide;
}

/** The only place where a call's mode decides anything. A call without a key reads nothing, so either side will do. */
export function chooseSide(sides: Sides, caller: Caller | null, deadline: Deadline): Soon<Side> {
  return caller?.mode === 'test' ? deadline.race(sides.test.ready(caller.accountId)) : sides.live;
}
