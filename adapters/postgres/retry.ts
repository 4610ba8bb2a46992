import postgres from 'postgres';
import type { AbortState } from '../../src/lib/abort.js';
import { processTime } from '../../src/lib/monotonic.js';
import type { Time } from '../../src/ports/clock.js';

/**
 * Codes that prove that the statement did nothing: the server was not reached, refused the connection, or rolled back.
 */
const NOT_EXECUTED = new Set([
  'CONNECT_TIMEOUT',
  // A code of the patched driver: the connection was closed before it could be used.
  'CONNECTION_REFUSED',
  'ECONNREFUSED',
  'ENOENT',
  '40001',
  '40P01',
  '53300',
  '57P03',
]);

/** The statement waited too long for a lock, or took too long as a whole, and was rolled back. */
const TIMED_OUT = new Set(['55P03', '57014']);

/** A connection that was lost, or that the server closed, while the statement was in progress. */
const CONNECTION_LOST = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  '57P01',
  '57P02',
]);

/** The SQLSTATE, or the driver's own code. */
export const errorCode = (error: unknown): string => String((error as { code?: unknown }).code);

/** Whether the same statement may succeed a moment later. It may also have succeeded already. */
export const isTransient = (error: unknown): boolean =>
  NOT_EXECUTED.has(errorCode(error)) || isTimedOut(error) || mayHaveCommitted(error);

/** Whether a time limit of the server ended the statement (55P03, 57014), so that it did nothing. */
export const isTimedOut = (error: unknown): boolean => TIMED_OUT.has(errorCode(error));

/** Whether the statement may have been committed although its result was lost. */
export const mayHaveCommitted = (error: unknown): boolean =>
  CONNECTION_LOST.has(errorCode(error)) || errorCode(error).startsWith('08');

export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.code === '23505';

/** The longest delay between two attempts. */
const LONGEST_DELAY_MS = 800;

/** How long attempts continue, in milliseconds. */
interface Bounds {
  /** While it is known that nothing was done. */
  readonly withinMs: number;
  /** Once it may have been committed: attempts continue until that is known, or until this time is over. */
  readonly inDoubtMs: number;
}

/** Repeats `run`, which must be idempotent, while it fails for a transient reason. */
export async function retryTransient<T>(
  run: () => Promise<T>,
  { withinMs, inDoubtMs }: Bounds = { withinMs: 5_000, inDoubtMs: 60_000 },
  { monotonic, timers }: Time = processTime,
): Promise<T> {
  let inDoubt = false;
  const isWorthIt = (error: unknown, spentMs: number): boolean => {
    inDoubt ||= mayHaveCommitted(error);
    return isTransient(error) && spentMs <= (inDoubt ? inDoubtMs : withinMs);
  };
  return repeat(run, isWorthIt, { monotonic, timers });
}

/** How long a look-up waits for another primary. A primary whose server died is replaced sooner. */
const LONGEST_LOOKUP_MS = 10_000;
/** The same for a read that has its own deadline. */
const LONGEST_READ_MS = 60_000;

/** Whether the statement was hit by a late cancel request that was meant for another one of its connection. */
export const isHitByCancel = (error: unknown): boolean =>
  errorCode(error) === '57014' && /user request/.test(String(error));

/**
 * Repeats a read while its connection is lost or no server takes it, as during a fail-over, and a read that was
 * cancelled in place of another, but not one that took too long. With a signal, only until that fires.
 */
export const retryRead = <T>(run: () => Promise<T>, signal?: AbortState, time: Time = processTime): Promise<T> =>
  repeat(
    run,
    (error, spentMs) =>
      isTransient(error) &&
      (!isTimedOut(error) || isHitByCancel(error)) &&
      !signal?.aborted &&
      spentMs <= (signal ? LONGEST_READ_MS : LONGEST_LOOKUP_MS),
    time,
  );

/** Repeats until `run` succeeds or is not worth another attempt; `spentMs` is the time spent by the next attempt. */
async function repeat<T>(
  run: () => Promise<T>,
  isWorthIt: (error: unknown, spentMs: number) => boolean,
  { monotonic, timers }: Time,
): Promise<T> {
  const began = monotonic.now();
  for (let delayMs = 50; ; delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS)) {
    try {
      return await run();
    } catch (error) {
      if (!isWorthIt(error, monotonic.now() - began + delayMs)) throw error;
      await new Promise<void>((resolve) => void timers.after(delayMs, resolve));
    }
  }
}
