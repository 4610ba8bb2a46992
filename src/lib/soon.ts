/** A value that is there, or that has to be waited for. */
export type Soon<Value> = Value | Promise<Value>;

const mustWait = <Value>(soon: Soon<Value>): soon is Promise<Value> => soon instanceof Promise;

/** Goes on in this turn where the value is there. What `next` throws is thrown, or rejects. */
export const andThen = <Value, Next>(soon: Soon<Value>, next: (value: Value) => Soon<Next>): Soon<Next> =>
  mustWait(soon) ? soon.then(next) : next(soon);

/** Goes on however the work ends, in this turn where it does. */
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
