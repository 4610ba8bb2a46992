import type { Admit } from '../access/admit.js';
import type { Identify } from '../access/identify.js';
import type { Places } from '../access/places.js';
import type { ProcessorTime } from '../access/processor-time.js';
import type { Billing } from '../billing/billing.js';
import type { Thousandths } from '../core/credits.js';
import type { OperationNames } from '../metering/operation-names.js';
import type { Purses } from '../metering/purses.js';
import type { Clock } from '../ports/clock.js';
import type { Tracing } from '../ports/tracing.js';
import type { Ledger } from '../ports/truth.js';
import type { Sources } from '../read/reads.js';
import type { Answers } from './answers.js';
import type { Documents } from './documents.js';

/** What the way of a request is made of. */
export interface ServeOptions {
  readonly identify: Identify;
  readonly admit: Admit;
  readonly places: Places;
  readonly processor: ProcessorTime;
  readonly documents: Documents;
  readonly answers: Answers;
  readonly purses: Purses;
  readonly names: OperationNames;
  readonly ledger: Ledger;
  readonly sources: Sources;
  readonly clock: Clock;
  /** Never set back: deadlines are counted by it. */
  readonly monotonic: Clock;
  /** Most an operation may cost without a budget of the caller's own (G8). */
  readonly ceiling: Thousandths;
  readonly deadlineMs: number;
  readonly billing: Pick<Billing, 'desk'>;
  /** Told of each account that paid for something. */
  readonly spent: (accountId: string) => void;
  readonly tracing: Tracing;
}
