import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { watchFigures } from '../adapters/postgres/customers/watch-figures.js';
import type { Telemetry } from '../adapters/telemetry/telemetry.js';
import { operationNames } from '../schema/operations.js';
import type { Config } from '../src/config/config.js';
import { VERSION } from '../src/domain/version.js';
import type { CostBook } from '../src/figures/cost-book.js';
import type { Push } from '../src/ports/network.js';
import type { Engine } from './engine.js';
import type { Lifecycle } from './lifecycle.js';
import type { Shared } from './shared.js';
import type { Stores } from './stores.js';

// Traces and metrics for operators. Parts that are not configured are not loaded, so they cost nothing.

/** Traces; null if the configuration sends them nowhere. */
export async function openTracing(
  lifecycle: Lifecycle,
  { traces }: Config,
  log: FastifyBaseLogger,
): Promise<Telemetry | null> {
  if (traces === null) return null;
  const adapter = await import('../adapters/telemetry/telemetry.js');
  return lifecycle.open(
    'traces',
    () => adapter.openTelemetry({ ...traces, version: VERSION, log }),
    (telemetry) => telemetry.close(),
  );
}

/** Traces requests to everything mounted after this. */
export async function observeRequests(app: FastifyInstance, telemetry: Telemetry | null): Promise<void> {
  if (telemetry !== null) (await import('../adapters/telemetry/requests.js')).traceRequests(app, telemetry);
}

/** Measures everything mounted after this, and serves the metrics on a separate port. */
export async function openMetrics(
  lifecycle: Lifecycle,
  { metricsPort, host }: Config,
  watched: {
    readonly app: FastifyInstance;
    readonly engine: Engine;
    readonly shared: Shared;
    readonly costs: CostBook;
    readonly push: Push | null;
    readonly stores: Pick<Stores, 'sql' | 'replica'>;
  },
): Promise<void> {
  if (metricsPort === null) return;
  const { createMetrics } = await import('../adapters/metrics/metrics.js');
  const { app, engine, shared, costs, push, stores } = watched;
  const { sql, replica } = stores;
  const options = {
    app,
    operations: operationNames(),
    health: engine.pool.health,
    costs: () => costs.totals,
    push: push && (() => push.state),
    redis: shared.redis,
    replica: replica && (async () => (await replica.look()).asOf),
    watches: () => watchFigures(sql),
    memories: shared.memories.states,
    version: VERSION,
  };
  const metrics = await lifecycle.open(
    'metrics',
    () => createMetrics(options),
    (measuring) => measuring.close(),
  );
  await lifecycle.open('port of the metrics', () => metrics.publish(host, metricsPort));
}
