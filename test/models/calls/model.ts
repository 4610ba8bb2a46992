/**
 * The whole meter in plain lines, from docs/pricing.md and the interface: the answers and charges of any sequence of
 * calls. It shares no code with the service.
 */
import { Bill } from './bill.js';
import { ModelCache } from './cache.js';
import {
  type Answer,
  type Call,
  mostOf,
  type Nested,
  type Read,
  type ReadAnswer,
  unitOf,
  unitOfList,
} from './calls.js';
import { readList, readNested } from './lists.js';
import { readBatch, readObject } from './objects.js';
import { priceOf } from './prices.js';
import { admit, fill, type ModelAccount, type ModelKey, Spending } from './wallets.js';
import type { World } from './world.js';

export interface ModelOptions {
  readonly nowMs: number;
  /** In thousandths. A call that could cost more is refused unless it has a budget of its own (G8). */
  readonly defaultBudget: number;
}

/** The most items that a list may be read for, as counted in advance (G10). */
const MOST_PARENTS = 20;

const sumOf = <T>(all: readonly T[], figure: (one: T) => number): number =>
  all.reduce((sum, one) => sum + figure(one), 0);

export class Model {
  cache: ModelCache;
  readonly accounts: ModelAccount[] = [];
  readonly keys: ModelKey[] = [];
  readonly #world: World;
  readonly #defaultBudget: number;

  constructor(world: World, { nowMs, defaultBudget }: ModelOptions) {
    this.cache = new ModelCache(world, nowMs);
    this.#world = world;
    this.#defaultBudget = defaultBudget;
  }

  /** Another process takes over: caches and rate limits are empty again. */
  restart(): void {
    const { nowMs } = this.cache;
    this.cache = new ModelCache(this.#world, nowMs);
    for (const account of this.accounts) fill(account, nowMs);
  }

  /** The call was not charged after all. */
  takeBack({ key }: Call, { charged }: Answer): void {
    this.accountOf(key).balance += charged;
    this.keyOf(key).spent -= charged;
  }

  /** Returns the account's number. */
  open(balance: number, qps: number): number {
    return this.accounts.push({ balance, qps, tokens: qps * 1000, refilledAtMs: this.cache.nowMs }) - 1;
  }

  /** Returns the key's number. */
  addKey(account: number, cap: number | null): number {
    return this.keys.push({ account, cap, spent: 0, revoked: false }) - 1;
  }

  keyOf(number: number): ModelKey {
    const key = this.keys[number];
    if (!key) throw new Error(`There is no key ${number}.`);
    return key;
  }

  accountOf(number: number): ModelAccount {
    const account = this.accounts[this.keyOf(number).account];
    if (!account) throw new Error(`Key ${number} has no account.`);
    return account;
  }

  advance(ms: number): void {
    this.cache.nowMs += ms;
  }

  /** The most that the call can cost, which is the estimate; null if a list would be read for too many items (G10). */
  estimate({ reads, fresh }: Pick<Call, 'reads' | 'fresh'>): number | null {
    const label = fresh ? 'bypass' : 'miss';
    const below = (fields: readonly Nested[], parents: number): number =>
      sumOf(fields, ({ kind, count, below: next = [] }) => {
        const items = parents > MOST_PARENTS ? Number.POSITIVE_INFINITY : parents * count;
        return items * priceOf(unitOfList(kind), label) + below(next, items);
      });
    const most = sumOf(
      reads,
      (read) =>
        mostOf(read) * priceOf(unitOf(read), label) + ('below' in read ? below(read.below ?? [], mostOf(read)) : 0),
    );
    return Number.isFinite(most) ? most : null;
  }

  /** In the order of S7: the key, the rate, the size of the call, the credits, the read. */
  call(call: Call): Answer {
    const key = this.keyOf(call.key);
    const account = this.accountOf(call.key);
    const refused = { charged: 0, items: 0, reads: [], label: 'miss', ageSeconds: null } as const;
    if (key.revoked) return { ...refused, code: 'invalid_key', balance: null, rate: null };
    const { allowed, header: rate } = admit(account, this.cache.nowMs);
    const balance = account.balance;
    if (!allowed) return { ...refused, code: 'rate_limited', balance, rate };
    const most = this.estimate(call);
    if (most === null || (call.budget === null && most > this.#defaultBudget))
      return { ...refused, code: 'bad_request', balance, rate };
    const spending = new Spending(account, key, call.budget);
    if (spending.left <= 0) return { ...refused, code: 'no_credits', balance, rate };
    const bill = new Bill(spending);
    const reads = call.reads.map((read) => this.#read(bill, read, call.fresh));
    account.balance -= bill.charged;
    key.spent += bill.charged;
    const [only] = reads;
    return {
      code: reads.length === 1 ? (only?.code ?? null) : null,
      charged: bill.charged,
      items: bill.items,
      balance: account.balance,
      reads,
      label: bill.label,
      ageSeconds: bill.ageSeconds(this.cache.nowMs),
      rate,
    };
  }

  #read(bill: Bill, read: Read, fresh: boolean): ReadAnswer {
    if ('ids' in read) return readBatch(this.cache, bill, read, fresh);
    const own =
      read.read === 'list' ? readList(this.cache, bill, read, fresh) : readObject(this.cache, bill, read, fresh);
    return { ...own, nested: readNested(this.cache, bill, read.below ?? [], own.ids, fresh) };
  }
}
