/**
 * Rejects when the time is over, but not before a reply that has already arrived is read: a busy loop is not an outage.
 */
export function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = () => setImmediate(() => reject(new Error(`no answer within ${ms} ms`)));
    const timer = setTimeout(expire, ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A reply that concerns one command or key: Redis itself is healthy. */
export const isOfOneCommand = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ReplyError' && /^(?:WRONGTYPE|ERR|CROSSSLOT) /.test(error.message);
