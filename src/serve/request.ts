import type { ProcessorBudget } from '../access/processor-time.js';
import type { WorkSlot } from '../access/work-slots.js';
import type { Thousandths } from '../core/credits.js';
import type { RateDecision } from '../ports/rate-limiter.js';
import type { CallContext } from '../read/call-context.js';
import type { Call, Estimate, Outcome } from './call.js';
import type { Deadline } from './deadline.js';
import type { Operation } from './prepare.js';

/** What is known of a call so far, whatever becomes of it. */
export interface CallRecord {
  rate: RateDecision | null;
  policy: Outcome['policy'];
  accountId: string | null;
  operation: string | null;
  warnings: readonly string[];
  callContext: CallContext | null;
}

/** A call on its way. */
export interface Request {
  readonly call: Call;
  readonly deadline: Deadline;
  readonly record: CallRecord;
  readonly slot: WorkSlot;
}

/** An operation with its variables, priced. */
export interface Prepared {
  readonly operation: Operation;
  readonly variables: Record<string, unknown>;
  readonly budget: Thousandths | null;
  readonly dryRun: boolean;
  readonly estimate: Estimate;
  /** Whose processor time it takes. */
  readonly processorBudget: ProcessorBudget;
}
