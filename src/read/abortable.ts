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
