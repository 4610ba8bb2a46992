import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Lifecycle } from '../../../app/lifecycle.js';
import { FINISH_MS, type Serving } from '../../../app/listening.js';
import type { Config } from '../../../src/config/config.js';
import { Failure } from '../failure.js';
import { freePort } from './free-port.js';

/**
 * A worker that ends sooner died at its start, and its replacement is delayed: first by `FIRST_WAIT_MS`, then by twice
 * as long each time, at most half a minute.
 */
const YOUNG_MS = 10_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;
/** Time to close the stores after the last requests have finished. */
const CLOSE_MS = 10_000;

/** The longest that a worker takes to stop, in milliseconds, whatever it was doing. */
export const longestStopMs = (drainMs: number): number => drainMs + FINISH_MS + CLOSE_MS;

interface Job {
  readonly config: Config;
  readonly demoKey: string | null;
  readonly log: FastifyBaseLogger;
}

/**
 * Starts as many processes as WORKERS says, on one port. This process passes connections to them and replaces any that
 * die. If they can't start, it rejects with the first failure. Draining ends them; any that remain are killed on close.
 */
export async function startSupervisor(lifecycle: Lifecycle, job: Job): Promise<Serving & { kill(): void }> {
  // Resolved here, so that a taken port is reported only once, and a chosen port is kept even if all workers die.
  const port = await freePort(job.config.host, job.config.port);
  await openMetrics(lifecycle, job.config);
  const supervisor = await lifecycle.open(
    'workers',
    () => new Supervisor({ ...job, config: { ...job.config, port } }),
    (hired) => hired.kill(),
  );
  const urls = await Promise.all(
    Array.from({ length: job.config.workers }, (_, index) => supervisor.startWorker(index + 1)),
  );
  return { url: urls[0] ?? '', drain: (drainMs) => supervisor.stop(drainMs), kill: () => void supervisor.kill() };
}

class Supervisor {
  readonly #job: Job;
  /** The running workers, each with a promise of its end, which never rejects. */
  readonly #workers = new Map<Worker, Promise<string>>();
  readonly #stopping = new AbortController();

  constructor(job: Job) {
    this.#job = job;
  }

  /**
   * Starts a worker for the first time: returns its address, or rejects if it fails. From then on, a worker with this
   * number is always kept running.
   */
  async startWorker(number: number): Promise<string> {
    const first = this.#fork(number);
    const url = await first.serving;
    void this.#restart(number, first.end, performance.now());
    return url;
  }

  async stop(drainMs: number): Promise<void> {
    this.#stopping.abort();
    const ends = this.#ends();
    for (const worker of this.#workers.keys()) send(worker, { say: 'stop', drainMs });
    const late = setTimeout(() => void this.kill(), longestStopMs(drainMs));
    await ends;
    clearTimeout(late);
  }

  async kill(): Promise<void> {
    this.#stopping.abort();
    const ends = this.#ends();
    for (const worker of this.#workers.keys()) worker.process.kill('SIGKILL');
    await ends;
  }

  #ends(): Promise<unknown> {
    return Promise.all(this.#workers.values());
  }

  async #restart(number: number, firstEnd: Promise<string>, bornMs: number): Promise<void> {
    let [end, born, early] = [firstEnd, bornMs, 0];
    for (;;) {
      const how = await end;
      if (this.#stopping.signal.aborted) return;
      early = performance.now() - born < YOUNG_MS ? early + 1 : 0;
      const waitMs = early === 0 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (early - 1), LONGEST_WAIT_MS);
      this.#job.log.error(
        { worker: number },
        `Worker ${number} exited (${how}); starting a replacement in ${waitMs} ms`,
      );
      await sleep(waitMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
      if (this.#stopping.signal.aborted) return;
      born = performance.now();
      end = this.#forkAgain(number);
    }
  }

  /** Resolves with how the worker ended; at once if it could not be started. */
  #forkAgain(number: number): Promise<string> {
    try {
      return this.#fork(number).end;
    } catch (error) {
      return Promise.resolve(String(error));
    }
  }

  /** `serving` resolves with the address; `end` resolves with a message about how it ended, and never rejects. */
  #fork(number: number): { serving: Promise<string>; end: Promise<string> } {
    const { config, demoKey } = this.#job;
    const worker = cluster.fork();
    let failure: Failure | undefined;
    const exit = once(worker, 'exit').then(
      ([code, signal]) => (signal === null ? `exit ${code}` : String(signal)),
      // It could not even be started: no memory, process id or file was available.
      (error: unknown) => String(error),
    );
    const end = exit.then((how) => {
      this.#workers.delete(worker);
      return failure?.message ?? how;
    });
    this.#workers.set(worker, end);
    const serving = new Promise<string>((resolve, reject) => {
      worker.on('message', (message: WorkerMessage) => {
        if (message.say === 'ready') return send(worker, { say: 'serve', worker: number, config, demoKey });
        if (message.say === 'serving') return resolve(message.url);
        // Metrics also arrive this way.
        if (message.say !== 'failed') return;
        failure = new Failure(message.message, message.exitCode);
        worker.process.kill('SIGKILL');
      });
      void end.then((how) => reject(failure ?? new Failure(`Worker ${number} exited during startup (${how})`)));
    });
    serving.catch(() => {});
    return { serving, end };
  }
}

/** A worker that dies at this moment gets no message; its end is reported separately. */
const send = (worker: Worker, message: SupervisorMessage): void => {
  if (worker.isConnected()) worker.send(message, () => {});
};

/** Serves the metrics of all workers, added up: the only thing that this process serves itself. */
async function openMetrics(lifecycle: Lifecycle, { host, metricsPort }: Config): Promise<void> {
  if (metricsPort === null) return;
  const { serveSupervisorMetrics } = await import('../../metrics/serve-metrics.js');
  await lifecycle.open(
    'metrics of all workers',
    () => serveSupervisorMetrics(host, metricsPort),
    (metrics) => metrics.close(),
  );
}

/** Messages from the primary to a worker. */
export type SupervisorMessage =
  | { readonly say: 'serve'; readonly worker: number; readonly config: Config; readonly demoKey: string | null }
  | { readonly say: 'stop'; readonly drainMs: number };

/** Messages from a worker to the primary: that it is ready for messages; then that it listens, or why it does not. */
export type WorkerMessage =
  | { readonly say: 'ready' }
  | { readonly say: 'serving'; readonly url: string }
  | { readonly say: 'failed'; readonly message: string; readonly exitCode: number };
