import { Worker } from 'node:worker_threads';
import type { ChartData } from './chart-data.js';
import type { ChartWidth } from './chart-sizes.js';
import type { Scheme } from './palette.js';

export interface Look {
  readonly scheme: Scheme;
  readonly width: ChartWidth;
}

/** The picture as SVG text. */
export type Draw = (data: ChartData, look: Look) => Promise<string>;

/** The thread's answer: either `svg` or `error` is set. */
interface Drawn {
  readonly id: number;
  readonly svg?: string;
  readonly error?: string;
}

interface Waiting {
  readonly resolve: (svg: string) => void;
  readonly reject: (error: Error) => void;
}

/** A thread that has been idle for this long ends: it takes a hundred megabytes. */
const IDLE_MS = 60_000;

/**
 * Draws charts beside the service, one at a time. The thread starts with the first picture, and again after it broke or
 * was idle; it does not keep the process alive.
 */
export function createChartThread(idleMs: number = IDLE_MS): { readonly draw: Draw; close(): Promise<void> } {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let last = 0;
  let idle: NodeJS.Timeout | undefined;
  const broken = (error: Error): void => {
    worker = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const start = (): Worker => {
    // Without this process's own Node options, which may not suit a thread.
    const started = new Worker(new URL('./chart-worker.mjs', import.meta.url), { execArgv: [] });
    started.on('message', ({ id, svg, error }: Drawn) => {
      const one = waiting.get(id);
      waiting.delete(id);
      if (svg === undefined) one?.reject(new Error(`A chart could not be drawn: ${error}`));
      else one?.resolve(svg);
      if (waiting.size === 0) idle = setTimeout(() => void end(), idleMs).unref();
    });
    const ended = (error: Error): void => {
      if (worker === started) broken(error);
    };
    started.on('error', ended);
    started.on('exit', () => ended(new Error('the chart thread has ended')));
    started.unref();
    return started;
  };
  const end = async (): Promise<void> => {
    clearTimeout(idle);
    const ending = worker;
    broken(new Error('the service is shutting down'));
    await ending?.terminate();
  };
  return {
    draw: (data, look) =>
      new Promise((resolve, reject) => {
        clearTimeout(idle);
        worker ??= start();
        last += 1;
        waiting.set(last, { resolve, reject });
        worker.postMessage({ id: last, data, look });
      }),
    close: end,
  };
}
