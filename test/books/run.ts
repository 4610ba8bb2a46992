/** One run: each step is taken by the service and by the model, and both must say the same. */
import { expect } from 'vitest';
import type { Answer, Call, Position, Read } from '../model/calls.js';
import { Model } from '../model/model.js';
import { priceOf } from '../model/prices.js';
import type { TestAccount } from '../support/perch.js';
import { type Bench, DEFAULT_BUDGET, type TestKey } from './bench.js';
import { compare } from './compare.js';
import { type Seen, type Sent, send, subjectOf } from './send.js';
import { type Asked, OPENING, type Step } from './steps.js';

/** A cursor as the service gave it, and what it stands for. */
interface Cursor {
  readonly text: string;
  readonly position: Position;
}

/** Back in time: what any failure of the network has closed is open again. */
const REST_MS = 61_000;

/** A step that never ends is a failure, too: with it the run can be shrunk. */
const STEP_MS = 20_000;

async function inTime(taking: Promise<void>, step: Step): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It never ended: ${JSON.stringify(step)}`)), STEP_MS);
  });
  await Promise.race([taking, late]).finally(() => clearTimeout(timer));
}

export class Run {
  readonly #bench: Bench;
  readonly #model: Model;
  readonly #accounts: TestAccount[] = [];
  readonly #keys: TestKey[] = [];
  readonly #cursors = new Map<string, Cursor[]>();
  /** Charged by request, as the answers said. */
  readonly #charged = new Map<string, number>();

  private constructor(bench: Bench) {
    this.#bench = bench;
    const world = bench.begin();
    this.#model = new Model(world, { nowMs: bench.clock.now(), defaultBudget: DEFAULT_BUDGET * 1000 });
  }

  static async of(bench: Bench, steps: readonly Step[]): Promise<void> {
    const run = new Run(bench);
    await run.#open();
    for (const step of steps) await inTime(run.#take(step), step);
    await run.#settle();
  }

  async #open(): Promise<void> {
    for (const { credits, paidUsd, qps, caps } of OPENING) {
      const account = await this.#bench.perch.account({ credits, paidUsd, qps: 0 });
      this.#accounts.push(account);
      const number = this.#model.open(Math.round(credits * 1000), qps);
      for (const cap of caps) await this.#addKey(number, cap === null ? null : Math.round(cap * 1000));
    }
  }

  async #addKey(account: number, cap: number | null): Promise<void> {
    const { accountId = '' } = this.#accounts[account] ?? {};
    this.#keys.push(await this.#bench.addKey(accountId, cap));
    this.#model.addKey(account, cap);
  }

  #advance(ms: number): void {
    this.#bench.clock.advance(ms);
    this.#model.advance(ms);
  }

  #keyNumber(key: number): number {
    return key % this.#keys.length;
  }

  async #take(step: Step): Promise<void> {
    switch (step.step) {
      case 'call':
        return this.#call(step);
      case 'estimate':
        return this.#estimate(step);
      case 'fault':
        return this.#fault(step, step.code);
      case 'hang':
        return this.#hang(step);
      case 'crowd':
        return this.#crowd(step);
      case 'storm':
        return this.#storm(step.calls);
      case 'wait':
        return this.#advance(step.ms);
      case 'change':
        return this.#bench.net.world.apply(step);
      default:
        return this.#administer(step);
    }
  }

  async #administer(
    step: Extract<Step, { key: number; step: 'grant' | 'add key' | 'revoke' | 'rotate' }>,
  ): Promise<void> {
    const number = this.#keyNumber(step.key);
    const key = this.#keys[number] as TestKey;
    const known = this.#model.keyOf(number);
    switch (step.step) {
      case 'grant':
        await this.#bench.grant(key.accountId, step.amount);
        this.#model.accountOf(number).balance += step.amount;
        return;
      case 'add key':
        return this.#addKey(known.account, step.cap);
      case 'revoke':
      case 'rotate': {
        // The first stays, so that there is always one that works.
        if (known.revoked || number === 0) return;
        known.revoked = true;
        if (step.step === 'revoke') await this.#bench.revoke(key);
        else {
          this.#keys.push(await this.#bench.rotate(key));
          const next = this.#model.keyOf(this.#model.addKey(known.account, known.cap));
          next.spent = known.spent;
        }
        this.#model.advance(1000);
      }
    }
  }

  #cursorOf({ asks }: Asked, index: number): Cursor | null {
    const ask = asks[index];
    if (ask?.read !== 'list' || ask.cursor === null) return null;
    const given = this.#cursors.get(ask.kind) ?? [];
    return given.at(-1 - (ask.cursor % Math.max(1, given.length))) ?? null;
  }

  #sent(asked: Asked): Sent {
    return { ...asked, cursors: asked.asks.map((_, n) => this.#cursorOf(asked, n)?.text ?? null) };
  }

  #modelCall(asked: Asked): Call {
    const reads = asked.asks.map((ask, n): Read => {
      if (ask.read !== 'list') return ask;
      const { cursor: _, ...own } = ask;
      return { ...own, subject: subjectOf(ask.kind), from: this.#cursorOf(asked, n)?.position ?? null };
    });
    return { key: this.#keyNumber(asked.key), reads, fresh: asked.fresh, budget: asked.budget };
  }

  #send(asked: Asked, more: Partial<Sent> = {}): Promise<Seen> {
    const key = this.#keys[this.#keyNumber(asked.key)] as TestKey;
    return send(this.#bench.perch.url, key.key, { ...this.#sent(asked), ...more });
  }

  async #call(asked: Asked): Promise<void> {
    const call = this.#modelCall(asked);
    const seen = await this.#send(asked);
    this.#same(asked, seen, this.#model.call(call));
  }

  #same(asked: Asked, seen: Seen, model: Answer): void {
    compare(asked, seen, model);
    this.#note(seen);
    for (const [n, ask] of asked.asks.entries()) {
      const text = seen.reads[n]?.next;
      const position = model.reads[n]?.next;
      if (ask.read !== 'list' || !text || !position) continue;
      this.#cursors.set(ask.kind, [...(this.#cursors.get(ask.kind) ?? []), { text, position }]);
    }
  }

  #note({ requestId, charged }: Seen): void {
    expect(this.#charged.has(requestId)).toBe(false);
    if (charged > 0) this.#charged.set(requestId, charged);
  }

  /** Its figure is the most that the call can cost. It counts as a request, and reads nothing. */
  async #estimate(asked: Asked): Promise<void> {
    const call = this.#modelCall(asked);
    const { revoked } = this.#model.keyOf(call.key);
    this.#advance(1000);
    const seen = await this.#send(asked, { estimate: true });
    this.#advance(1000);
    expect([seen.charged, seen.estimate]).toEqual([0, revoked ? null : this.#model.estimate(call)]);
  }

  /** The network fails for the time of one call; then it is well, and a read shows it. */
  async #fault(asked: Asked, code: string): Promise<void> {
    const { world } = this.#bench.net;
    world.fault = code;
    await this.#call(asked);
    world.fault = null;
    this.#advance(REST_MS);
    await this.#call({ ...asked, key: 0, over: 'rest', fresh: true, budget: 500_000 });
  }

  /** The network hangs, and the caller leaves: not charged (M18), whatever was to be read. */
  async #hang(asked: Asked): Promise<void> {
    const hanging = this.#bench.net.hang();
    const leaving = new AbortController();
    const call = {
      ...asked,
      key: 0,
      over: asked.over === 'mcp' ? 'rest' : asked.over,
      fresh: true,
      budget: 500_000,
    } as const;
    this.#advance(1000);
    const ended = this.#send(call, { signal: leaving.signal }).then(
      () => 'answered',
      () => 'left',
    );
    const isRead = await Promise.race([hanging.called.then(() => true), ended.then(() => false)]);
    leaving.abort();
    await ended;
    // The service has heard of the closed connection once it answers on another.
    if (isRead) await fetch(`${this.#bench.perch.url}/healthz`);
    hanging.release();
    this.#advance(1000);
    await this.#call(call);
  }

  /** The same object for several accounts at once: one read, for which the first pays in full, the others half (M7). */
  async #crowd({ ask, overs, fresh }: Extract<Step, { step: 'crowd' }>): Promise<void> {
    const callers = overs.map((over, account) => ({
      over,
      key: this.#model.keys.findIndex((key) => key.account === account && key.cap === null && !key.revoked),
    }));
    const enough = priceOf('object', 'bypass');
    const calls = callers
      .filter(({ key }) => key >= 0 && this.#model.accountOf(key).balance >= enough)
      .map(({ over, key }): Asked => ({ key, over, asks: [ask], fresh, budget: null }));
    const hanging = this.#bench.net.hang();
    this.#advance(1000);
    const [first, ...others] = calls;
    if (!first) return hanging.release();
    const leading = this.#send(first);
    await Promise.race([hanging.called, leading]);
    const joining = others.map((each) => this.#send(each));
    hanging.release();
    const seen = await Promise.all([leading, ...joining]);
    for (const [n, asked] of calls.entries())
      this.#same(asked, seen[n] as Seen, this.#model.call(this.#modelCall(asked)));
  }

  /**
   * Any calls at once: which comes first is open, so only what holds in any order is compared. Everything kept is
   * forgotten afterwards.
   */
  async #storm(calls: readonly Asked[]): Promise<void> {
    this.#advance(1000);
    const seen = await Promise.all(calls.map((asked) => this.#send(asked)));
    for (const [n, { key, budget }] of calls.entries()) {
      const { charged } = seen[n] as Seen;
      const number = this.#keyNumber(key);
      const paying = this.#model.keyOf(number);
      if (budget !== null) expect(charged).toBeLessThanOrEqual(budget);
      if (paying.revoked) expect(charged).toBe(0);
      this.#note(seen[n] as Seen);
      this.#model.accountOf(number).balance -= charged;
      paying.spent += charged;
      if (paying.cap !== null) expect(paying.spent).toBeLessThanOrEqual(paying.cap);
    }
    this.#advance(15 * 3_600_000);
    this.#cursors.clear();
    await this.#balances();
  }

  async #balances(): Promise<void> {
    const told = await Promise.all(this.#accounts.map((account) => this.#bench.balance(account)));
    expect(told).toEqual(this.#model.accounts.map(({ balance }) => balance));
  }

  /** The ledger has one row for each charge that was told, of that amount, and no other. */
  async #settle(): Promise<void> {
    await this.#balances();
    const rows = await Promise.all(this.#accounts.map(({ accountId }) => this.#bench.debits(accountId)));
    const booked = rows.flatMap((each) => [...each]).sort();
    expect(booked).toEqual([...this.#charged].sort());
  }
}
