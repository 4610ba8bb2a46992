/**
 * Kills the process and starts another on the same database. What a client was told is in the ledger; a call that was
 * cut off is charged at most once, and then what the model says it costs.
 */
import { expect } from 'vitest';
import type { Row } from './bench.js';
import { openOneWay } from './one-way.js';
import type { Pair } from './pair.js';
import type { Seen } from './seen.js';
import { signal } from './signal.js';
import type { CallParams, Moment } from './steps.js';

/** Kills the process between two calls. `restMs` passes before another one serves. */
export async function killed(pair: Pair, meanwhile?: () => void, restMs = 0): Promise<void> {
  await pair.bench.kill(meanwhile, restMs);
  pair.model.advance(restMs);
  pair.model.restart();
}

/** Kills the process in the middle of a call. */
export async function cutOff(pair: Pair, params: CallParams, at: Moment): Promise<void> {
  const call = pair.modelCall(params);
  const { seen, isCharged } = await CUTS[at](pair, params);
  const answer = pair.model.call(call);
  // It had no need of what was blocked, so it was answered.
  if (seen) pair.same(params, seen, answer);
  const rows = await pair.unconfirmed();
  pair.model.restart();
  if (seen || answer.charged === 0) return expect(rows).toEqual([]);
  const { keyId } = pair.key(call.key);
  const whole = { requestId: expect.any(String), keyId, amount: answer.charged, items: answer.items };
  const charged = isCharged ?? rows.length > 0;
  expect(rows).toEqual(charged ? [whole] : []);
  if (charged) pair.note({ requestId: (rows[0] as Row).requestId, charged: answer.charged });
  else pair.model.takeBack(call, answer);
}

/** The outcome of a call that was cut off. `isCharged` is null if it may or may not be charged. */
interface Cut {
  readonly seen: Seen | null;
  readonly isCharged: boolean | null;
}

const CUTS: Readonly<Record<Moment, (pair: Pair, params: CallParams) => Promise<Cut>>> = {
  /** The network was called and has not answered. */
  async reading(pair, params) {
    const hanging = pair.bench.gate.hang();
    const call = cuttable(pair.send(params));
    await Promise.race([hanging.called, call.ended]);
    await call.cut(() => pair.bench.kill(hanging.release));
    return { seen: await call.ended, isCharged: false };
  },
  /** The debit is on its way: Postgres may write it after its sender's death. */
  async settling(pair, params) {
    const lock = await pair.bench.lock(pair.account(pair.model.keyOf(pair.numberOf(params.key)).account));
    const call = cuttable(pair.send(params));
    await lock.waited(call.ended);
    await call.cut(() => pair.bench.kill(lock.release));
    return { seen: await call.ended, isCharged: null };
  },
  /** The answer was sent, and never arrives. */
  async answering(pair, params) {
    const way = await openOneWay(pair.bench.url);
    const call = cuttable(pair.send(params, {}, way.url));
    await way.answered;
    await call.cut(() => pair.bench.kill());
    way.close();
    return { seen: await call.ended, isCharged: true };
  },
};

/** A call that may fail once the process is being killed, and not before; it then resolves with null. */
function cuttable(sent: Promise<Seen>) {
  let isCut = false;
  const ended = sent.catch((error: unknown) => {
    if (isCut) return null;
    throw error;
  });
  return {
    ended,
    async cut(kill: () => Promise<void>): Promise<void> {
      isCut = true;
      await kill();
    },
  };
}

/** Sends several calls at once and kills the process once this many are answered. */
export async function killedStorm(pair: Pair, calls: readonly CallParams[], killedAfter: number): Promise<void> {
  await pair.advance(1000);
  const enough = signal();
  let answered = 0;
  const count = (): void => {
    answered += 1;
    if (answered >= killedAfter) enough.fire();
  };
  const sent = calls.map((params) => cuttable(pair.send(params)));
  for (const { ended } of sent) ended.then(count, count);
  await Promise.race([enough.fired, Promise.all(sent.map(({ ended }) => ended))]);
  await Promise.all(sent.map(({ cut }) => cut(async () => {})));
  await killed(pair);
  const seen = await Promise.all(sent.map(({ ended }) => ended));
  for (const [n, params] of calls.entries()) if (seen[n]) pair.paid(params, seen[n]);
  // Each of the remaining rows belongs to a call that was cut off: it has that call's key, and costs no more than that
  // call can and may cost. The smallest row goes to the call with the lowest maximum, so that every row finds a call.
  const mostOf = (params: CallParams): number =>
    Math.min(pair.model.estimate(pair.modelCall(params)) ?? 0, params.budget ?? Number.POSITIVE_INFINITY);
  const open = calls.filter((_, n) => !seen[n]).sort((one, other) => mostOf(one) - mostOf(other));
  const unconfirmed = (await pair.unconfirmed()).sort((one, other) => one.amount - other.amount);
  for (const { requestId, keyId, amount } of unconfirmed) {
    const nth = open.findIndex(
      (params) => pair.key(pair.numberOf(params.key)).keyId === keyId && amount <= mostOf(params),
    );
    expect(nth, `a row of ${amount} that no call explains`).not.toBe(-1);
    for (const params of open.splice(nth, 1)) pair.paid(params, { requestId, charged: amount });
  }
  await pair.balances();
}
