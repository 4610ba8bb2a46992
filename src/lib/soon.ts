/** A value that is available now, or a promise of it. */
export type Soon<Value> = Value | Promise<Value>;

const mustWait = <Value>(soon: Soon<Value>): soon is Promise<Value> => soon instanceof Promise;

/** Calls `next` in this turn of the event loop if the value is available. What `next` throws is thrown, or rejects. */
export const andThen = <Value, Next>(soon: Soon<Value>, next: (value: Value) => Soon<Next>): Soon<Next> =>
  mustWait(soon) ? soon.then(next) : next(soon);

/** Calls `done` or `failed` when the work ends, and in this turn of the event loop if the work ends in it. */
export function concluded<Value, Next>(
  work: () => Soon<Value>,
  done: (value: Value) => Next,
  failed: (error: unknown) => Next,
): Soon<Next> {
  let soon: Soon<Value>;
  try {
    soon = work();
  } catch (error) {
    return failed(error);
  }
  return mustWait(soon) ? soon.then(done, failed) : done(soon);
}
