import type { AccountQueue } from './fair-queue.js';
import type { Job } from './job.js';

/** Jobs of one kind that the same sessions have tried, so that a session may take all or none. By account, in turns. */
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

  /** Any one of the jobs: to sessions they are equal. */
  get sample(): Job | undefined {
    for (const jobs of this.#accounts.values()) for (const job of jobs) return job;
    return undefined;
  }

  /** The account whose turn is next. */
  get next(): AccountQueue | undefined {
    for (const account of this.#accounts.keys()) return account;
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
