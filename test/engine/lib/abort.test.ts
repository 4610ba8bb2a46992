import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { abortable, abortWith, signalWithTimeout } from '../../../src/lib/abort.js';
import { collectingGarbage, dependantsOf } from '../../kit/time/garbage.js';

const never = new Promise<never>(() => {});

it('does not wait for work that ignores its signal', async () => {
  const controller = new AbortController();
  const waiting = abortable(controller.signal, never);
  controller.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
});

it('does not wait for work if the signal has already fired; its failure goes nowhere', async () => {
  const failing = Promise.reject(new Error('late'));
  await expect(abortable(AbortSignal.abort(new Error('gone')), failing)).rejects.toThrow('gone');
});

it.each([
  ['an answer', () => Promise.resolve('answer'), 'answer'],
  ['a failure', () => Promise.reject(new Error('failed')), 'failed'],
])('passes on %s of the work and stops listening to the signal', async (_name, work, expected) => {
  const { signal } = new AbortController();
  const result = await abortable(signal, work()).catch(({ message }: Error) => message);
  expect([result, getEventListeners(signal, 'abort')]).toEqual([expected, []]);
});

const fired = (signal: AbortSignal) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));

it('fires at its time even if garbage is collected first', async () => {
  const caller = new AbortController();
  const reason = await collectingGarbage(() => fired(signalWithTimeout(caller.signal, 100).signal));
  expect([reason, caller.signal.aborted]).toMatchObject([{ name: 'TimeoutError' }, false]);
});

it('fires with the signal before its time', async () => {
  const caller = new AbortController();
  const either = fired(signalWithTimeout(caller.signal, 60_000).signal);
  caller.abort('enough');
  expect(await either).toBe('enough');
});

it('leaves nothing in a signal that outlives the work that it could end', () => {
  const { signal } = new AbortController();
  for (let nth = 0; nth < 1000; nth += 1) {
    signalWithTimeout(signal, 60_000).end();
    abortWith(new AbortController(), signal)();
  }
  expect(dependantsOf(signal)).toBe(0);
});

it('aborts with a signal that has fired already, and with one that fires while it listens', () => {
  const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
  const source = new AbortController();
  abortWith(first, source.signal);
  abortWith(second, source.signal)();
  source.abort('enough');
  abortWith(third, source.signal);
  expect([first, second, third].map(({ signal }) => signal.reason)).toEqual(['enough', undefined, 'enough']);
});
