import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { v7 } from 'uuid';
import { noteRequest, toTrafficSample } from '../adapters/http/traffic.js';
import { createCosts } from '../adapters/postgres/figures/costs.js';
import { createRequestLog } from '../adapters/postgres/figures/request-log.js';
import { createTraffic } from '../adapters/postgres/figures/traffic.js';
import { operationNames } from '../schema/operations.js';
import { CostBook, type Loss, WARNING_DAYS } from '../src/figures/cost-book.js';
import { RequestBook } from '../src/figures/request-book.js';
import { TrafficBook } from '../src/figures/traffic-book.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../src/lib/durations.js';
import type { StartPoll } from '../src/lib/poll.js';
import type { Clock } from '../src/ports/clock.js';
import type { Network } from '../src/ports/network.js';
import type { Lifecycle } from './lifecycle.js';
import type { Stores } from './stores.js';

interface Polling {
  readonly log: FastifyBaseLogger;
  readonly startPoll: StartPoll;
}

export interface FlushOptions extends Polling {
  readonly everyMs: number;
  /** Logged when a flush fails. */
  readonly failure: string;
  /** Called before each flush but the last. */
  readonly sample?: () => void;
}

/** Writes what a book has collected at intervals, and once more when closed. */
export async function openFlush(
  lifecycle: Lifecycle,
  name: string,
  write: () => Promise<void>,
  { log, startPoll, everyMs, failure, sample = () => {} }: FlushOptions,
): Promise<void> {
  const flush = (): Promise<void> => write().catch((err: unknown) => log.warn({ err }, failure));
  const run = (): Promise<void> => {
    sample();
    return flush();
  };
  await lifecycle.open(
    name,
    () => startPoll(run, everyMs),
    async (poll) => {
      await poll.close();
      await flush();
    },
  );
}

export interface CostOptions extends Polling {
  readonly stores: Pick<Stores, 'sql'>;
  readonly network: Network;
  readonly clock: Clock;
}

/** Records what reads earn and cost: written once a minute and when closed. Looks for losses once an hour. */
export async function openCosts(lifecycle: Lifecycle, options: CostOptions): Promise<CostBook> {
  const { stores, network, clock, log, startPoll } = options;
  const costs = createCosts(stores.sql);
  const book = new CostBook({ network, operations: operationNames(), costs, clock, newId: v7 });
  await openFlush(lifecycle, 'sums of costs', () => book.flush(), {
    ...{ log, startPoll, everyMs: MINUTE_MS },
    failure:
      'The earnings and costs of reads could not be written. They are kept, and will be written with the next minute.',
  });
  if (network.billing === null) return book;
  const warn = async (): Promise<void> => {
    for (const loss of await book.newLosses()) log.warn(loss, lossWarning(loss));
  };
  await lifecycle.open(
    'warnings of losses',
    () => startPoll(warn, HOUR_MS),
    (poll) => poll.close(),
  );
  return book;
}

const lossWarning = ({ operation, worthUsd, costUsd, hitRate }: Loss): string =>
  `${operation} does not earn what it costs: it earned $${worthUsd.toFixed(2)} and cost $${costUsd.toFixed(2)} in ${WARNING_DAYS} days, with ${Math.round(hitRate * 100)}% of its items from the cache. See perch costs.`;

export interface TrafficOptions extends Polling {
  readonly stores: Pick<Stores, 'sql' | 'queries'>;
  readonly clock: Clock;
}

/**
 * Sums of all requests, for the operator, written once a minute and when closed; and the newest requests of each
 * account, for its members, written every few seconds.
 */
export async function openTraffic(
  lifecycle: Lifecycle,
  app: FastifyInstance,
  { stores, clock, log, startPoll }: TrafficOptions,
): Promise<void> {
  const book = new TrafficBook({
    ...{ traffic: createTraffic(stores.sql), operations: operationNames(), clock, newId: v7 },
  });
  app.onAnswered((answered) => book.note(toTrafficSample(answered)));
  await openFlush(lifecycle, 'sums of requests', () => book.flush(), {
    ...{ log, startPoll, everyMs: MINUTE_MS },
    failure: 'The sums of requests could not be written. They are kept, and will be written with the next minute.',
  });
  await openRequestLog(lifecycle, app, { stores, clock, log, startPoll });
}

const REQUESTS_MS = 5_000;
const REQUESTS_KEPT_MS = 30 * DAY_MS;

async function openRequestLog(
  lifecycle: Lifecycle,
  app: FastifyInstance,
  { stores, clock, log, startPoll }: TrafficOptions,
): Promise<void> {
  const store = createRequestLog(stores.sql, stores.queries);
  const book = new RequestBook(store);
  app.onAnswered((answered) => noteRequest(book, answered, clock));
  const failure = "Requests could not be written to their accounts' logs. Retrying in a few seconds.";
  const options = { log, startPoll, everyMs: REQUESTS_MS, failure };
  await openFlush(lifecycle, 'logs of requests', () => book.flush(), options);
  const forget = (): Promise<void> =>
    store.forget(new Date(clock.now() - REQUESTS_KEPT_MS)).catch((err: unknown) => log.warn({ err }, failure));
  await lifecycle.open(
    'end of old requests',
    () => startPoll(forget, HOUR_MS),
    (poll) => poll.close(),
  );
}
