import { setMaxListeners } from 'node:events';

/** A running statement that can be cancelled in its database, as postgres.js returns it. */
export interface Cancellable<Rows> extends PromiseLike<Rows> {
  cancel(): unknown;
}

/**
 * The rows of a statement. When the signal fires, cancels the statement in the database and rejects with the signal's
 * reason. A late cancel can hit the next statement of the same connection, so the pool must only run statements that
 * tolerate that.
 */
export async function cancelOnAbort<Rows>(pending: Cancellable<Rows>, signal: AbortSignal): Promise<Rows> {
  const cancel = (): void => {
    // Rejects when the server can't be reached; the statement then ends with its connection.
    Promise.resolve(pending.cancel()).catch(() => {});
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await pending;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Whether to stop, and why, for code that polls: an AbortSignal, or an object with the same two properties. */
export type AbortState = Pick<AbortSignal, 'aborted' | 'reason'>;

/** An abort state with a signal for code that listens. The signal is made on first use: most calls need none. */
export interface LazySignal extends AbortState {
  readonly signal: AbortSignal;
}

/** Rejects with the signal's reason as soon as it fires, even if the work ignores the signal. */
export async function abortable<T>(signal: AbortSignal, answer: Promise<T>): Promise<T> {
  // The work may still fail after the signal fired; that rejection must not go unhandled.
  answer.catch(() => {});
  signal.throwIfAborted();
  let stop: () => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([answer, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/**
 * Aborts the controller when the signal fires. Returns a function that ends this: to be called when the work is over.
 * `AbortSignal.any` needs no such call, but on Node 20 each signal that it makes leaves an entry in its sources until
 * they fire, so that a source which outlives its calls grows with every one of them.
 */
export function abortWith(controller: AbortController, signal: AbortSignal): () => void {
  if (signal.aborted) {
    controller.abort(signal.reason);
    return () => {};
  }
  const abort = (): void => controller.abort(signal.reason);
  // Any number of calls may follow it at a time; Node warns at ten.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}

/** A signal for as long as some work takes; `end` is to be called when that is over. */
export interface BriefSignal {
  readonly signal: AbortSignal;
  readonly end: () => void;
}

/** Fires with the signal, or with a `TimeoutError` after `ms` milliseconds, whichever comes first. */
export function signalWithTimeout(signal: AbortSignal, ms: number): BriefSignal {
  const either = new AbortController();
  const leave = abortWith(either, signal);
  const late = (): void => either.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  const timeout = setTimeout(late, ms).unref();
  const end = (): void => {
    leave();
    clearTimeout(timeout);
  };
  return { signal: either.signal, end };
}

/** An existing signal as a `LazySignal`. */
export const lazySignal = (signal: AbortSignal): LazySignal => ({
  get aborted() {
    return signal.aborted;
  },
  get reason(): unknown {
    return signal.reason;
  },
  signal,
});
