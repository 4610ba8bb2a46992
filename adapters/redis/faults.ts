import type { Timers } from '../../src/ports/clock.js';

/**
 * Rejects when the time is over, but not before a reply that has already arrived is read: a busy loop is not an outage.
 */
export function withTimeout<T>(timers: Timers, ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = () => timers.after(0, () => reject(new Error(`no answer within ${ms} ms`)));
    const cancel = timers.after(ms, expire);
    work.then(resolve, reject).finally(cancel);
  });
}

export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A reply that concerns one command or key: Redis itself is healthy. */
export const isOfOneCommand = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ReplyError' && /^(?:WRONGTYPE|ERR|CROSSSLOT) /.test(error.message);
