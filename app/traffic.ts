import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { v7 } from 'uuid';
import { sampleOf } from '../adapters/http/traffic.js';
import { createTraffic } from '../adapters/postgres/figures/traffic.js';
import { readOperations } from '../schema/operations.js';
import { TrafficBook } from '../src/figures/traffic-book.js';
import { MINUTE_MS } from '../src/lib/durations.js';
import type { StartPoll } from '../src/lib/poll.js';
import type { Clock } from '../src/ports/clock.js';
import type { Lifecycle } from './lifecycle.js';
import type { Stores } from './stores.js';

export interface TrafficOptions {
  readonly stores: Pick<Stores, 'sql'>;
  readonly clock: Clock;
  readonly log: FastifyBaseLogger;
  readonly startPoll: StartPoll;
}

/** Sums of all requests, for the operator: written once a minute and at the end. */
export async function openTraffic(
  lifecycle: Lifecycle,
  app: FastifyInstance,
  { stores, clock, log, startPoll }: TrafficOptions,
): Promise<void> {
  const book = new TrafficBook({
    ...{ traffic: createTraffic(stores.sql), operations: Object.keys(readOperations()), clock, newId: v7 },
  });
  app.onAnswered((answered) => book.note(sampleOf(answered)));
  const flush = async (): Promise<void> => {
    try {
      await book.flush();
    } catch (err) {
      log.warn({ err }, 'The sums of requests could not be written. They are kept, and written with the next minute.');
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
}
