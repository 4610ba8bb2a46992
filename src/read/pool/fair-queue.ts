import type { FairShare } from '../../lib/fair-share.js';
import type { Job } from './job.js';
import { AccountQueue, JobGroup, KindCounts } from './job-group.js';
import { mayHaveMore, QUEUE_SLOTS, slotsPerInput } from './queue-share.js';

/** A set of numbers that sums them with each capped, in time logarithmic in the largest (a Fenwick tree). */
export class CappedSums {
  readonly #size: number;
  /** By value, from 1 to `largest`: how many numbers there are, and their sum. */
  readonly #counts: Float64Array;
  readonly #sums: Float64Array;
  #count = 0;

  /** A number above `largest` counts as `largest`. */
  constructor(largest: number) {
    this.#size = largest;
    this.#counts = new Float64Array(largest + 1);
    this.#sums = new Float64Array(largest + 1);
  }

  /** Replaces one number by another; 0 means none. */
  change(from: number, to: number): void {
    this.#add(from, -1);
    this.#add(to, 1);
  }

  /** The sum of all numbers, each counted with at most `cap`. */
  sum(cap: number): number {
    let [count, sum] = [0, 0];
    for (let at = Math.min(cap, this.#size); at > 0; at -= at & -at) {
      count += this.#counts[at] ?? 0;
      sum += this.#sums[at] ?? 0;
    }
    return sum + (this.#count - count) * Math.min(cap, this.#size);
  }

  #add(number: number, by: 1 | -1): void {
    const value = Math.min(number, this.#size);
    if (value <= 0) return;
    this.#count += by;
    for (let at = value; at <= this.#size; at += at & -at) {
      this.#counts[at] = (this.#counts[at] ?? 0) + by;
      this.#sums[at] = (this.#sums[at] ?? 0) + by * value;
    }
  }
}

/** Takes jobs from the queue; it is a session's worker. */
export interface Consumer {
  mayRead(kind: string): boolean;
  /** False for jobs that it has already tried. */
  mayTake(job: Job): boolean;
}

/**
 * Jobs that wait for the network. Accounts are served in turns, so that none waits behind another's backlog. A job that
 * several accounts wait for is in the queue of each, and leaves all of them when it is taken. The cost of an operation
 * grows with the number of kinds and of the job's accounts, not with the length of the queue.
 */
export class FairQueue {
  readonly #accounts = new Map<string, AccountQueue>();
  readonly #jobs = new Map<Job, Set<AccountQueue>>();
  readonly #groups = new Map<string, JobGroup>();
  readonly #kinds = new KindCounts();
  /** The number of jobs that cannot be batched, each counted once, and how many of them each account waits for. */
  #unbatched = 0;
  readonly #unbatchedOf = new CappedSums(QUEUE_SLOTS);
  readonly #inFlight: FairShare | null;
  #slots = 0;
  #turns = 0;

  /** `inFlight`: the calls in flight, if accounts share them: an account that has its share gets no turn. */
  constructor(inFlight: FairShare | null = null) {
    this.#inFlight = inFlight;
  }

  get size(): number {
    return this.#jobs.size;
  }

  /** Slots taken; a job that several accounts wait for counts once. */
  get slots(): number {
    return this.#slots;
  }

  /** Slots that an account occupies. */
  slotsOf(accountId: string): number {
    return this.#accounts.get(accountId)?.slots ?? 0;
  }

  /** Whether the account may queue one more job within its share. */
  hasRoomFor(accountId: string): boolean {
    return mayHaveMore(this.slotsOf(accountId), this.#slots);
  }

  /** The kinds of the queued jobs. */
  kinds(): Iterable<string> {
    return this.#kinds.kinds();
  }

  /** The queued jobs, grouped by which sessions may take them. */
  groups(): Iterable<JobGroup> {
    return this.#groups.values();
  }

  /** Upstream calls needed for all jobs. */
  get calls(): number {
    return this.#kinds.calls;
  }

  has(job: Job): boolean {
    return this.#jobs.has(job);
  }

  /** Adds the job to an account's queue. */
  add(job: Job, accountId: string): void {
    const account = this.#accounts.get(accountId) ?? new AccountQueue(accountId, this.#turns++);
    const accounts = this.#jobs.get(job) ?? new Set();
    if (accounts.has(account)) return;
    if (accounts.size === 0) this.#count(job, 1);
    this.#accounts.set(accountId, account);
    this.#jobs.set(job, accounts.add(account));
    this.#countOf(account, job, 1);
    const name = JobGroup.keyOf(job);
    const group = this.#groups.get(name) ?? new JobGroup(job.spec.kind);
    this.#groups.set(name, group);
    group.add(job, account);
  }

  delete(job: Job): void {
    for (const account of this.#jobs.get(job) ?? []) this.leave(job, account.id);
  }

  /** Takes the job out of one account's queue, and drops it once it is in no other queue. */
  leave(job: Job, accountId: string): void {
    const accounts = this.#jobs.get(job);
    const account = this.#accounts.get(accountId);
    if (accounts === undefined || account === undefined || !accounts.delete(account)) return;
    this.#countOf(account, job, -1);
    if (account.jobs === 0) this.#accounts.delete(accountId);
    const name = JobGroup.keyOf(job);
    const group = this.#groups.get(name);
    group?.delete(job, account);
    if (group?.isEmpty) this.#groups.delete(name);
    if (accounts.size > 0) return;
    this.#jobs.delete(job);
    this.#count(job, -1);
    // Slots are counted in tenths, which add up inexactly; an empty queue resets the rounding error.
    if (this.#jobs.size === 0) this.#slots = 0;
  }

  /**
   * Takes the jobs of the next upstream call: the oldest job of the account whose turn it is, and as many others of the
   * same kind, from all accounts in turns, as fit into the call. Empty if the consumer may take nothing.
   */
  take(consumer: Consumer): Job[] {
    const groups = this.#openGroups(consumer);
    const first = this.#next(groups);
    if (first === undefined) return [];
    const { kind, maxBatchSize } = first.spec;
    const taken = [first];
    const sameKind = groups.filter((group) => group.kind === kind);
    for (let before = 0; before < taken.length && taken.length < maxBatchSize; ) {
      before = taken.length;
      for (const group of sameKind) {
        for (const account of group.accounts()) {
          const job = taken.length < maxBatchSize ? group.first(account) : undefined;
          if (job === undefined) break;
          this.delete(job);
          taken.push(job);
        }
      }
    }
    return taken;
  }

  /** Whether there is anything the consumer may take. */
  hasFor(consumer: Consumer): boolean {
    for (const group of this.#groups.values()) if (this.#isOpen(group, consumer)) return true;
    return false;
  }

  /** The most upstream calls that can be made before one that this account requests now. */
  callsBefore(accountId: string): number {
    const own = this.#accounts.get(accountId);
    const [turns, unbatched] = [(own?.turnsAmong(this.#kinds) ?? 0) + 1, own?.unbatched ?? 0];
    // At most one call per turn of each other account; all of this account's.
    const others = this.#unbatchedOf.sum(turns) - Math.min(unbatched, turns);
    // A job that many accounts wait for is in all their queues, but is one call.
    return Math.min(unbatched + others, this.#unbatched) + this.calls - this.#unbatched;
  }

  #openGroups(consumer: Consumer): JobGroup[] {
    return [...this.#groups.values()].filter((group) => this.#isOpen(group, consumer));
  }

  #isOpen(group: JobGroup, consumer: Consumer): boolean {
    const { sample } = group;
    const isOpen = sample !== undefined && consumer.mayTake(sample) && consumer.mayRead(group.kind);
    return isOpen && group.next(this.#mayHaveTurn) !== undefined;
  }

  readonly #mayHaveTurn = ({ id }: AccountQueue): boolean => this.#inFlight?.hasRoomFor(id) ?? true;

  #next(groups: readonly JobGroup[]): Job | undefined {
    const account = minBy(
      groups.flatMap((group) => group.next(this.#mayHaveTurn) ?? []),
      ({ turn }) => turn,
    );
    if (account === undefined) return undefined;
    const oldest = minBy(
      groups.flatMap((group) => group.first(account) ?? []),
      ({ since }) => since,
    );
    account.turn = this.#turns++;
    for (const group of this.#groups.values()) group.moveToEnd(account);
    if (oldest === undefined) return undefined;
    this.delete(oldest);
    oldest.slot = this.#inFlight?.take(account.id) ?? null;
    return oldest;
  }

  #countOf(account: AccountQueue, job: Job, by: 1 | -1): void {
    const before = account.unbatched;
    account.count(job, by);
    if (account.unbatched !== before) this.#unbatchedOf.change(before, account.unbatched);
  }

  #count({ spec }: Job, by: 1 | -1): void {
    this.#kinds.count(spec, by);
    if (spec.maxBatchSize === 1) this.#unbatched += by;
    this.#slots += by * slotsPerInput(spec);
  }
}

function minBy<T>(things: readonly T[], orderOf: (thing: T) => number): T | undefined {
  return things.reduce<T | undefined>(
    (first, thing) => (first === undefined || orderOf(thing) < orderOf(first) ? thing : first),
    undefined,
  );
}
