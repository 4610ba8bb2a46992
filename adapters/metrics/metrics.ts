import cluster from 'node:cluster';
import type { FastifyInstance } from 'fastify';
import { AggregatorRegistry, Registry } from 'prom-client';
import type { CostSums } from '../../src/domain/costs.js';
import type { MemoryState } from '../../src/lib/memories.js';
import type { PoolHealth } from '../../src/read/pool/health.js';
import { measureCosts } from './costs.js';
import { measureLedger } from './ledger.js';
import { measureMemories } from './memories.js';
import { measureProcess, type RedisState } from './process.js';
import { measureRequests } from './requests.js';
import { serveMetrics } from './serve-metrics.js';
import { measureUpstream } from './upstream.js';

export interface MetricsOptions {
  readonly app: FastifyInstance;
  /** Names of the persisted operations. */
  readonly operations: readonly string[];
  readonly health: () => PoolHealth;
  readonly costs: () => ReadonlyMap<string, CostSums>;
  readonly redis: (() => RedisState) | null;
  readonly memories: () => readonly MemoryState[];
  readonly version: string;
}

export interface Metrics {
  /**
   * Serves them at http://host:port/metrics. One of several workers instead sends them to the process that started it,
   * which serves the sums (`serveSupervisorMetrics`).
   */
  publish(host: string, port: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts measuring. Imported only where metrics are enabled. */
export function createMetrics({ app, operations, health, costs, redis, memories, version }: MetricsOptions): Metrics {
  const registry = new Registry();
  measureProcess(app, registry, version, redis);
  measureRequests(app, [registry], new Set(operations));
  measureUpstream([registry], health);
  measureCosts([registry], costs);
  measureMemories([registry], memories);
  const stopListening = measureLedger([registry]);
  let served: { close(): Promise<void> } | undefined;
  return {
    async publish(host, port) {
      if (cluster.isWorker) handOver(registry);
      else served = await serveMetrics(() => registry.metrics(), registry.contentType, { host, port });
    },
    async close() {
      stopListening();
      await served?.close();
    },
  };
}

/** Creating one of these makes a worker answer when the supervisor requests its metrics. */
function handOver(registry: Registry): void {
  AggregatorRegistry.setRegistries(registry);
  new AggregatorRegistry();
}
