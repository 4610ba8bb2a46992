import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { abortable, signalWithTimeout } from '../../../src/lib/abort.js';
import { collectingGarbage } from '../../kit/time/garbage.js';

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
  const reason = await collectingGarbage(() => fired(signalWithTimeout(caller.signal, 100)));
  expect([reason, caller.signal.aborted]).toMatchObject([{ name: 'TimeoutError' }, false]);
});

it('fires with the signal before its time', async () => {
  const caller = new AbortController();
  const either = fired(signalWithTimeout(caller.signal, 60_000));
  caller.abort('enough');
  expect(await either).toBe('enough');
});
