import type { Job } from './job.js';

/** Who may take which jobs: a reading session. */
export interface Taker {
  mayRead(kind: string): boolean;
  mayTake(job: Job): boolean;
}

/** Jobs of one account, by kind, each in order of arrival. */
class Lines {
  readonly byKind = new Map<string, Set<Job>>();
  /** Of those that travel alone. */
  alone = 0;

  add(job: Job): void {
    const { kind, most } = job.carrier;
    this.byKind.set(kind, (this.byKind.get(kind) ?? new Set()).add(job));
    if (most === 1) this.alone += 1;
  }

  delete(job: Job): void {
    const { kind, most } = job.carrier;
    const line = this.byKind.get(kind);
    if (!line?.delete(job)) return;
    if (line.size === 0) this.byKind.delete(kind);
    if (most === 1) this.alone -= 1;
  }

  /** How many turns they take, at most. */
  get turns(): number {
    let turns = 0;
    for (const line of this.byKind.values()) {
      const [job] = line;
      turns += Math.ceil(line.size / (job?.carrier.most ?? 1));
    }
    return turns;
  }

  first(kind: string, taker: Taker): Job | undefined {
    if (!taker.mayRead(kind)) return undefined;
    for (const job of this.byKind.get(kind) ?? []) if (taker.mayTake(job)) return job;
    return undefined;
  }

  oldest(taker: Taker): Job | undefined {
    let oldest: Job | undefined;
    for (const kind of this.byKind.keys()) {
      const job = this.first(kind, taker);
      if (job !== undefined && (oldest === undefined || job.since < oldest.since)) oldest = job;
    }
    return oldest;
  }
}

/**
 * What waits for the upstream's pace, in turns by account (L7): nobody stands behind all that another has waiting. A job that
 * several accounts wait for is in the lines of each, and leaves them all when it is taken.
 */
export class FairQueue {
  /** In order of turns: whose turn is next comes first. */
  readonly #accounts = new Map<string, Lines>();
  readonly #jobs = new Map<Job, Set<string>>();
  /** By kind: how many wait, and how many fit into a call. */
  readonly #kinds = new Map<string, { waiting: number; readonly most: number }>();
  /** Of those that travel alone. */
  #alone = 0;

  get size(): number {
    return this.#jobs.size;
  }

  /** What there are jobs of. */
  kinds(): Iterable<string> {
    return this.#kinds.keys();
  }

  /** How many upstream calls all of it takes. */
  get calls(): number {
    let calls = 0;
    for (const { waiting, most } of this.#kinds.values()) calls += Math.ceil(waiting / most);
    return calls;
  }

  jobs(): readonly Job[] {
    return [...this.#jobs.keys()];
  }

  has(job: Job): boolean {
    return this.#jobs.has(job);
  }

  /** Puts the job into an account's line. */
  add(job: Job, accountId: string): void {
    const accounts = this.#jobs.get(job) ?? new Set();
    if (accounts.has(accountId)) return;
    if (accounts.size === 0) this.#count(job, 1);
    this.#jobs.set(job, accounts.add(accountId));
    const lines = this.#accounts.get(accountId) ?? new Lines();
    this.#accounts.set(accountId, lines);
    lines.add(job);
  }

  delete(job: Job): void {
    const accounts = this.#jobs.get(job);
    if (accounts === undefined) return;
    this.#jobs.delete(job);
    this.#count(job, -1);
    for (const accountId of accounts) {
      const lines = this.#accounts.get(accountId);
      lines?.delete(job);
      if (lines?.byKind.size === 0) this.#accounts.delete(accountId);
    }
  }

  /**
   * What the next upstream call takes: the oldest job of the account whose turn it is, and as many others of its kind, of all
   * accounts in turns, as fit into the same call. Empty when the taker may take nothing.
   */
  take(taker: Taker): Job[] {
    const first = this.#next(taker);
    if (first === undefined) return [];
    const { kind, most } = first.carrier;
    const taken = [first];
    for (let before = 0; before < taken.length && taken.length < most; ) {
      before = taken.length;
      for (const lines of [...this.#accounts.values()]) {
        const job = taken.length < most ? lines.first(kind, taker) : undefined;
        if (job === undefined) continue;
        this.delete(job);
        taken.push(job);
      }
    }
    return taken;
  }

  /** Whether there is anything the taker may take. */
  hasFor(taker: Taker): boolean {
    for (const lines of this.#accounts.values()) if (lines.oldest(taker) !== undefined) return true;
    return false;
  }

  /** How many upstream calls go, at most, before one that this account asks for now. */
  callsBefore(accountId: string): number {
    const own = this.#accounts.get(accountId);
    const turns = (own?.turns ?? 0) + 1;
    let alone = own?.alone ?? 0;
    for (const lines of this.#accounts.values()) if (lines !== own) alone += Math.min(lines.alone, turns);
    // One that many wait for is in the lines of all of them, and is one call.
    return Math.min(alone, this.#alone) + this.calls - this.#alone;
  }

  #next(taker: Taker): Job | undefined {
    for (const [accountId, lines] of this.#accounts) {
      const oldest = lines.oldest(taker);
      if (oldest === undefined) continue;
      // It has had its turn: the others come first.
      this.#accounts.delete(accountId);
      this.#accounts.set(accountId, lines);
      this.delete(oldest);
      return oldest;
    }
    return undefined;
  }

  #count(job: Job, by: 1 | -1): void {
    const { kind, most } = job.carrier;
    const count = this.#kinds.get(kind) ?? { waiting: 0, most };
    count.waiting += by;
    if (count.waiting === 0) this.#kinds.delete(kind);
    else this.#kinds.set(kind, count);
    if (most === 1) this.#alone += by;
  }
}
