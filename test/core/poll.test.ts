/** What is done again and again: soon after the start, and then at its pace. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startPoll } from '../../src/billing/poll.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('the first run comes after its own time, the others after theirs, and none after the close', async () => {
  let runs = 0;
  const poll = startPoll(async () => void runs++, 3_600_000, 60_000);
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
