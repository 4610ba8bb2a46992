import type { Sql } from '../adapters/postgres/sql.js';
import { COMET_THREAD_ID } from '../demo/entry-points.js';
import { MINUTE_MS } from '../src/lib/durations.js';
import type { Clock } from '../src/ports/clock.js';

/**
 * Whether the corpus now holds the invented network and nothing else. It is recognised by one of its threads and by its
 * ids. An id is a time and 22 bits that tell objects of the same millisecond apart; the demo's accounts use none of
 * these bits, and its tweets only the lowest eight.
 */
export async function holdsOnlyDemo(sql: Sql): Promise<boolean> {
  const [found] = await sql<{ only: boolean }[]>`
    select exists (select from corpus_tweets where id = ${COMET_THREAD_ID})
      and not exists (select from corpus_users where id & 4194303 <> 0)
      and not exists (select from corpus_tweets where id & 4194303 > 255 or id < 4194304) as only`;
  return found?.only === true;
}

/**
 * Checks again at most once a minute, because data can be imported while the service runs. Stays false once other data
 * was found; a check that fails is false until the next one.
 */
export function demoWatch(sql: Sql, clock: Clock, isDemo: boolean): () => Promise<boolean> {
  let known: { untilMs: number; answer: Promise<boolean | null> } = {
    untilMs: clock.now() + MINUTE_MS,
    answer: Promise.resolve(isDemo),
  };
  return async () => {
    const now = clock.now();
    if (now >= known.untilMs && (await known.answer) !== false) {
      known = { untilMs: now + MINUTE_MS, answer: holdsOnlyDemo(sql).catch(() => null) };
    }
    return (await known.answer) === true;
  };
}
