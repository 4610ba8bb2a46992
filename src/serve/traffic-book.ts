import { HOUR_MS } from '../core/durations.js';
import { bucketOf, type TrafficInterface } from '../core/traffic.js';
import type { Clock } from '../ports/clock.js';
import type { LimitRow, Traffic, TrafficRow } from '../ports/traffic.js';

/** All operations that are not persisted: their names are the callers' own, and there is no end to them. */
const OTHERS = 'graphql';

/** Most rows of each kind that wait to be written: what comes on top, without a database or in a flood, is left out. */
const MOST_WAITING = 5_000;

/** A request that is over. */
export interface TrafficSample {
  readonly interface: TrafficInterface;
  /** Null where none was determined. */
  readonly operation: string | null;
  readonly status: number;
  /** The error code, or the empty text. */
  readonly code: string;
  readonly ms: number;
  readonly items: number;
  readonly cacheHits: number;
  /** The limit that refused it, and whose that is; null if none did. */
  readonly limit: { readonly name: string; readonly accountId: string | null } | null;
}

/** A row that is added to. */
type Sum = { -readonly [Name in keyof TrafficRow]: TrafficRow[Name] };

/**
 * Adds up requests by hour in memory: nothing is written in the path of a request. `flush` writes what has come
 * together (S16). If the process is killed, what was not written is missing.
 */
export class TrafficBook {
  readonly #traffic: Pick<Traffic, 'add'>;
  readonly #operations: ReadonlySet<string>;
  readonly #clock: Clock;
  #rows = new Map<string, Sum>();
  /** The sum of each bucket that was last added to: most requests are like one just before. */
  readonly #latest: (Sum | undefined)[] = [];
  #limits = new Map<string, LimitRow>();
  #hour = { fromMs: Number.NaN, name: '' };

  constructor(options: { traffic: Pick<Traffic, 'add'>; operations: readonly string[]; clock: Clock }) {
    this.#traffic = options.traffic;
    this.#operations = new Set(options.operations);
    this.#clock = options.clock;
  }

  note(sample: TrafficSample): void {
    const { operation: name, status, code, ms, items, cacheHits, limit } = sample;
    const hour = this.#currentHour();
    const operation = name === null ? '' : this.#operations.has(name) ? name : OTHERS;
    const bucket = bucketOf(ms);
    const latest = this.#latest[bucket];
    if (
      latest?.operation === operation &&
      latest.interface === sample.interface &&
      isSame(latest, hour, status, code)
    ) {
      add(latest, { requests: 1, items, cacheHits });
    } else {
      const row = { interface: sample.interface, operation, status, code, hour, bucket, requests: 1, items, cacheHits };
      this.#latest[bucket] = this.#addRow(row);
    }
    if (limit === null) return;
    this.#addLimit({ day: hour.slice(0, 10), accountId: limit.accountId, limit: limit.name, refusals: 1 });
  }

  /** Writes what waits. If that fails, it goes on waiting. */
  async flush(): Promise<void> {
    const [rows, limits] = [this.#rows, this.#limits];
    if (rows.size === 0) return;
    [this.#rows, this.#limits] = [new Map(), new Map()];
    this.#latest.length = 0;
    try {
      await this.#traffic.add([...rows.values()], [...limits.values()]);
    } catch (error) {
      for (const row of rows.values()) this.#addRow(row);
      for (const limit of limits.values()) this.#addLimit(limit);
      throw error;
    }
  }

  /** The sum that it was added to; undefined: there was no room for it. */
  #addRow(row: TrafficRow): Sum | undefined {
    const key = `${row.hour} ${row.interface} ${row.operation} ${row.status} ${row.code} ${row.bucket}`;
    const sum = this.#rows.get(key);
    if (sum !== undefined) {
      add(sum, row);
      return sum;
    }
    if (this.#rows.size >= MOST_WAITING) return undefined;
    const first = { ...row };
    this.#rows.set(key, first);
    return first;
  }

  #addLimit(row: LimitRow): void {
    const key = `${row.day} ${row.accountId} ${row.limit}`;
    const before = this.#limits.get(key);
    if (before === undefined && this.#limits.size >= MOST_WAITING) return;
    this.#limits.set(key, { ...row, refusals: (before?.refusals ?? 0) + row.refusals });
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

function add(sum: Sum, { requests, items, cacheHits }: Pick<TrafficRow, 'requests' | 'items' | 'cacheHits'>): void {
  sum.requests += requests;
  sum.items += items;
  sum.cacheHits += cacheHits;
}
