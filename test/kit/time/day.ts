import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '../../../src/lib/durations.js';

/** Waits for the next day, in UTC, if this one ends within a minute: for a test whose calls must all be of one day. */
export async function untilDayHasAMinute(): Promise<void> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS);
  if (leftMs < 60_000) await sleep(leftMs + 100);
}
