/** Work that is repeated: soon after the start, and then at its interval. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { polling } from '../../../src/lib/poll.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const fail = (error: unknown): never => {
  throw error;
};

it('runs first after a time of its own, then at its interval, and not after the close', async () => {
  let runs = 0;
  const poll = polling(fail)(async () => void runs++, 3_600_000, 60_000);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(runs).toBe(1);
  await vi.advanceTimersByTimeAsync(3_599_999);
  expect(runs).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(runs).toBe(2);
  await poll.close();
  await vi.advanceTimersByTimeAsync(7_200_000);
  expect(runs).toBe(2);
});

it('reports a failed run, and makes the next one at its time', async () => {
  const failures: unknown[] = [];
  const fault = new Error('no database');
  const poll = polling((error) => failures.push(error))(() => Promise.reject(fault), 1_000);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(failures).toEqual([fault, fault]);
  await poll.close();
});
