import type { FastifyBaseLogger } from 'fastify';
import { v7 } from 'uuid';
import type { HistoryModel } from '../adapters/pages/site/status/status-model.js';
import { createStatusHistory, KEPT_DAYS } from '../adapters/postgres/figures/status-history.js';
import type { Sql } from '../adapters/postgres/sql.js';
import { type FamilySample, StatusBook } from '../src/figures/status-book.js';
import { DAY_MS, MINUTE_MS, utcDay } from '../src/lib/durations.js';
import type { StartPoll } from '../src/lib/poll.js';
import type { Clock } from '../src/ports/clock.js';
import type { StatusHistory } from '../src/ports/figures.js';
import type { Pool } from '../src/read/pool/pool.js';
import { openFlush } from './figures.js';
import type { Lifecycle } from './lifecycle.js';
import { FAMILIES, isDown } from './status.js';

/** Most incidents shown. */
const MOST_INCIDENTS = 20;

export interface HistoryOptions {
  readonly sql: Sql;
  readonly databaseAnswers: () => Promise<boolean>;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly log: FastifyBaseLogger;
  readonly startPoll: StartPoll;
}

/** The history as it was at most a minute ago; null if the database doesn't answer. */
export type ReadHistory = () => Promise<HistoryModel | null>;

/** Samples and writes figures of reads once a minute, and when closed. A killed process loses up to a minute. */
export async function openStatusHistory(
  lifecycle: Lifecycle,
  { sql, databaseAnswers, pool, clock, log, startPoll }: HistoryOptions,
): Promise<ReadHistory> {
  const history = createStatusHistory(sql);
  const book = new StatusBook(history, clock, v7);
  // Every family counts as down while the database is away, because no paid read works then.
  let isDatabaseAway = false;
  const write = async (): Promise<void> => {
    try {
      await book.flush();
      isDatabaseAway = false;
    } catch (error) {
      isDatabaseAway = !(await databaseAnswers());
      throw error;
    }
  };
  await openFlush(lifecycle, 'history of the status', write, {
    ...{ log, startPoll, everyMs: MINUTE_MS },
    sample: () => book.note(familySamples(pool, isDatabaseAway)),
    failure: 'The history of the status could not be written. It is kept, and will be written with the next minute.',
  });
  return readEachMinute(history, clock);
}

function familySamples(pool: Pool, isDatabaseAway: boolean): FamilySample[] {
  const health = pool.health();
  return FAMILIES.map((family) => {
    const { upstreamCalls, failures, readMs, cacheHits, read } = health.families[family];
    return {
      family,
      isDown: isDatabaseAway || isDown(family, health),
      ...{ upstreamCalls, failures, readMs, cacheHits, read },
    };
  });
}

/** Reads the history once a minute only, because anyone may request it as often as the public rate allows. */
function readEachMinute(history: StatusHistory, clock: Clock): ReadHistory {
  let known: { readonly untilMs: number; readonly answer: Promise<HistoryModel | null> } | undefined;
  return () => {
    const now = clock.now();
    if (known && now < known.untilMs) return known.answer;
    const fromDay = utcDay(now - (KEPT_DAYS - 1) * DAY_MS);
    const read = async (): Promise<HistoryModel> => ({ fromDay, ...(await history.read(fromDay, MOST_INCIDENTS)) });
    known = { untilMs: now + MINUTE_MS, answer: read().catch(() => null) };
    return known.answer;
  };
}
