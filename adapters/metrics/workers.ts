import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { withTimeout } from '../../src/lib/monotonic.js';

type Figures = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** From the process that started the workers. */
interface Question {
  readonly say: 'measure';
  readonly scrape: number;
}

/** From a worker: that it can be asked, or its answer. */
type Answer =
  | { readonly say: 'measuring' }
  | { readonly say: 'measured'; readonly scrape: number; readonly figures: Figures };

/** The longest wait for a worker. Prometheus waits for ten seconds unless told otherwise. */
const LONGEST_ANSWER_MS = 4_000;

/** The metrics that are counted since the start, without those that have a current value. */
const counted = (figures: Figures): Figures =>
  figures.filter(({ type }) => ['counter', 'histogram'].includes(`${type}`));

interface Measured {
  /** The scrape that was answered last. */
  readonly scrape: number;
  readonly figures: Figures;
}

/**
 * Adds up the metrics of all workers. If a sum of counters became smaller, Prometheus would take what is left of it for
 * new. So the last counts of a worker stay in the sums after it has ended, and while it does not answer.
 */
export class WorkerMetrics {
  /** The workers that can be asked, with their last answers. */
  readonly #workers = new Map<Worker, Measured>();
  /** The sums of the workers that have ended. */
  #ended: object[] = [];
  #scrapes = 0;
  /** Called after each change of `#workers`. */
  readonly #changed = new Set<() => void>();

  constructor() {
    cluster.on('message', this.#receive);
    cluster.on('exit', this.#retire);
  }

  /** The sums, in Prometheus's format. Rejects if no worker answers. */
  async text(): Promise<string> {
    const scrape = ++this.#scrapes;
    const isCurrent = (each: Measured): boolean => each.scrape >= scrape;
    for (const worker of this.#workers.keys()) {
      if (worker.isConnected()) worker.send({ say: 'measure', scrape } satisfies Question, () => {});
    }
    await this.#until(() => [...this.#workers.values()].every(isCurrent));
    const measured = [...this.#workers.values()];
    if (!measured.some(isCurrent)) throw new Error('no worker answers');
    const figures = measured.map((each) => (isCurrent(each) ? each.figures : counted(each.figures)));
    return AggregatorRegistry.aggregate([...figures, this.#ended]).metrics();
  }

  close(): void {
    cluster.off('message', this.#receive);
    cluster.off('exit', this.#retire);
  }

  async #until(isComplete: () => boolean): Promise<void> {
    let check = (): void => {};
    const complete = new Promise<void>((resolve) => {
      check = () => {
        if (isComplete()) resolve();
      };
    });
    this.#changed.add(check);
    check();
    await withTimeout(LONGEST_ANSWER_MS, complete);
    this.#changed.delete(check);
  }

  readonly #receive = (worker: Worker, message: Answer): void => {
    // What a worker sent before it ended can arrive afterwards.
    if (worker.isDead()) return;
    if (message.say === 'measuring') this.#workers.set(worker, { scrape: 0, figures: [] });
    if (message.say !== 'measured') return;
    this.#workers.set(worker, message);
    for (const changed of this.#changed) changed();
  };

  readonly #retire = (worker: Worker): void => {
    const last = this.#workers.get(worker);
    if (last === undefined) return;
    this.#workers.delete(worker);
    this.#ended = AggregatorRegistry.aggregate([this.#ended, counted(last.figures)]).getMetricsAsArray();
    for (const changed of this.#changed) changed();
  };
}

/** Lets the process that started this one ask for its metrics. Returns a function that ends that. */
export function reportMetrics(registry: Registry): () => void {
  const send = (answer: Answer): void => {
    if (process.connected) process.send?.(answer, undefined, undefined, () => {});
  };
  const answer = (question: Question): void => {
    if (question.say !== 'measure') return;
    const { scrape } = question;
    registry.getMetricsAsJSON().then(
      (figures) => send({ say: 'measured', scrape, figures }),
      // Its last counts stay in the sums.
      () => {},
    );
  };
  process.on('message', answer);
  send({ say: 'measuring' });
  return () => void process.off('message', answer);
}
