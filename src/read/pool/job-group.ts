import type { BatchSpec, Job } from './job.js';
import { slotsPerInput } from './queue-share.js';

/** How many jobs of each kind are waiting, and how many of them fit into one upstream call. */
export class KindCounts {
  readonly #kinds = new Map<string, { waiting: number; readonly maxBatchSize: number }>();

  /** The kinds with waiting jobs. */
  kinds(): Iterable<string> {
    return this.#kinds.keys();
  }

  /** Upstream calls needed for all of them. */
  get calls(): number {
    let calls = 0;
    for (const kind of this.#kinds.keys()) calls += this.#callsOf(kind);
    return calls;
  }

  /**
   * The most upstream calls over which these jobs can be spread when they are taken from among `all`: other accounts'
   * jobs may fill all places of a call except one.
   */
  callsAmong(all: KindCounts): number {
    let calls = 0;
    for (const [kind, { waiting }] of this.#kinds) calls += Math.min(waiting, all.#callsOf(kind));
    return calls;
  }

  count({ kind, maxBatchSize }: BatchSpec, by: 1 | -1): void {
    const count = this.#kinds.get(kind) ?? { waiting: 0, maxBatchSize };
    count.waiting += by;
    if (count.waiting === 0) this.#kinds.delete(kind);
    else this.#kinds.set(kind, count);
  }

  #callsOf(kind: string): number {
    const count = this.#kinds.get(kind);
    return count === undefined ? 0 : Math.ceil(count.waiting / count.maxBatchSize);
  }
}
/** Counters of one account's jobs in the queue, so that decisions do not take longer as the queue grows. */
export class AccountQueue {
  readonly id: string;
  /** The number of its last turn, or of its arrival. The account with the lowest number is next. */
  turn: number;
  /** Jobs that cannot be batched. */
  unbatched = 0;
  /** Slots of the queue that it occupies. */
  slots = 0;
  jobs = 0;
  readonly #kinds = new KindCounts();

  constructor(id: string, turn: number) {
    this.id = id;
    this.turn = turn;
  }

  count({ spec }: Job, by: 1 | -1): void {
    this.jobs += by;
    this.slots += by * slotsPerInput(spec);
    if (spec.maxBatchSize === 1) this.unbatched += by;
    this.#kinds.count(spec, by);
  }

  /** The most turns that its jobs can take among `all` queued jobs. */
  turnsAmong(all: KindCounts): number {
    return this.#kinds.callsAmong(all);
  }
}

/**
 * Jobs of one kind that the same sessions have tried, so that a session may take either all or none of them. By
 * account, in turns.
 */
export class JobGroup {
  readonly kind: string;
  /** In order of turns, each with its jobs in order of arrival. */
  readonly #accounts = new Map<AccountQueue, Set<Job>>();
  /** The count of session closings when its jobs were last checked. */
  checkedAtClosings = 0;

  constructor(kind: string) {
    this.kind = kind;
  }

  static keyOf({ spec, tried }: Job): string {
    return tried.size === 0 ? spec.kind : `${spec.kind} ${[...tried].sort().join(' ')}`;
  }

  get isEmpty(): boolean {
    return this.#accounts.size === 0;
  }

  /** Any one of the jobs: sessions make no difference between them. */
  get sample(): Job | undefined {
    for (const jobs of this.#accounts.values()) for (const job of jobs) return job;
    return undefined;
  }

  /** The account whose turn is next, of those that may have one. */
  next(mayHaveOne: (account: AccountQueue) => boolean): AccountQueue | undefined {
    for (const account of this.#accounts.keys()) if (mayHaveOne(account)) return account;
    return undefined;
  }

  first(account: AccountQueue): Job | undefined {
    for (const job of this.#accounts.get(account) ?? []) return job;
    return undefined;
  }

  accounts(): Iterable<AccountQueue> {
    return this.#accounts.keys();
  }

  add(job: Job, account: AccountQueue): void {
    const jobs = this.#accounts.get(account);
    if (jobs) jobs.add(job);
    else this.#accounts.set(account, new Set([job]));
  }

  delete(job: Job, account: AccountQueue): void {
    const jobs = this.#accounts.get(account);
    if (jobs?.delete(job) && jobs.size === 0) this.#accounts.delete(account);
  }

  /** Moves an account behind the others, after its turn. */
  moveToEnd(account: AccountQueue): void {
    const jobs = this.#accounts.get(account);
    if (jobs === undefined) return;
    this.#accounts.delete(account);
    this.#accounts.set(account, jobs);
  }

  *jobs(): Iterable<Job> {
    for (const jobs of this.#accounts.values()) yield* jobs;
  }
}
