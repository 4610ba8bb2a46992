import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { createWatchLeases } from '../adapters/postgres/customers/watch-leases.js';
import { WATCH_FORM } from '../adapters/rest/watch-form.js';
import { backgroundTimers, monotonic } from '../src/lib/monotonic.js';
import type { Clock } from '../src/ports/clock.js';
import { Watching } from '../src/watches/watching.js';
import type { Customers } from './customers/customers.js';
import type { Engine } from './engine.js';
import type { Lifecycle } from './lifecycle.js';
import type { Stores } from './stores.js';

export interface WatchingParts {
  readonly app: FastifyInstance;
  readonly engine: Pick<Engine, 'live'>;
  readonly stores: Pick<Stores, 'sql'>;
  readonly customers: Pick<Customers, 'deliveries' | 'sendsMail'>;
  readonly clock: Clock;
  readonly log: FastifyBaseLogger;
}

/** Follows this process's share of the watches, from its start until it closes. */
export const openWatching = (lifecycle: Lifecycle, parts: WatchingParts): Promise<Watching> =>
  lifecycle.open(
    'watches',
    () => {
      const { app, engine, stores, customers, clock, log } = parts;
      return new Watching({
        leases: createWatchLeases(stores.sql),
        live: engine.live,
        form: WATCH_FORM,
        holder: randomUUID(),
        clock,
        monotonic,
        timers: backgroundTimers,
        dashboard: () => (customers.sendsMail ? `${app.authUrl}/dashboard` : null),
        onWritten: () => customers.deliveries.wake(),
        onFailure: (err) => log.error({ err }, 'Watches could not be followed. Retrying in a few seconds.'),
      });
    },
    (watching) => watching.close(),
  );
