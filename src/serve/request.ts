import type { ProcessorBudget } from '../access/processor-time.js';
import type { WorkSlot } from '../access/work-slots.js';
import type { Operation } from '../documents/prepare.js';
import type { Thousandths } from '../domain/credits.js';
import type { SharedBudget } from '../metering/spending-limit.js';
import type { RateDecision } from '../ports/rate-limiter.js';
import type { CallContext } from '../read/call-context.js';
import type { Call, Estimate, Outcome } from './call.js';
import type { Deadline } from './deadline.js';
import type { Side } from './side.js';

/** What is known about a call so far, whatever its outcome. */
export interface CallRecord {
  rate: RateDecision | null;
  policy: Outcome['policy'];
  accountId: string | null;
  keyId: string | null;
  mode: Outcome['mode'];
  operation: string | null;
  warnings: readonly string[];
  callContext: CallContext | null;
}

/** A call in progress. */
export interface Request {
  readonly call: Call;
  readonly deadline: Deadline;
  readonly record: CallRecord;
  readonly slot: WorkSlot;
}

/** A priced operation with its variables. */
export interface Prepared {
  readonly operation: Operation;
  readonly side: Side;
  readonly variables: Record<string, unknown>;
  /** Identifies the operation with these variables. */
  readonly id: string;
  readonly budget: Thousandths | null;
  readonly sharedBudget: SharedBudget | undefined;
  readonly dryRun: boolean;
  readonly estimate: Estimate;
  /** Charged with the processor time of the call. */
  readonly processorBudget: ProcessorBudget;
}
