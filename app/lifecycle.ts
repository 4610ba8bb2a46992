import type { FastifyBaseLogger } from 'fastify';
import { polling, type StartPoll } from '../src/lib/poll.js';

/** Polls of this process. A run reports its expected failures itself. */
export const loggedPolling = (log: FastifyBaseLogger): StartPoll =>
  polling((err) => log.error({ err }, 'A background task failed. It will run again at its next scheduled time.'));

/** Longest wait for a part to close, unless the part sets its own. */
const CLOSE_MS = 7_000;
/** The same if closing is hurried, or the time for all parts is over. */
const HURRIED_MS = 100;
/**
 * Longest wait for all parts together. Some time later the process is killed: by `stop_grace_period` in compose.yaml,
 * or by the supervisor of several workers.
 */
const BUDGET_MS = 15_000;

/** How a part is closed. */
export interface Closing {
  /** Longest wait for it. */
  readonly closeMs?: number;
  /** Parts opened one after the other with the same group are closed at the same time. */
  readonly group?: string;
  /** Whether it gets its own time even if the time for all parts is over. */
  readonly outsideBudget?: boolean;
}

interface Part extends Closing {
  readonly name: string;
  readonly close: () => unknown;
}

export interface LifecycleOptions {
  /** Called with the parts that could not be closed after a failed start; the start rejects with its own failure. */
  readonly warn?: (message: string) => void;
  /** Longest time to close all parts together, milliseconds. */
  readonly budgetMs?: number;
}

/**
 * The opened parts, each with its `close`. They are closed in reverse order, one part or group after another, even if
 * some fail. The wait for each is limited, and so is the wait for all together.
 */
export class Lifecycle {
  readonly #parts: Part[] = [];
  readonly #hurry = new AbortController();
  readonly #warn: (message: string) => void;
  readonly #budgetMs: number;
  #opening: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor({ warn = (text) => process.emitWarning(text), budgetMs = BUDGET_MS }: LifecycleOptions = {}) {
    this.#warn = warn;
    this.#budgetMs = budgetMs;
  }

  /** Opens a part; `close` is called with it later. A step that leaves nothing open has no `close`. */
  open<T>(
    name: string,
    open: () => T | PromiseLike<T>,
    close?: (part: T) => unknown,
    closing: Closing = {},
  ): Promise<T> {
    const opening = this.#open(name, open, close, closing);
    this.#opening = Promise.allSettled([this.#opening, opening]);
    return opening;
  }

  /**
   * Returns the result of `build`. If that fails, everything opened is closed before this rejects with the same error.
   * Failures of closing are only warnings, because callers must be able to recognise the type of the error.
   */
  async start<T>(build: () => Promise<T>): Promise<T> {
    try {
      return await build();
    } catch (error) {
      await this.close().catch((closing: unknown) => this.#warn(errorMessage(closing)));
      throw error;
    }
  }

  /**
   * Closes everything, once: later calls return the same promise. A part that is just being opened is awaited and
   * closed; no other part is opened. Rejects with an AggregateError of everything that could not be closed, after the
   * rest is closed.
   */
  close(): Promise<void> {
    this.#closed ??= this.#unwind();
    return this.#closed;
  }

  /** Like `close`, but from now on waits only briefly for each part. */
  hurry(): Promise<void> {
    this.#hurry.abort();
    return this.close();
  }

  async #open<T>(
    name: string,
    open: () => T | PromiseLike<T>,
    close: ((part: T) => unknown) | undefined,
    closing: Closing,
  ): Promise<T> {
    if (this.#closed) throw new Error(`${name}: not opened, because the service is shutting down`);
    const part = await open();
    if (close) this.#parts.push({ ...closing, name, close: () => close(part) });
    return part;
  }

  async #unwind(): Promise<void> {
    await this.#opening;
    const endMs = performance.now() + this.#budgetMs;
    const failures: Error[] = [];
    for (let group = this.#takeLast(); group.length > 0; group = this.#takeLast()) {
      const closings = group.map((part) =>
        this.#close(part, endMs).catch((cause: unknown) => {
          failures.push(new Error(`${part.name}: ${errorMessage(cause)}`, { cause }));
        }),
      );
      await Promise.all(closings);
    }
    if (failures.length === 0) return;
    throw new AggregateError(failures, `not closed: ${failures.map(({ message }) => message).join('; ')}`);
  }

  /** Takes the last part opened, with the parts of its group opened just before it. Empty if none is left. */
  #takeLast(): Part[] {
    const taken: Part[] = [];
    for (let part = this.#parts.pop(); part !== undefined; part = this.#parts.pop()) {
      taken.push(part);
      if (part.group === undefined || this.#parts.at(-1)?.group !== part.group) break;
    }
    return taken;
  }

  async #close({ close, closeMs = CLOSE_MS, outsideBudget = false }: Part, endMs: number): Promise<void> {
    const { signal } = this.#hurry;
    const leftMs = outsideBudget ? closeMs : Math.max(HURRIED_MS, endMs - performance.now());
    let timer: NodeJS.Timeout | undefined;
    let hurry = (): void => {};
    const late = new Promise<never>((_, reject) => {
      const wait = (ms: number): void => {
        clearTimeout(timer);
        timer = setTimeout(() => reject(new Error(`still open after ${Math.round(ms)} ms`)), ms);
      };
      hurry = () => wait(Math.min(HURRIED_MS, closeMs));
      wait(Math.min(closeMs, leftMs));
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

const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
