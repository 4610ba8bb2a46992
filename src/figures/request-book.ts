import type { LoggedRequest, RequestLog } from '../ports/figures.js';

/** Most requests of one account that are kept between two writes, with separate limits for answers and failures. */
export const MOST_ANSWERED = 20;
export const MOST_FAILED = 40;
/** Most requests of all accounts that wait to be written, those of a failed write included. */
const MOST_WAITING = 5_000;

interface Waiting {
  answered: number;
  failed: number;
}

/**
 * Collects requests for their accounts' logs, so that no request waits for a write. Requests above the limits are left
 * out. If the process is killed, requests not yet written are lost.
 */
export class RequestBook {
  readonly #log: Pick<RequestLog, 'write'>;
  #rows: LoggedRequest[] = [];
  #accounts = new Map<string, Waiting>();
  /** Rows that could not be written. */
  #failed: readonly LoggedRequest[] = [];

  constructor(log: Pick<RequestLog, 'write'>) {
    this.#log = log;
  }

  /** `read` is called only if there is room for the request, so that leaving one out costs next to nothing. */
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

  /** Writes the waiting rows. If that fails, they keep waiting. Do not call again before the last call has ended. */
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
