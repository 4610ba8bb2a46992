/** The service and the model, side by side. Whatever is done to one is done to the other, and both must agree. */
import { expect } from 'vitest';
import type { Answer, Call, Position, Read } from '../calls/calls.js';
import { Model } from '../calls/model.js';
import { Spending } from '../calls/wallets.js';
import { SUBJECTS } from '../calls/world.js';
import { type Bench, DEFAULT_BUDGET, type Row, type TestAccount, type TestKey } from './bench.js';
import { compare } from './compare.js';
import type { Place } from './live/streams.js';
import type { Watch } from './live/watches.js';
import type { Seen, Sent } from './seen.js';
import { send } from './send.js';
import { type CallParams, OPENING } from './steps.js';

/** A cursor of the service, and what it stands for. */
interface Cursor {
  readonly text: string;
  readonly position: Position;
}

/** Longer than anything is cached. */
const FORGET_MS = 15 * 3_600_000;

export class Pair {
  readonly bench: Bench;
  readonly model: Model;
  readonly #accounts: TestAccount[] = [];
  readonly #keys: TestKey[] = [];
  readonly #cursors = new Map<string, Cursor[]>();
  readonly #places = new Map<string, Place[]>();
  readonly #watches = new Map<string, Map<string, Watch>>();
  /** The charge of each request, as its answer stated it. */
  readonly #charged = new Map<string, number>();

  static async open(bench: Bench): Promise<Pair> {
    const world = await bench.begin();
    const pair = new Pair(bench, new Model(world, { nowMs: bench.now(), defaultBudget: DEFAULT_BUDGET * 1000 }));
    for (const { credits, paidUsd, qps, caps } of OPENING) {
      pair.#accounts.push(await bench.account({ credits, paidUsd }));
      const number = pair.model.open(Math.round(credits * 1000), qps);
      for (const cap of caps) await pair.addKey(number, cap === null ? null : Math.round(cap * 1000));
    }
    return pair;
  }

  private constructor(bench: Bench, model: Model) {
    this.bench = bench;
    this.model = model;
  }

  async addKey(account: number, cap: number | null): Promise<void> {
    const { accountId } = this.account(account);
    this.#keys.push(await this.bench.addKey(accountId, cap));
    this.model.addKey(account, cap);
  }

  async advance(ms: number): Promise<void> {
    await this.bench.advance(ms);
    this.model.advance(ms);
  }

  /** The number of an existing key. */
  numberOf(key: number): number {
    return key % this.#keys.length;
  }

  key(number: number): TestKey {
    return this.#keys[number] as TestKey;
  }

  account(number: number): TestAccount {
    return this.#accounts[number] as TestAccount;
  }

  async rotate(number: number): Promise<void> {
    const old = this.model.keyOf(number);
    this.#keys.push(await this.bench.rotate(this.key(number)));
    this.model.keyOf(this.model.addKey(old.account, old.cap)).spent = old.spent;
  }

  #cursorOf({ requests }: CallParams, index: number): Cursor | null {
    const request = requests[index];
    if (request?.read !== 'list' || request.cursor === null) return null;
    const given = this.#cursors.get(request.kind) ?? [];
    return given.at(-1 - (request.cursor % Math.max(1, given.length))) ?? null;
  }

  /** The account that pays for a key's calls. */
  accountOf(key: number): string {
    return this.key(this.numberOf(key)).accountId;
  }

  /** The places that the streams of an account have reached. */
  placesOf(accountId: string): Place[] {
    const places = this.#places.get(accountId) ?? [];
    this.#places.set(accountId, places);
    return places;
  }

  /** The watches of an account, by the kind of their list. */
  watchesOf(accountId: string): Map<string, Watch> {
    const watches = this.#watches.get(accountId) ?? new Map<string, Watch>();
    this.#watches.set(accountId, watches);
    return watches;
  }

  /** What a key may spend, in thousandths. */
  leftOf(key: number): number {
    const number = this.numberOf(key);
    return new Spending(this.model.accountOf(number), this.model.keyOf(number), null).left;
  }

  isCharged(requestId: string): boolean {
    return this.#charged.has(requestId);
  }

  /** Lets everything cached expire. */
  async forget(): Promise<void> {
    await this.advance(FORGET_MS);
    this.#cursors.clear();
  }

  modelCall(params: CallParams): Call {
    const reads = params.requests.map((request, n): Read => {
      if (request.read !== 'list') return request;
      const { cursor: _, ...own } = request;
      return { ...own, subject: SUBJECTS[request.kind], from: this.#cursorOf(params, n)?.position ?? null };
    });
    return { key: this.numberOf(params.key), reads, fresh: params.fresh, budget: params.budget };
  }

  send(params: CallParams, more: Partial<Sent> = {}, url = this.bench.url): Promise<Seen> {
    const cursors = params.requests.map((_, n) => this.#cursorOf(params, n)?.text ?? null);
    return send(url, this.key(this.numberOf(params.key)).key, { ...params, cursors, ...more });
  }

  async call(params: CallParams): Promise<void> {
    const call = this.modelCall(params);
    const seen = await this.send(params);
    this.same(params, seen, this.model.call(call));
  }

  same(params: CallParams, seen: Seen, model: Answer): void {
    compare(params, seen, model);
    this.note(seen);
    for (const [n, request] of params.requests.entries()) {
      const text = seen.reads[n]?.next;
      const position = model.reads[n]?.next;
      if (request.read !== 'list' || !text || !position) continue;
      this.#cursors.set(request.kind, [...(this.#cursors.get(request.kind) ?? []), { text, position }]);
    }
  }

  /** For calls whose cost is open: checks only what holds in any order. */
  paid({ key, budget }: Pick<CallParams, 'key' | 'budget'>, seen: Pick<Seen, 'requestId' | 'charged'>): void {
    const { charged } = seen;
    const number = this.numberOf(key);
    const paying = this.model.keyOf(number);
    if (budget !== null) expect(charged).toBeLessThanOrEqual(budget);
    if (paying.revoked) expect(charged).toBe(0);
    this.note(seen);
    this.model.accountOf(number).balance -= charged;
    paying.spent += charged;
    if (paying.cap !== null) expect(paying.spent).toBeLessThanOrEqual(paying.cap);
  }

  note({ requestId, charged }: Pick<Seen, 'requestId' | 'charged'>): void {
    expect(this.#charged.has(requestId)).toBe(false);
    if (charged > 0) this.#charged.set(requestId, charged);
  }

  async #rows(): Promise<Row[]> {
    return (await Promise.all(this.#accounts.map((account) => this.bench.debits(account)))).flat();
  }

  /** The rows of the ledger that no client was told of. */
  async unconfirmed(): Promise<Row[]> {
    return (await this.#rows()).filter(({ requestId }) => !this.#charged.has(requestId));
  }

  async balances(): Promise<void> {
    const balances = await Promise.all(this.#accounts.map((account) => this.bench.balance(account)));
    expect(balances).toEqual(this.model.accounts.map(({ balance }) => balance));
  }

  /** The ledger has exactly one row for each known charge, of that amount, and no others. */
  async settle(): Promise<void> {
    await this.balances();
    const booked = (await this.#rows()).map(({ requestId, amount }) => [requestId, amount]).sort();
    expect(booked).toEqual([...this.#charged].sort());
  }
}
