import { GroupCommit } from '../../../adapters/postgres/ledger/group-commit.js';
import type { FlushMode, GroupCommitOptions, Verdict } from '../../../adapters/postgres/ledger/group-commit-options.js';
import { VirtualTime } from '../../kit/time/virtual-time.js';

/** The time at which each test begins. Not 0, where a sum and a difference could be confused. */
const START_MS = 10_000;

interface Flush {
  /** Its mode and requests, as in `skipLocked: a1 b1`. */
  readonly what: string;
  /** Milliseconds since the test began. */
  readonly atMs: number;
  /** Ends it with these verdicts, of which the last is repeated. Without any, each request is its own result. */
  readonly end: (...verdicts: Verdict<string>[]) => Promise<void>;
  readonly fail: (error: Error) => Promise<void>;
}

/** Flushes whose end and whose clock the test controls. A request's first letter is its part. */
export function openFlushes(options: Partial<Omit<GroupCommitOptions<string, string>, 'time'>> = {}) {
  const time = new VirtualTime(START_MS);
  const now = () => time.now() - START_MS;
  const flushed: Flush[] = [];
  const timers = openTimers(time, now);
  const flush = (batch: readonly string[], mode: FlushMode) =>
    new Promise<Verdict<string>[]>((resolve, reject) => {
      flushed.push({
        what: `${mode}: ${batch.join(' ')}`,
        atMs: now(),
        end: (...verdicts) => {
          resolve(batch.map((value, nth) => verdicts[nth] ?? verdicts.at(-1) ?? { value }));
          return time.run(0);
        },
        fail: (error) => {
          reject(error);
          return time.run(0);
        },
      });
    });
  const commits = new GroupCommit<string, string>({
    flush,
    partitionOf: (request) => request[0] ?? '',
    refusal: (seconds) => new Error(`try again in ${seconds} s`),
    ...options,
    time: { monotonic: time, timers },
  });
  /** The outcome of each request so far: its result, or the message of its error. */
  const answers: Record<string, string> = {};
  const submit = (...requests: string[]): Promise<void> => {
    for (const request of requests) {
      const answer = (text: string) => {
        answers[request] = text;
      };
      commits.submit(request).then(answer, (error: Error) => answer(error.message));
    }
    return time.run(0);
  };
  const run = (ms: number): Promise<void> => time.run(ms);
  const begun = (from = 0) => flushed.slice(from).map(({ what }) => what);
  /** The flush with that number. Throws if it has not begun. */
  const nth = (number: number): Flush => {
    const found = flushed[number];
    if (found === undefined) throw new Error(`only ${flushed.length} flushes have begun`);
    return found;
  };
  return { submit, run, now, nth, begun, answers, timers };
}

/** Timers that record when they were set for and when they fired. Timers for the end of a turn are only counted. */
function openTimers(time: VirtualTime, now: () => number) {
  const set: number[] = [];
  const rung: number[] = [];
  const timers = { set, rung, turns: 0, after };
  function after(ms: number, then: () => void): () => void {
    if (ms === 0) {
      timers.turns += 1;
      return time.after(0, then);
    }
    set.push(now() + ms);
    return time.after(ms, () => {
      rung.push(now());
      then();
    });
  }
  return timers;
}
