import { readUsers } from '../../adapters/networks/corpus/reads/entities.js';
import { readTimeline } from '../../adapters/networks/corpus/reads/tweet-lists.js';
import { runOn } from '../../adapters/networks/corpus/run.js';
import { connect, type Target } from '../../adapters/postgres/sql.js';

/** One round of a query by itself, asked by so many callers at a time. */
export interface QueryLoad {
  readonly what: 'profile' | 'timeline';
  /** Handles, or ids of users, in turn. */
  readonly subjects: readonly string[];
  readonly callers: number;
  readonly seconds: number;
}

export interface QueryResult {
  readonly answers: number;
  readonly perSecond: number;
  readonly p99Ms: number;
}

/** As many connections as the service reads the corpus with. */
const CONNECTIONS = 8;

/** A process that does nothing but the statements of a read, through the driver and the functions that Perch reads with. */
export function serveQueries(target: Target): (load: QueryLoad) => Promise<QueryResult> {
  const run = runOn(connect(target, { max: CONNECTIONS, name: 'bench queries' }));
  const reads = {
    profile: (handle: string) => readUsers(run, [{ handle }], new AbortController().signal),
    timeline: (id: string) => readTimeline(run, id, null, new AbortController().signal),
  };
  return async ({ what, subjects, callers, seconds }) => {
    const tookMs: number[] = [];
    const begin = performance.now();
    const until = begin + seconds * 1000;
    let turn = 0;
    await Promise.all(
      Array.from({ length: callers }, async () => {
        for (let sentAt = begin; sentAt < until; sentAt = performance.now()) {
          await reads[what](subjects[turn++ % subjects.length] ?? '');
          tookMs.push(performance.now() - sentAt);
        }
      }),
    );
    const lasted = (performance.now() - begin) / 1000;
    const sorted = tookMs.sort((a, b) => a - b);
    const p99Ms = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
    return { answers: tookMs.length, perSecond: tookMs.length / lasted, p99Ms };
  };
}
