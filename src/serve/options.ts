import type { Admit } from '../access/admit.js';
import type { Identify } from '../access/identify.js';
import type { ProcessorTime } from '../access/processor-time.js';
import type { WorkSlots } from '../access/work-slots.js';
import type { Billing } from '../billing/billing.js';
import type { Documents } from '../documents/documents.js';
import type { Thousandths } from '../domain/credits.js';
import type { SharedTimer } from '../lib/monotonic.js';
import type { OperationNames } from '../metering/operation-names.js';
import type { WalletCache } from '../metering/wallet-cache.js';
import type { Clock, Timers } from '../ports/clock.js';
import type { Ledger } from '../ports/ledger.js';
import type { Tracing } from '../ports/tracing.js';
import type { WatchDesk } from '../ports/watches.js';
import type { Sides } from './side.js';

/** Everything that serving a request needs. */
export interface ServeOptions {
  readonly identify: Identify;
  readonly admit: Admit;
  readonly slots: WorkSlots;
  readonly processor: ProcessorTime;
  readonly documents: Documents;
  readonly sides: Sides;
  readonly walletCache: WalletCache;
  readonly names: OperationNames;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** A clock that is never set back, because deadlines are measured by it. */
  readonly monotonic: Clock;
  /** On the same clock; the process's own by default. */
  readonly timers?: Timers | undefined;
  /** The most an operation may cost if the caller sets no budget. */
  readonly defaultBudget: Thousandths;
  readonly deadlineMs: number;
  readonly billing: Pick<Billing, 'forCaller'>;
  readonly watches: WatchDesk;
  readonly tracing: Tracing;
}

/** The options, and what a running engine adds to them. */
export interface Serving extends ServeOptions {
  /** The timer for the deadlines of calls, on the monotonic clock. */
  readonly timer: SharedTimer;
}
