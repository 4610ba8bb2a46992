import { latencyBucket, type TrafficInterface } from '../domain/traffic.js';
import { HOUR_MS } from '../lib/durations.js';
import type { Clock } from '../ports/clock.js';
import type { LimitRow, Traffic, TrafficRow } from '../ports/figures.js';
import { SumBuffer } from './sum-buffer.js';

/** Stands for all operations that are not persisted: callers choose their names, so there is no limit to them. */
const OTHERS = 'graphql';

/** Most rows of each kind that wait to be written. Further rows, without a database or in a flood, are left out. */
const MOST_WAITING = 5_000;

/** A finished request. */
export interface TrafficSample {
  readonly interface: TrafficInterface;
  /** Null if it was not determined. */
  readonly operation: string | null;
  readonly status: number;
  /** The error code, or the empty text. */
  readonly code: string;
  readonly ms: number;
  readonly items: number;
  readonly cacheHits: number;
  /** The limit that refused the request, and the account it belongs to; null if no limit did. */
  readonly limit: { readonly name: string; readonly accountId: string | null } | null;
}

export interface TrafficBookOptions {
  readonly traffic: Pick<Traffic, 'add'>;
  /** Names of the persisted operations. */
  readonly operations: readonly string[];
  readonly clock: Clock;
  /** A new UUID v7. */
  readonly newId: () => string;
}

/** A row whose sums can be changed. */
type Sum = { -readonly [Name in keyof TrafficRow]: TrafficRow[Name] };

/**
 * Adds up requests by hour in memory, so that no request waits for a write. `flush` writes the sums (S16).
 */
export class TrafficBook {
  readonly #operations: ReadonlySet<string>;
  readonly #clock: Clock;
  readonly #sums: SumBuffer<{ rows: Sum; limits: LimitRow }>;
  /** The sum last added to in each latency bucket, because most requests are like a recent one. */
  readonly #latest: (Sum | undefined)[] = [];
  #hour = { fromMs: Number.NaN, name: '' };

  constructor(options: TrafficBookOptions) {
    this.#sums = new SumBuffer<{ rows: Sum; limits: LimitRow }>({
      kinds: {
        rows: {
          keyOf: (row) => `${row.hour} ${row.interface} ${row.operation} ${row.status} ${row.code} ${row.bucket}`,
          plus: add,
        },
        limits: {
          keyOf: ({ day, accountId, limit }) => `${day} ${accountId} ${limit}`,
          plus: (before, row) => ({ ...row, refusals: before.refusals + row.refusals }),
        },
      },
      most: MOST_WAITING,
      newId: options.newId,
      write: (batchId, { rows, limits }) => {
        this.#latest.length = 0;
        return options.traffic.add(batchId, rows, limits);
      },
    });
    this.#operations = new Set(options.operations);
    this.#clock = options.clock;
  }

  note(sample: TrafficSample): void {
    const { operation: name, status, code, ms, items, cacheHits, limit } = sample;
    const hour = this.#currentHour();
    const operation = name === null ? '' : this.#operations.has(name) ? name : OTHERS;
    const bucket = latencyBucket(ms);
    const latest = this.#latest[bucket];
    if (
      latest?.operation === operation &&
      latest.interface === sample.interface &&
      isSame(latest, hour, status, code)
    ) {
      add(latest, { requests: 1, items, cacheHits });
    } else {
      const row = { interface: sample.interface, operation, status, code, hour, bucket, requests: 1, items, cacheHits };
      this.#latest[bucket] = this.#sums.add('rows', row);
    }
    if (limit === null) return;
    const { accountId, name: limitName } = limit;
    this.#sums.add('limits', { day: hour.slice(0, 10), accountId, limit: limitName, refusals: 1 });
  }

  /** Writes the waiting rows. If that fails, they keep waiting. */
  flush(): Promise<void> {
    return this.#sums.flush();
  }

  #currentHour(): string {
    const now = this.#clock.now();
    const { fromMs } = this.#hour;
    if (!(now >= fromMs && now < fromMs + HOUR_MS)) {
      const from = now - (now % HOUR_MS);
      this.#hour = { fromMs: from, name: `${new Date(from).toISOString().slice(0, 13)}:00:00Z` };
    }
    return this.#hour.name;
  }
}

const isSame = (sum: Sum, hour: string, status: number, code: string): boolean =>
  sum.hour === hour && sum.status === status && sum.code === code;

function add(sum: Sum, { requests, items, cacheHits }: Pick<TrafficRow, 'requests' | 'items' | 'cacheHits'>): Sum {
  sum.requests += requests;
  sum.items += items;
  sum.cacheHits += cacheHits;
  return sum;
}
