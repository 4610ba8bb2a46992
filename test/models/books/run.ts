/** One run: the service and the model take each step, and both must agree. */
import { expect } from 'vitest';
import { priceOf } from '../calls/prices.js';
import type { Bench } from './bench.js';
import { cutOff, killed, killedStorm } from './kills.js';
import { follow } from './live/streams.js';
import { watch } from './live/watches.js';
import { Pair } from './pair.js';
import { START_MS } from './processes.js';
import type { Seen } from './seen.js';
import type { CallParams, Step } from './steps.js';

/** After this time, whatever a failing network closed is open again. */
const REST_MS = 61_000;

/** A step that never ends is a failure too, so the run can be shrunk. Starting a process has its own bound. */
const STEP_MS = 20_000;

async function inTime(taking: Promise<void>, step: Step): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const restarts = ['kill', 'cut off', 'storm', 'follow', 'watch'].includes(step.step);
  const late = new Promise<never>((_, reject) => {
    const never = (): void => reject(new Error(`It never ended: ${JSON.stringify(step)}`));
    timer = setTimeout(never, STEP_MS + (restarts ? START_MS : 0));
  });
  await Promise.race([taking, late]).finally(() => clearTimeout(timer));
}

export async function run(bench: Bench, steps: readonly Step[]): Promise<void> {
  const pair = await Pair.open(bench);
  for (const step of steps) await inTime(take(pair, step), step);
  await pair.settle();
}

async function take(pair: Pair, step: Step): Promise<void> {
  switch (step.step) {
    case 'call':
      return pair.call(step);
    case 'estimate':
      return estimate(pair, step);
    case 'fault':
      return fault(pair, step, step.code);
    case 'hang':
      return hang(pair, step);
    case 'crowd':
      return crowd(pair, step);
    case 'storm':
      return step.killedAfter === undefined ? storm(pair, step.calls) : killedStorm(pair, step.calls, step.killedAfter);
    case 'follow':
      return follow(pair, step);
    case 'watch':
      return watch(pair, step);
    case 'kill':
      return killed(pair);
    case 'cut off':
      return cutOff(pair, step, step.at);
    case 'wait':
      return pair.advance(step.ms);
    case 'change':
      return pair.bench.gate.world.apply(step);
    default:
      return administer(pair, step);
  }
}

async function administer(
  pair: Pair,
  step: Extract<Step, { key: number; step: 'grant' | 'add key' | 'revoke' | 'rotate' }>,
): Promise<void> {
  const number = pair.numberOf(step.key);
  const key = pair.key(number);
  const known = pair.model.keyOf(number);
  switch (step.step) {
    case 'grant':
      await pair.bench.grant(key.accountId, step.amount);
      pair.model.accountOf(number).balance += step.amount;
      return;
    case 'add key':
      return pair.addKey(known.account, step.cap);
    case 'revoke':
    case 'rotate': {
      // The first key stays, so that there is always one that works.
      if (known.revoked || number === 0) return;
      known.revoked = true;
      if (step.step === 'revoke') await pair.bench.revoke(key);
      else await pair.rotate(number);
      pair.model.advance(1000);
    }
  }
}

/** The estimate is the most that the call can cost. It counts as a request and reads nothing. */
async function estimate(pair: Pair, params: CallParams): Promise<void> {
  const call = pair.modelCall(params);
  const { revoked } = pair.model.keyOf(call.key);
  await pair.advance(1000);
  const seen = await pair.send(params, { estimate: true });
  await pair.advance(1000);
  expect([seen.charged, seen.estimate]).toEqual([0, revoked ? null : pair.model.estimate(call)]);
}

/** The network fails during one call. Then it recovers, which a read proves. */
async function fault(pair: Pair, params: CallParams, code: string): Promise<void> {
  const { world } = pair.bench.gate;
  world.fault = code;
  await pair.call(params);
  world.fault = null;
  await pair.advance(REST_MS);
  await pair.call({ ...params, key: 0, over: 'rest', fresh: true, budget: 500_000 });
}

/** The network hangs and the caller leaves; the call is not charged (M18), whatever it would have read. */
async function hang(pair: Pair, params: CallParams): Promise<void> {
  const hanging = pair.bench.gate.hang();
  const leaving = new AbortController();
  const call = {
    ...params,
    key: 0,
    over: params.over === 'mcp' ? 'rest' : params.over,
    fresh: true,
    budget: 500_000,
  } as const;
  await pair.advance(1000);
  const ended = pair.send(call, { signal: leaving.signal }).then(
    () => 'answered',
    () => 'left',
  );
  const isRead = await Promise.race([hanging.called.then(() => true), ended.then(() => false)]);
  leaving.abort();
  await ended;
  // Once the service answers on another connection, it knows that the first one is closed.
  if (isRead) await fetch(`${pair.bench.url}/healthz`);
  hanging.release();
  await pair.advance(1000);
  await pair.call(call);
}

/**
 * Several accounts read the same object at once. It is one read: the first account pays in full, the others half (M7).
 */
async function crowd(pair: Pair, { request, overs, fresh }: Extract<Step, { step: 'crowd' }>): Promise<void> {
  const { model } = pair;
  const callers = overs.map((over, account) => ({
    over,
    key: model.keys.findIndex((key) => key.account === account && key.cap === null && !key.revoked),
  }));
  const enough = priceOf('object', 'bypass');
  const calls = callers
    .filter(({ key }) => key >= 0 && model.accountOf(key).balance >= enough)
    .map(({ over, key }): CallParams => ({ key, over, requests: [request], fresh, budget: null }));
  const hanging = pair.bench.gate.hang();
  await pair.advance(1000);
  const [first, ...others] = calls;
  if (!first) return hanging.release();
  const leading = pair.send(first);
  await Promise.race([hanging.called, leading]);
  const joining = others.map((each) => pair.send(each));
  hanging.release();
  const seen = await Promise.all([leading, ...joining]);
  for (const [n, params] of calls.entries()) pair.same(params, seen[n] as Seen, model.call(pair.modelCall(params)));
}

/**
 * Any calls at once. Their order is open, so only what holds in any order is compared. All caches are emptied
 * afterwards.
 */
async function storm(pair: Pair, calls: readonly CallParams[]): Promise<void> {
  await pair.advance(1000);
  const seen = await Promise.all(calls.map((params) => pair.send(params)));
  for (const [n, params] of calls.entries()) pair.paid(params, seen[n] as Seen);
  await pair.forget();
  await pair.balances();
}
