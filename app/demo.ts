import type { Sql } from '../adapters/postgres/sql.js';
import { COMET_THREAD_ID } from '../demo/entry-points.js';
import { MINUTE_MS } from '../src/lib/durations.js';
import type { Clock } from '../src/ports/clock.js';

/**
 * Whether the corpus holds the invented network and nothing else, now. Recognised by the demo's own thread and by its ids:
 * an id is a time and 22 bits for what happens in the same millisecond, of which the demo's accounts use none, and its
 * tweets no more than eight.
 */
export async function holdsOnlyDemo(sql: Sql): Promise<boolean> {
  const [found] = await sql<{ only: boolean }[]>`
    select exists (select from corpus_tweets where id = ${COMET_THREAD_ID})
      and not exists (select from corpus_users where id & 4194303 <> 0)
      and not exists (select from corpus_tweets where id & 4194303 > 255 or id < 4194304) as only`;
  return found?.only === true;
}

/** The same, asked at most once a minute: data can be imported while the service runs. False once it was false. */
export function demoWatch(sql: Sql, clock: Clock, isDemo: boolean): () => Promise<boolean> {
  let known = { untilMs: clock.now() + MINUTE_MS, answer: Promise.resolve(isDemo) };
  return async () => {
    const now = clock.now();
    if (now >= known.untilMs && (await known.answer)) {
      known = { untilMs: now + MINUTE_MS, answer: holdsOnlyDemo(sql).catch(() => false) };
    }
    return known.answer;
  };
}
