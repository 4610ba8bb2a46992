/** The answer, or the signal's reason if that comes first: a network that ignores the signal cannot hold a caller. */
export async function abortable<T>(signal: AbortSignal, answer: Promise<T>): Promise<T> {
  // Whoever goes first, the other may still fail: nobody is left to hear of it.
  answer.catch(() => {});
  signal.throwIfAborted();
  let stop: () => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([answer, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
