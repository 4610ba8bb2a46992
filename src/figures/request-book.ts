import type { LoggedRequest, RequestLog } from '../ports/figures.js';

/** Requests of one account that are kept between two writes: failures have places of their own. */
export const MOST_ANSWERED = 20;
export const MOST_FAILED = 40;
/** Requests of all accounts that wait to be written, those of a failed write included. */
const MOST_WAITING = 5_000;

interface Waiting {
  answered: number;
  failed: number;
}

/**
 * Collects requests for their accounts' logs: nothing is written in the path of a request, and what a busy account sends
 * beyond its places is left out. If the process is killed, what was not written is missing.
 */
export class RequestBook {
  readonly #log: Pick<RequestLog, 'write'>;
  #rows: LoggedRequest[] = [];
  #accounts = new Map<string, Waiting>();
  /** What could not be written. */
  #failed: readonly LoggedRequest[] = [];

  constructor(log: Pick<RequestLog, 'write'>) {
    this.#log = log;
  }

  /** `read`: called where there is a place for it, so that a request without one costs next to nothing. */
  note(accountId: string, isFailure: boolean, read: () => LoggedRequest): void {
    let waiting = this.#accounts.get(accountId);
    if (waiting === undefined) {
      if (this.#rows.length + this.#failed.length >= MOST_WAITING) return;
      waiting = { answered: 0, failed: 0 };
      this.#accounts.set(accountId, waiting);
    }
    if (isFailure ? waiting.failed >= MOST_FAILED : waiting.answered >= MOST_ANSWERED) return;
    if (this.#rows.length + this.#failed.length >= MOST_WAITING) return;
    if (isFailure) waiting.failed += 1;
    else waiting.answered += 1;
    this.#rows.push(read());
  }

  /** Writes what waits. If that fails, it goes on waiting. To be called again only when the last call has ended. */
  async flush(): Promise<void> {
    const rows = [...this.#failed, ...this.#rows];
    this.#rows = [];
    this.#accounts = new Map();
    if (rows.length === 0) return;
    this.#failed = rows;
    await this.#log.write(rows);
    this.#failed = [];
  }
}
