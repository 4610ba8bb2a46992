import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Metrics } from '../adapters/metrics/metrics.js';
import type { Config } from '../src/config/config.js';
import { UNTRACED } from '../src/core/untraced.js';
import { VERSION } from '../src/core/version.js';
import type { Tracing } from '../src/ports/tracing.js';
import type { Engine } from './engine.js';
import type { Shared } from './shared.js';

/** What operators see of a process from outside. */
export interface Observing {
  readonly tracing: Tracing;
  /** Call it before anything is mounted. */
  watch(app: FastifyInstance, engine: Engine, shared: Shared): Promise<void>;
  /** Shows the metrics, where there is a port for them. */
  publish(): Promise<void>;
  /** Sends what is left, within a bound. */
  close(): Promise<void>;
}

/** Traces and metrics: what the configuration does not ask for is not even loaded, and costs nothing. */
export async function openObserving(config: Config, log: FastifyBaseLogger): Promise<Observing> {
  const { metricsPort, traces, host } = config;
  const telemetry =
    traces && (await import('../adapters/telemetry/telemetry.js')).openTelemetry({ ...traces, version: VERSION, log });
  let metrics: Metrics | undefined;
  return {
    tracing: telemetry?.tracing ?? UNTRACED,
    async watch(app, { pool, operations }, { redis, memories }) {
      if (telemetry) (await import('../adapters/telemetry/requests.js')).traceRequests(app, telemetry);
      if (metricsPort === null) return;
      const { createMetrics } = await import('../adapters/metrics/metrics.js');
      metrics = createMetrics({
        app,
        operations: Object.keys(operations),
        health: pool.health,
        redis,
        memories: memories.states,
        version: VERSION,
      });
    },
    async publish() {
      if (metricsPort !== null) await metrics?.publish(host, metricsPort);
    },
    async close() {
      await Promise.all([metrics?.close(), telemetry?.close()]);
    },
  };
}
