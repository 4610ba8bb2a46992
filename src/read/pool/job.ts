import type { ServiceError } from '../../domain/errors.js';
import type { Family } from '../../domain/model.js';
import type { HeldSlot } from '../../lib/fair-share.js';
import type { ReadContext } from '../../ports/network.js';
import type { Waiters } from '../waiters.js';

/** How reads of one kind are batched: how many inputs one upstream call takes, and how it is sent. */
export interface BatchSpec<Input = unknown, Output = unknown> {
  /** The unit in which reads may be closed to a session: `users`, `tweets`, a kind of list, `search:Top`. */
  readonly kind: string;
  readonly family: Family;
  readonly maxBatchSize: number;
  /** Inputs that are the same to the network have the same name. */
  readonly nameOf: (input: Input) => string;
  /** What the input is about, whichever part of that is read. */
  readonly subjectOf: (input: Input) => string;
  /** One upstream call: an output per input, in order; the inputs are distinct. */
  readonly read: (inputs: readonly Input[], context: ReadContext) => Promise<readonly Output[]>;
}

/** One input waiting to be read. */
export interface Job<Input = unknown, Output = unknown> {
  readonly spec: BatchSpec<Input, Output>;
  readonly input: Input;
  /** The calls that wait for it. */
  readonly waiters: Waiters;
  /** When it was requested, and (`since`) when it last entered the queue. Monotonic milliseconds. */
  readonly requestedAt: number;
  since: number;
  /** Sessions on which it failed or was refused. */
  readonly tried: Set<string>;
  /** The slot of the account whose turn it was, while the call is in flight. */
  slot?: HeldSlot | null;
  /** The failure to report if no other session succeeds. */
  failure?: ServiceError;
  readonly resolve: (output: Output) => void;
  readonly reject: (error: unknown) => void;
}
