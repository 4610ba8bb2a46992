import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

export interface RedisState {
  readonly up: boolean;
  readonly nodes: number;
}

/** This process: its memory and its loop, how busy it is, and whether Redis answers it; null where none is used. */
export function measureProcess(
  app: FastifyInstance,
  register: Registry,
  version: string,
  redis: (() => RedisState) | null,
): void {
  const registers = [register];
  collectDefaultMetrics({ register });
  new Gauge({
    name: 'perch_build_info',
    help: 'Always 1; the version is in the label.',
    labelNames: ['version'],
    registers,
    aggregator: 'first',
  }).set({ version }, 1);
  new Gauge({
    name: 'perch_http_requests_in_flight',
    help: 'Requests that are being worked on.',
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
  if (redis === null) return;
  new Gauge({
    name: 'perch_redis_up',
    help: '1 while Redis answers every process.',
    registers,
    aggregator: 'min',
    collect() {
      this.set(redis().up ? 1 : 0);
    },
  });
  new Gauge({
    name: 'perch_nodes',
    help: 'Processes that share Redis, as this one sees it.',
    registers,
    aggregator: 'max',
    collect() {
      this.set(redis().nodes);
    },
  });
}
