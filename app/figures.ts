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

const FLUSH_MS = 60_000;

export interface CostOptions {
  readonly stores: Pick<Stores, 'sql'>;
  readonly network: Network;
  readonly clock: Clock;
  readonly log: FastifyBaseLogger;
  readonly startPoll: StartPoll;
}

/** Records what reads earn and cost: written once a minute and when closed. Looks for losses once an hour. */
export async function openCosts(lifecycle: Lifecycle, options: CostOptions): Promise<CostBook> {
  const { stores, network, clock, log, startPoll } = options;
  const costs = createCosts(stores.sql);
  const book = new CostBook({ network, operations: operationNames(), costs, clock, newId: v7 });
  const flush = async (): Promise<void> => {
    try {
      await book.flush();
    } catch (err) {
      log.warn(
        { err },
        'The earnings and costs of reads could not be written. They are kept, and will be written with the next minute.',
      );
    }
  };
  await lifecycle.open(
    'sums of costs',
    () => startPoll(flush, FLUSH_MS),
    async (poll) => {
      await poll.close();
      await flush();
    },
  );
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

export interface TrafficOptions {
  readonly stores: Pick<Stores, 'sql' | 'queries'>;
  readonly clock: Clock;
  readonly log: FastifyBaseLogger;
  readonly startPoll: StartPoll;
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
  const flush = async (): Promise<void> => {
    try {
      await book.flush();
    } catch (err) {
      log.warn(
        { err },
        'The sums of requests could not be written. They are kept, and will be written with the next minute.',
      );
    }
  };
  await lifecycle.open(
    'sums of requests',
    () => startPoll(flush, MINUTE_MS),
    async (poll) => {
      await poll.close();
      await flush();
    },
  );
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
  const written = (run: () => Promise<void>) => async (): Promise<void> => {
    try {
      await run();
    } catch (err) {
      log.warn({ err }, "Requests could not be written to their accounts' logs. Retrying in a few seconds.");
    }
  };
  const flush = written(() => book.flush());
  await lifecycle.open(
    'logs of requests',
    () => startPoll(flush, REQUESTS_MS),
    async (poll) => {
      await poll.close();
      await flush();
    },
  );
  await lifecycle.open(
    'end of old requests',
    () =>
      startPoll(
        written(() => store.forget(new Date(clock.now() - REQUESTS_KEPT_MS))),
        HOUR_MS,
      ),
    (poll) => poll.close(),
  );
}
