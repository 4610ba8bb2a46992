import { fork } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import type { Bundle } from './parts/bundle.js';
import type { Report } from './worker.js';

export interface Seeds {
  readonly from: number;
  readonly count: number;
  readonly processes: number;
  /** Ends after this time with the seeds run so far, if they are enough. */
  readonly seconds?: number;
  readonly fewest?: number;
  /** Gives way to everything else that runs on the machine. */
  readonly after?: boolean;
  /** Ends as soon as one seed has failed. */
  readonly untilFailure?: boolean;
  readonly onReport?: (sum: Summary) => void;
}

export interface Summary {
  seeds: number;
  events: number;
  calls: number;
  answered: number;
  readonly orders: Set<string>;
  readonly failed: { readonly seed: number; readonly violations: readonly string[] }[];
  readonly seconds: number;
}

/** Divides seeds among several processes and runs them. */
export async function runSeeds({ file }: Bundle, options: Seeds): Promise<Summary> {
  const { from, count, processes, seconds, fewest = 0, after, untilFailure = false, onReport = () => {} } = options;
  const startedAt = performance.now();
  const sum = {
    seeds: 0,
    events: 0,
    calls: 0,
    answered: 0,
    orders: new Set<string>(),
    failed: [] as Summary['failed'],
  };
  const summary = (): Summary => ({ ...sum, seconds: (performance.now() - startedAt) / 1000 });
  const children = Array.from({ length: processes }, (_, nth) =>
    fork(file, [from + nth, count - nth, processes].map(String)),
  );
  const kill = (): void => {
    for (const child of children) child.kill();
  };
  if (after) for (const { pid = 0 } of children) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  let isOver = false;
  const endInTime = (): void => {
    if (isOver && sum.seeds >= fewest) kill();
  };
  const timeOver = (): void => {
    isOver = true;
    endInTime();
  };
  const timer = seconds === undefined ? undefined : setTimeout(timeOver, seconds * 1000);
  const ended = children.map(
    (child) =>
      new Promise<void>((resolve, reject) => {
        child.on('message', ({ orders, failed, ...report }: Report) => {
          for (const name of ['seeds', 'events', 'calls', 'answered'] as const) sum[name] += report[name];
          for (const order of orders) sum.orders.add(order);
          sum.failed.push(...failed);
          onReport(summary());
          endInTime();
          if (untilFailure && failed.length > 0) kill();
        });
        child.on('error', reject);
        child.on('exit', (code, signal) =>
          code === 0 || signal !== null ? resolve() : reject(new Error(`a worker ended with ${code}`)),
        );
      }),
  );
  try {
    await Promise.all(ended);
  } finally {
    clearTimeout(timer);
    kill();
  }
  return summary();
}
