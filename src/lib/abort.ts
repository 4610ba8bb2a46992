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

const timeouts = new WeakMap<AbortSignal, AbortSignal>();

/** Fires with the signal, or with a `TimeoutError` after `ms` milliseconds, whichever comes first. */
export function signalWithTimeout(signal: AbortSignal, ms: number): AbortSignal {
  const timeout = AbortSignal.timeout(ms);
  const either = AbortSignal.any([signal, timeout]);
  // Kept as long as the combined signal: Node 20 collects a timeout that only `any` refers to, and it then never fires.
  timeouts.set(either, timeout);
  return either;
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
