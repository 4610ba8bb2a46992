import { Gauge, type Registry } from 'prom-client';
import { withTimeout } from '../../src/lib/monotonic.js';
import type { WatchFigures } from '../../src/ports/watches.js';

/** Milliseconds. A scrape reads all gauges together, so they share one answer for this long. */
const KEPT_MS = 1_000;
/** The longest that a scrape waits for Postgres. All other metrics matter most while it hangs. */
const LONGEST_READ_MS = 2_000;

/** Each state has a series even while no watch is in it: a series that appears later can't be compared with before. */
const STATES = [
  { state: 'active', reason: '' },
  ...(['credits', 'key_cap', 'daily_limit', 'frozen', 'backlog'] as const).map((reason) => ({
    state: 'waiting',
    reason,
  })),
  ...(['by_hand', 'key', 'list', 'undelivered'] as const).map((reason) => ({ state: 'paused', reason })),
];

/** Measures what watches wait for. Every process reports the same figures, which cover all watches. */
export function measureWatches(registers: Registry[], readFigures: () => Promise<WatchFigures>): void {
  let cached: Promise<WatchFigures | null> = Promise.resolve(null);
  let readAtMs = Number.NEGATIVE_INFINITY;
  let isReading = false;
  const figures = (): Promise<WatchFigures | null> => {
    if (isReading || Date.now() - readAtMs <= KEPT_MS) return cached;
    readAtMs = Date.now();
    isReading = true;
    const read = readFigures()
      .catch(() => null)
      .finally(() => {
        isReading = false;
      });
    cached = withTimeout(LONGEST_READ_MS, read).then((found) => found ?? null);
    return cached;
  };
  const measure = (name: string, help: string, of: (figures: WatchFigures) => number): void => {
    new Gauge({
      ...{ name, help: `${help} The same of every process. Missing while Postgres cannot be asked.`, registers },
      aggregator: 'max',
      async collect() {
        const found = await figures();
        if (found === null) this.remove();
        else this.set(of(found));
      },
    });
  };
  measure(
    'perch_watch_deliveries_pending',
    'Deliveries of watches that are written and not received, those to be tried again among them, up to 100,000.',
    ({ waiting }) => waiting,
  );
  measure(
    'perch_webhooks_overdue_seconds',
    'How long the webhook has been due that is due longest and not being sent; 0 if none is.',
    ({ overdueSeconds }) => overdueSeconds,
  );
  new Gauge({
    name: 'perch_watches',
    help: 'Watches that have not ended, by state and by what they wait for or were paused for. The same of every process. Missing while Postgres cannot be asked.',
    labelNames: ['state', 'reason'],
    registers,
    aggregator: 'max',
    async collect() {
      this.reset();
      const found = await figures();
      if (found === null) return;
      for (const labels of STATES) this.set(labels, 0);
      for (const { state, reason, count } of found.watches) this.set({ state, reason: reason ?? '' }, count);
    },
  });
}
