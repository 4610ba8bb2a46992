import cluster from 'node:cluster';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type CostSums, toUsd } from '../../src/domain/costs.js';
import { toCredits } from '../../src/domain/credits.js';
import { LEDGER_COMMITS, type LedgerCommit, WEBHOOK_TRIES, type WebhookTry } from '../../src/domain/usage.js';
import type { MemoryState } from '../../src/lib/memories.js';
import type { PushState } from '../../src/ports/network.js';
import type { WatchFigures } from '../../src/ports/watches.js';
import type { PoolHealth } from '../../src/read/pool/health.js';
import { measureProcess, type RedisState } from './process.js';
import { measureRequests } from './requests.js';
import { serveMetrics } from './serve-metrics.js';
import { measurePush, measureUpstream } from './upstream.js';
import { measureWatches } from './watches.js';
import { reportMetrics } from './workers.js';

interface Row {
  readonly name: string;
  readonly help: string;
  readonly of: (memory: MemoryState) => number;
}

const GAUGES: readonly Row[] = [
  { name: 'bytes', help: 'Estimated current size of a memory table, keys included.', of: ({ bytes }) => bytes },
  { name: 'limit_bytes', help: 'Maximum size of a memory table.', of: ({ maxBytes }) => maxBytes },
];

/** Measures all memory tables, which keep things between requests in the process, by their names. */
function measureMemories(registers: Registry[], memories: () => readonly MemoryState[]): void {
  const labelNames = ['memory'] as const;
  for (const { name, help, of } of GAUGES) {
    new Gauge({
      name: `perch_memory_${name}`,
      help,
      labelNames,
      registers,
      collect() {
        for (const memory of memories()) this.set({ memory: memory.name }, of(memory));
      },
    });
  }
  new Counter({
    name: 'perch_memory_evictions_total',
    help: 'Entries evicted from a memory table to make room.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const memory of memories()) this.inc({ memory: memory.name }, memory.evictions);
    },
  });
}

/** Measures the replica that history is read from. */
function measureReplica(registers: Registry[], asOf: () => Promise<Date | null>): void {
  new Gauge({
    name: 'perch_history_replica_up',
    help: '1 if every process reads history from its replica.',
    registers,
    aggregator: 'min',
    async collect() {
      this.set((await asOf()) === null ? 0 : 1);
    },
  });
  new Gauge({
    name: 'perch_history_replica_lag_seconds',
    help: 'Age of the newest commit in the replica of history. An idle service commits every 5 s. Missing while it cannot be asked.',
    registers,
    aggregator: 'max',
    async collect() {
      const at = await asOf();
      if (at === null) this.remove();
      else this.set((Date.now() - at.getTime()) / 1000);
    },
  });
}

/** Measures the ledger's commits. Returns a function that stops it. */
function measureLedger(registers: Registry[]): () => void {
  const seconds = new Histogram({
    name: 'perch_ledger_commit_duration_seconds',
    help: 'Time taken to commit a group of debits.',
    labelNames: ['result'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers,
  });
  // Prometheus sees an increase only in a series that exists before it, so the first failure needs its zero.
  for (const result of ['ok', 'failed']) seconds.zero({ result });
  // Its sum is the number of debits posted.
  const debits = new Histogram({
    name: 'perch_ledger_commit_debits',
    help: 'Debits posted per commit.',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
    registers,
  });
  const observe = (message: unknown): void => {
    const commit = message as LedgerCommit;
    seconds.observe({ result: commit.failed ? 'failed' : 'ok' }, commit.ms / 1000);
    if (commit.debits > 0) debits.observe(commit.debits);
  };
  subscribe(LEDGER_COMMITS, observe);
  return () => void unsubscribe(LEDGER_COMMITS, observe);
}

/** Measures the webhooks that this process sends. Returns a function that stops it. */
function measureWebhooks(registers: Registry[]): () => void {
  const seconds = new Histogram({
    name: 'perch_webhook_duration_seconds',
    help: 'Time until a webhook was answered, by its kind (watch or notice) and outcome (delivered, failed, given up).',
    labelNames: ['of', 'outcome'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const observe = (message: unknown): void => {
    const { of, outcome, ms } = message as WebhookTry;
    seconds.observe({ of, outcome }, ms / 1000);
  };
  subscribe(WEBHOOK_TRIES, observe);
  return () => void unsubscribe(WEBHOOK_TRIES, observe);
}

const COUNTERS: readonly [name: string, help: string, of: (sums: CostSums) => number][] = [
  ['answers_total', 'Answers to priced operations, by operation.', ({ answers }) => answers],
  ['credits_total', 'Credits charged, by operation.', ({ charged }) => toCredits(charged)],
  ['calls_total', 'Calls made to the network for an operation.', ({ calls }) => calls],
  ['billed_tweets_total', 'Tweets that the network returned and bills.', ({ tweets }) => tweets],
  ['billed_profiles_total', 'Profiles that the network returned and bills.', ({ users }) => users],
  ['cost_usd_total', "US dollars, by the network's price list.", ({ cost }) => toUsd(cost)],
];

/** Measures what reads have earned and cost since the start, from the sums at each scrape. */
function measureCosts(registers: Registry[], totals: () => ReadonlyMap<string, CostSums>): void {
  for (const [name, help, of] of COUNTERS) {
    new Counter({
      name: `perch_reads_${name}`,
      help,
      labelNames: ['operation'],
      registers,
      collect() {
        this.reset();
        for (const [operation, sums] of totals()) this.inc({ operation }, of(sums));
      },
    });
  }
}

export interface MetricsOptions {
  readonly app: FastifyInstance;
  /** Names of the persisted operations. */
  readonly operations: readonly string[];
  readonly health: () => PoolHealth;
  readonly costs: () => ReadonlyMap<string, CostSums>;
  /** Null where the network announces nothing. */
  readonly push: (() => PushState) | null;
  readonly redis: (() => RedisState) | null;
  /**
   * The time up to which the replica of history is complete, or null while it can't be asked. Null: there is no
   * replica.
   */
  readonly replica: (() => Promise<Date | null>) | null;
  readonly watches: () => Promise<WatchFigures>;
  readonly memories: () => readonly MemoryState[];
  readonly version: string;
}

export interface Metrics {
  /**
   * Serves the metrics at http://host:port/metrics. One of several workers sends them to the process that started it
   * instead, which serves the sums (`serveSupervisorMetrics`).
   */
  publish(host: string, port: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts measuring. Imported only where metrics are enabled. */
export function createMetrics(options: MetricsOptions): Metrics {
  const { app, operations, health, costs, push, redis, replica, watches, memories, version } = options;
  const registry = new Registry();
  measureProcess(app, registry, version, redis);
  measureRequests(app, [registry], new Set(operations));
  measureUpstream([registry], health);
  if (push !== null) measurePush([registry], push);
  if (replica !== null) measureReplica([registry], replica);
  measureCosts([registry], costs);
  measureWatches([registry], watches);
  measureMemories([registry], memories);
  const stopListening = [measureLedger([registry]), measureWebhooks([registry])];
  let served: { close(): Promise<void> } | undefined;
  return {
    async publish(host, port) {
      if (cluster.isWorker) stopListening.push(reportMetrics(registry));
      else served = await serveMetrics(() => registry.metrics(), registry.contentType, { host, port });
    },
    async close() {
      for (const stop of stopListening) stop();
      await served?.close();
    },
  };
}
