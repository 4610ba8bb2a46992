import type { ServiceError } from '../../core/errors.js';
import type { Family } from '../../core/model.js';
import type { ReadContext } from '../../ports/network.js';
import type { Waiters } from '../waiters.js';

/** Reads of one kind travel together: how many inputs one upstream call takes, and how it is made. */
export interface BatchSpec<Input = unknown, Output = unknown> {
  /** What a session may be refused as a whole: `users`, `tweets`, a kind of list, `search:Top`. */
  readonly kind: string;
  readonly family: Family;
  readonly maxBatchSize: number;
  /** Inputs that are the same to the network have the same name. */
  readonly nameOf: (input: Input) => string;
  /** One upstream call: an output per input, in order; the inputs are distinct. */
  readonly read: (inputs: readonly Input[], context: ReadContext) => Promise<readonly Output[]>;
}

/** One input that waits to be read. */
export interface Job<Input = unknown, Output = unknown> {
  readonly spec: BatchSpec<Input, Output>;
  readonly input: Input;
  /** Who waits for it. */
  readonly waiters: Waiters;
  /** When it was asked for, and when it came into the queue, the last time. Milliseconds of the monotonic clock. */
  readonly askedAt: number;
  since: number;
  /** Sessions it failed or was refused on. */
  readonly tried: Set<string>;
  /** What the network failed with, on a session that may read it: what is told if no other does better. */
  failure?: ServiceError;
  readonly resolve: (output: Output) => void;
  readonly reject: (error: unknown) => void;
}
