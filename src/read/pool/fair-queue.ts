import { AccountLine } from './account-line.js';
import { CappedSums } from './capped-sums.js';
import { Crowd } from './crowd.js';
import type { Job } from './job.js';
import { mayHaveMore, PLACES, placesOf } from './share.js';

/** Who may take which jobs: a reading session. */
export interface Taker {
  mayRead(kind: string): boolean;
  /** What it may not is what it has tried already. */
  mayTake(job: Job): boolean;
}

/**
 * What waits for the upstream, in turns by account (L7): nobody stands behind all that another has waiting. A job that several
 * accounts wait for is in the lines of each, and leaves them all when it is taken. What an operation costs grows with the kinds of
 * read and the accounts of the one job, not with what waits.
 */
export class FairQueue {
  readonly #accounts = new Map<string, AccountLine>();
  readonly #jobs = new Map<Job, Set<AccountLine>>();
  readonly #crowds = new Map<string, Crowd>();
  /** By kind: how many wait, and how many fit into a call. */
  readonly #kinds = new Map<string, { waiting: number; readonly most: number }>();
  /** Of those that travel alone, each once; and how many each account waits for. */
  #alone = 0;
  readonly #aloneOf = new CappedSums(PLACES);
  #places = 0;
  #turns = 0;

  get size(): number {
    return this.#jobs.size;
  }

  /** How many of its places are taken, a job that several wait for counted once. */
  get places(): number {
    return this.#places;
  }

  /** Places that an account has. */
  placesOf(accountId: string): number {
    return this.#accounts.get(accountId)?.places ?? 0;
  }

  /** Whether one more of the account's may wait without taking from the others' share. */
  hasRoomFor(accountId: string): boolean {
    return mayHaveMore(this.placesOf(accountId), this.#places);
  }

  /** What there are jobs of. */
  kinds(): Iterable<string> {
    return this.#kinds.keys();
  }

  /** What waits, by what may take it. */
  crowds(): Iterable<Crowd> {
    return this.#crowds.values();
  }

  /** How many upstream calls all of it takes. */
  get calls(): number {
    let calls = 0;
    for (const { waiting, most } of this.#kinds.values()) calls += Math.ceil(waiting / most);
    return calls;
  }

  has(job: Job): boolean {
    return this.#jobs.has(job);
  }

  /** Puts the job into an account's line. */
  add(job: Job, accountId: string): void {
    const account = this.#accounts.get(accountId) ?? new AccountLine(accountId, this.#turns++);
    const accounts = this.#jobs.get(job) ?? new Set();
    if (accounts.has(account)) return;
    if (accounts.size === 0) this.#count(job, 1);
    this.#accounts.set(accountId, account);
    this.#jobs.set(job, accounts.add(account));
    this.#countOf(account, job, 1);
    const name = Crowd.nameOf(job);
    const crowd = this.#crowds.get(name) ?? new Crowd(job.carrier.kind);
    this.#crowds.set(name, crowd);
    crowd.add(job, account);
  }

  delete(job: Job): void {
    for (const account of this.#jobs.get(job) ?? []) this.leave(job, account.id);
  }

  /** Takes the job out of one account's line; it goes when it is in no other. */
  leave(job: Job, accountId: string): void {
    const accounts = this.#jobs.get(job);
    const account = this.#accounts.get(accountId);
    if (accounts === undefined || account === undefined || !accounts.delete(account)) return;
    this.#countOf(account, job, -1);
    if (account.jobs === 0) this.#accounts.delete(accountId);
    const name = Crowd.nameOf(job);
    const crowd = this.#crowds.get(name);
    crowd?.delete(job, account);
    if (crowd?.isEmpty) this.#crowds.delete(name);
    if (accounts.size > 0) return;
    this.#jobs.delete(job);
    this.#count(job, -1);
    // Tenths add up to nearly whole places: an empty queue is where that ends.
    if (this.#jobs.size === 0) this.#places = 0;
  }

  /**
   * What the next upstream call takes: the oldest job of the account whose turn it is, and as many others of its kind, of all
   * accounts in turns, as fit into the same call. Empty when the taker may take nothing.
   */
  take(taker: Taker): Job[] {
    const crowds = this.#open(taker);
    const first = this.#next(crowds);
    if (first === undefined) return [];
    const { kind, most } = first.carrier;
    const taken = [first];
    const alike = crowds.filter((crowd) => crowd.kind === kind);
    for (let before = 0; before < taken.length && taken.length < most; ) {
      before = taken.length;
      for (const crowd of alike) {
        for (const account of crowd.accounts()) {
          const job = taken.length < most ? crowd.first(account) : undefined;
          if (job === undefined) break;
          this.delete(job);
          taken.push(job);
        }
      }
    }
    return taken;
  }

  /** Whether there is anything the taker may take. */
  hasFor(taker: Taker): boolean {
    for (const crowd of this.#crowds.values()) if (isOpen(crowd, taker)) return true;
    return false;
  }

  /** How many upstream calls go, at most, before one that this account asks for now. */
  callsBefore(accountId: string): number {
    const own = this.#accounts.get(accountId);
    const [turns, alone] = [(own?.turns ?? 0) + 1, own?.alone ?? 0];
    // Of each other account no more than one call a turn; its own all.
    const others = this.#aloneOf.sum(turns) - Math.min(alone, turns);
    // One that many wait for is in the lines of all of them, and is one call.
    return Math.min(alone + others, this.#alone) + this.calls - this.#alone;
  }

  #open(taker: Taker): Crowd[] {
    return [...this.#crowds.values()].filter((crowd) => isOpen(crowd, taker));
  }

  #next(crowds: readonly Crowd[]): Job | undefined {
    const account = firstOf(
      crowds.flatMap(({ next }) => next ?? []),
      ({ turn }) => turn,
    );
    if (account === undefined) return undefined;
    const oldest = firstOf(
      crowds.flatMap((crowd) => crowd.first(account) ?? []),
      ({ since }) => since,
    );
    account.turn = this.#turns++;
    for (const crowd of this.#crowds.values()) crowd.toEnd(account);
    if (oldest) this.delete(oldest);
    return oldest;
  }

  #countOf(account: AccountLine, job: Job, by: 1 | -1): void {
    const before = account.alone;
    account.count(job, by);
    if (account.alone !== before) this.#aloneOf.change(before, account.alone);
  }

  #count({ carrier }: Job, by: 1 | -1): void {
    const { kind, most } = carrier;
    const count = this.#kinds.get(kind) ?? { waiting: 0, most };
    count.waiting += by;
    if (count.waiting === 0) this.#kinds.delete(kind);
    else this.#kinds.set(kind, count);
    if (most === 1) this.#alone += by;
    this.#places += by * placesOf(carrier);
  }
}

function isOpen(crowd: Crowd, taker: Taker): boolean {
  const { sample } = crowd;
  return sample !== undefined && taker.mayTake(sample) && taker.mayRead(crowd.kind);
}

function firstOf<T>(things: readonly T[], orderOf: (thing: T) => number): T | undefined {
  return things.reduce<T | undefined>(
    (first, thing) => (first === undefined || orderOf(thing) < orderOf(first) ? thing : first),
    undefined,
  );
}
