/** Longest wait for a part to close, where it does not say otherwise. */
const CLOSE_MS = 7_000;
/** The same once somebody does not want to wait. */
const HURRIED_MS = 100;

interface Part {
  readonly name: string;
  readonly close: () => unknown;
  readonly closeMs: number;
}

/**
 * What was opened, each part beside how it is closed. Closing goes the way back, one part after the other, whatever becomes of
 * any of them, and waits for none without end.
 */
export class Lifecycle {
  readonly #parts: Part[] = [];
  readonly #hurry = new AbortController();
  #opening: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;

  /** Opens a part, which is closed by `close` within `closeMs`; a step that leaves nothing open has no `close`. */
  open<T>(
    name: string,
    open: () => T | PromiseLike<T>,
    close?: (part: T) => unknown,
    closeMs: number = CLOSE_MS,
  ): Promise<T> {
    const opening = this.#open(name, open, close, closeMs);
    this.#opening = Promise.allSettled([this.#opening, opening]);
    return opening;
  }

  /** What `build` gives. When it fails, all that was opened is closed before this rejects with the same error. */
  async start<T>(build: () => Promise<T>): Promise<T> {
    try {
      return await build();
    } catch (error) {
      await this.close().catch((closing: unknown) => {
        throw new AggregateError([error, closing], `${messageOf(error)} (${messageOf(closing)})`);
      });
      throw error;
    }
  }

  /**
   * Closes everything, once: asked again it is the same closing. A part that is just being opened is waited for and closed;
   * none is opened after it. Rejects with an AggregateError of all that could not be closed, after the rest is.
   */
  close(): Promise<void> {
    this.#closed ??= this.#unwind();
    return this.#closed;
  }

  /** The same, and from now on hardly waits for any part. */
  hurry(): Promise<void> {
    this.#hurry.abort();
    return this.close();
  }

  async #open<T>(
    name: string,
    open: () => T | PromiseLike<T>,
    close: ((part: T) => unknown) | undefined,
    closeMs: number,
  ): Promise<T> {
    if (this.#closed) throw new Error(`${name}: not opened, because the service is shutting down`);
    const part = await open();
    if (close) this.#parts.push({ name, close: () => close(part), closeMs });
    return part;
  }

  async #unwind(): Promise<void> {
    await this.#opening;
    const failures: Error[] = [];
    for (let part = this.#parts.pop(); part !== undefined; part = this.#parts.pop()) {
      try {
        await this.#close(part);
      } catch (cause) {
        failures.push(new Error(`${part.name}: ${messageOf(cause)}`, { cause }));
      }
    }
    if (failures.length === 0) return;
    throw new AggregateError(failures, `not closed: ${failures.map(({ message }) => message).join('; ')}`);
  }

  async #close({ close, closeMs }: Part): Promise<void> {
    const { signal } = this.#hurry;
    let timer: NodeJS.Timeout | undefined;
    let hurry = (): void => {};
    const late = new Promise<never>((_, reject) => {
      const wait = (ms: number): void => {
        clearTimeout(timer);
        timer = setTimeout(() => reject(new Error(`still open after ${ms} ms`)), ms);
      };
      hurry = () => wait(Math.min(HURRIED_MS, closeMs));
      wait(closeMs);
      if (signal.aborted) hurry();
      signal.addEventListener('abort', hurry);
    });
    try {
      await Promise.race([(async () => close())(), late]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', hurry);
    }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
