import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

export interface RedisState {
  readonly up: boolean;
  readonly nodes: number;
}

/**
 * Measures this process: its memory and event loop, its load, and whether Redis answers. `redis` is null where Redis is
 * not used.
 */
export function measureProcess(
  app: FastifyInstance,
  register: Registry,
  version: string,
  redis: (() => RedisState) | null,
): void {
  const registers = [register];
  collectDefaultMetrics({ register });
  // Gauges with names of counters, which promtool refuses; their sums are in the gauges without `_total`.
  for (const what of ['handles', 'requests', 'resources']) register.removeSingleMetric(`nodejs_active_${what}_total`);
  new Gauge({
    name: 'perch_build_info',
    help: 'Always 1; the version is in the label.',
    labelNames: ['version'],
    registers,
    aggregator: 'first',
  }).set({ version }, 1);
  new Gauge({
    name: 'perch_http_requests_in_flight',
    help: 'Requests in progress.',
    registers,
    collect() {
      this.set(app.pressure.inFlight);
    },
  });
  new Counter({
    name: 'perch_http_shed_total',
    help: 'Requests refused with 503 because the process was at capacity.',
    registers,
    collect() {
      this.reset();
      this.inc(app.pressure.shed);
    },
  });
  measureShares(app, registers);
  if (redis === null) return;
  new Gauge({
    name: 'perch_redis_up',
    help: '1 if every process can reach Redis.',
    registers,
    aggregator: 'min',
    collect() {
      this.set(redis().up ? 1 : 0);
    },
  });
  new Gauge({
    name: 'perch_nodes',
    help: 'Processes sharing Redis, as seen by this one.',
    registers,
    aggregator: 'max',
    collect() {
      this.set(redis().nodes);
    },
  });
}

/**
 * Measures the resources that callers share: how much is taken, and how many requests over a fair share were refused.
 */
function measureShares(app: FastifyInstance, registers: Registry[]): void {
  const { pressure } = app;
  new Gauge({
    name: 'perch_places_taken',
    help: 'Request slots in use, and of these by calls waiting for the network.',
    labelNames: ['class'],
    registers,
    collect() {
      const { work = 0, network = 0 } = pressure.shares?.slots.taken ?? {};
      this.set({ class: 'work' }, work);
      this.set({ class: 'network' }, network);
    },
  });
  new Gauge({
    name: 'perch_http_connections_open',
    help: 'Open connections.',
    registers,
    collect() {
      this.set(pressure.connections?.open ?? 0);
    },
  });
  new Counter({
    name: 'perch_share_refused_total',
    help: 'Requests and connections refused with 503 because their account or IP address had used its share, by resource and reason.',
    labelNames: ['resource', 'reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(pressure.shares?.slots.refused ?? {})) {
        this.inc({ resource: 'places', reason }, count);
      }
      this.inc({ resource: 'processor', reason: 'processor' }, pressure.shares?.processor.refused ?? 0);
      this.inc({ resource: 'connections', reason: 'address_busy' }, pressure.connections?.refused ?? 0);
      this.inc({ resource: 'bodies', reason: 'address_busy' }, pressure.bodiesRefused);
    },
  });
}
