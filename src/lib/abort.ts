/** A running statement that can be cancelled in its database, as postgres.js returns it. */
export interface Cancellable<Rows> extends PromiseLike<Rows> {
  cancel(): unknown;
}

/**
 * Rows of a statement, cancelled in the database when the signal fires; it then rejects with the signal's reason. A
 * late cancel can hit the next statement of the same connection, so the pool must only run statements that tolerate
 * that.
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

/** Whether to stop, and why, for those who poll: an AbortSignal, or an object with the same two properties. */
export type AbortState = Pick<AbortSignal, 'aborted' | 'reason'>;

/** An abort state with a signal for those who listen, made when it is first asked for: most calls end without one. */
export interface LazySignal extends AbortState {
  readonly signal: AbortSignal;
}
