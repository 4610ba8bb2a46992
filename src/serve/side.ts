import type { PricedVariables } from '../documents/priced-variables.js';
import type { CostBook } from '../figures/cost-book.js';
import type { Soon } from '../lib/soon.js';
import type { Caller } from '../ports/accounts.js';
import type { Sources } from '../read/reads.js';
import type { AnswerCache } from './answer-cache.js';
import type { Deadline } from './deadline.js';

/** Everything about a call that depends on its mode: which network it reads, what is kept of it, and who is told. */
export interface Side {
  readonly sources: Sources;
  readonly pricedVariables: PricedVariables;
  readonly answerCache: AnswerCache;
  /** Called with each account that paid for something. */
  readonly spent: (accountId: string) => void;
  /** What reads earn and cost, for the operator. */
  readonly costs?: CostBook | undefined;
}

/** The side of test keys: opened by the first call that needs it. */
export interface TestSide {
  /** The side, once the account has its play credits of the day. */
  ready(accountId: string): Promise<Side>;
}

/** What calls of each mode read, and what is kept of it: nothing is shared between the two. */
export interface Sides {
  readonly live: Side;
  readonly test: TestSide;
}

/** The one place where the mode of a call decides something. A call without a key reads nothing. */
export function chooseSide(sides: Sides, caller: Caller | null, deadline: Deadline): Soon<Side> {
  return caller?.mode === 'test' ? deadline.race(sides.test.ready(caller.accountId)) : sides.live;
}
