import type { Time } from '../../../src/ports/clock.js';

/**
 * A flush's verdict on one of its requests: its result, its failure, or that it must be retried, either in the next
 * flush or apart from the others. `locked`: another transaction has locked a row that it needs. `isolate`: something in
 * its flush took too long, and the cause is unknown.
 */
export type Verdict<Result> = { readonly value: Result } | { readonly error: unknown } | 'retry' | 'locked' | 'isolate';

/**
 * How a flush treats its requests. `plain`: all are expected to be simple. `skipLocked`: any requests; those that need
 * a locked row are skipped (`locked`). `waitForLock`: it waits for the row, within the flush's own bound.
 */
export type FlushMode = 'plain' | 'skipLocked' | 'waitForLock';

export interface GroupCommitOptions<Request, Result> {
  /**
   * Returns one verdict per request; if it throws, its requests fail with that error. In the mode `waitForLock` all are of one
   * partition.
   */
  readonly flush: (batch: readonly Request[], mode: FlushMode) => Promise<readonly Verdict<Result>[]>;
  /** A partition never has more than one flush in progress. */
  readonly partitionOf: (request: Request) => string;
  /** Whether a request can go into a plain flush, unless one before it in its partition needs another kind. */
  readonly isPlain?: (request: Request) => boolean;
  /** The error that a waiting request should fail with now, if any: checked ten times a second. */
  readonly dismissal?: (request: Request, waitedMs: number) => unknown;
  /** Called with each request, once: when it gets its result or its error. */
  readonly settled?: (request: Request) => void;
  /** The error for a request that finds no room; `retryAfterSeconds`: until there may be room. */
  readonly refusal?: (retryAfterSeconds: number) => Error;
  readonly bounds?: Partial<BatchBounds>;
  /** The process's own by default. */
  readonly time?: Time;
}

export interface BatchBounds {
  /** The most requests in one flush. */
  readonly most: number;
  /**
   * Concurrent flushes that are plain or skip locked rows, and concurrent flushes that wait for one. Each needs a
   * connection.
   */
  readonly flights: number;
  readonly waits: number;
  /** The most waiting requests: of all partitions, of one, and of one that has been locked for longer than a second. */
  readonly maxWaiting: number;
  readonly maxOfPartition: number;
  readonly maxOfLocked: number;
}
