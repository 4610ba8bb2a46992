import { channel } from 'node:diagnostics_channel';
import { LEDGER_COMMITS, type LedgerCommit } from '../../src/core/commits.js';

const commits = channel(LEDGER_COMMITS);

/** What a flush says about one of its requests: its result, its failure, or that it belongs into the next flush. */
export type Verdict<Result> = { readonly value: Result } | { readonly error: unknown } | 'again';

interface Waiting<Request, Result> {
  readonly request: Request;
  readonly resolve: (value: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * What waits together travels together: one flush is in flight, all that arrives meanwhile goes into the next one, at most
 * `most` requests each, in order of arrival. An idle queue flushes at once. `flush` gives one verdict per request; if it
 * throws, its requests fail with that.
 */
export class GroupCommit<Request, Result> {
  readonly #flush: (batch: readonly Request[]) => Promise<readonly Verdict<Result>[]>;
  readonly #most: number;
  #waiting: Waiting<Request, Result>[] = [];
  #running = false;

  constructor(flush: (batch: readonly Request[]) => Promise<readonly Verdict<Result>[]>, most: number) {
    this.#flush = flush;
    this.#most = most;
  }

  submit(request: Request): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      if (this.#running) return;
      this.#running = true;
      // After this tick, so that what was submitted in one go goes in one flush.
      queueMicrotask(() => void this.#run());
    });
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#most);
      const again = await this.#settle(batch);
      if (again.length > 0) this.#waiting = [...again, ...this.#waiting];
    }
    this.#running = false;
  }

  async #settle(batch: Waiting<Request, Result>[]): Promise<Waiting<Request, Result>[]> {
    const startedAt = performance.now();
    let failed = false;
    let verdicts: readonly Verdict<Result>[];
    try {
      verdicts = await this.#flush(batch.map((waiting) => waiting.request));
    } catch (error) {
      failed = true;
      verdicts = batch.map(() => ({ error }));
    }
    if (commits.hasSubscribers) {
      commits.publish({ debits: batch.length, ms: performance.now() - startedAt, failed } satisfies LedgerCommit);
    }
    return batch.filter((waiting, index) => {
      const verdict = verdicts[index] ?? { error: new Error('a flush left a request without a verdict') };
      if (verdict === 'again') return true;
      if ('value' in verdict) waiting.resolve(verdict.value);
      else waiting.reject(verdict.error);
      return false;
    });
  }
}
