import type { FastifyBaseLogger } from 'fastify';
import { indexCorpus } from '../adapters/networks/corpus/import/index-corpus.js';
import type { Config } from '../src/config/config.js';
import { MINUTE_MS } from '../src/lib/durations.js';
import type { StartPoll } from '../src/lib/poll.js';
import type { Lifecycle } from './lifecycle.js';
import type { Stores } from './stores.js';

const REPORT_EVERY_MS = 10_000;

export interface SearchIndexOptions {
  readonly config: Pick<Config, 'network'>;
  readonly stores: Pick<Stores, 'corpusWrites'>;
  readonly log: FastifyBaseLogger;
  readonly startPoll: StartPoll;
}

/**
 * Keeps the corpus indexed while it is served: indexes what an upgrade left undone at once, and rows written with SQL
 * within a minute.
 */
export async function openSearchIndex(
  lifecycle: Lifecycle,
  { config, stores, log, startPoll }: SearchIndexOptions,
): Promise<void> {
  if (config.network !== 'corpus') return;
  const stopping = new AbortController();
  let reportedAt = Number.NEGATIVE_INFINITY;
  const onProgress = (text: string): void => {
    if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = performance.now();
    log.info(text);
  };
  const index = async (): Promise<void> => {
    try {
      await indexCorpus(stores.corpusWrites, { onProgress, signal: stopping.signal });
    } catch (err) {
      if (stopping.signal.aborted) return;
      log.warn({ err }, 'Indexing the corpus for search failed. It continues where it stopped in a minute.');
    }
  };
  await lifecycle.open(
    'search index',
    () => startPoll(index, MINUTE_MS, 0),
    (poll) => {
      stopping.abort();
      return poll.close();
    },
  );
}
