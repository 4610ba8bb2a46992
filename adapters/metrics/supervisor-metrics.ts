import { AggregatorRegistry } from 'prom-client';
import { type Served, serveMetrics } from './serve-metrics.js';

/**
 * The metrics of all workers of this process, added up. A worker that was replaced starts from 0, as after any restart.
 */
export function serveSupervisorMetrics(host: string, port: number): Promise<Served> {
  const registry = new AggregatorRegistry();
  return serveMetrics(() => registry.clusterMetrics(), registry.contentType, { host, port });
}
