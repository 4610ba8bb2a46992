import { readUsers } from '../../adapters/networks/corpus/reads/entities.js';
import { readTimeline } from '../../adapters/networks/corpus/reads/tweet-lists.js';
import { runOn } from '../../adapters/networks/corpus/run.js';
import { createIdRanges } from '../../adapters/networks/corpus/search/id-ranges.js';
import { connect, type Target } from '../../adapters/postgres/sql.js';
import { type CallersResult, keepCalling } from '../load/callers.js';

/** One round of a single query by a number of concurrent callers. */
export interface QueryLoad {
  readonly what: 'profile' | 'timeline';
  /** Handles, or ids of users, in turn. */
  readonly subjects: readonly string[];
  readonly callers: number;
  readonly seconds: number;
}

/** The number of connections with which the service reads the corpus. */
const CONNECTIONS = 8;

/** A process that only runs the statements of a read, through the same driver and functions as Perch. */
export function serveQueries(target: Target): (load: QueryLoad) => Promise<CallersResult> {
  const run = runOn(connect(target, { max: CONNECTIONS, name: 'bench queries' }));
  const readRanges = createIdRanges(run);
  const reads = {
    profile: (handle: string) => readUsers(run, [{ handle }], new AbortController().signal),
    timeline: (id: string) => readTimeline(run, id, null, new AbortController().signal, readRanges),
  };
  return ({ what, subjects, callers, seconds }) =>
    keepCalling(callers, seconds, (turn) => reads[what](subjects[turn % subjects.length] ?? ''));
}
