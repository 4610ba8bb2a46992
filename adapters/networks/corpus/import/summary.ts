import type { Fault, Omission } from './objects/reading.js';

const FAULTS_KEPT = 20;

export interface Tally {
  /** Rows read; an object may occur several times. Rows neither added nor changed contained nothing new. */
  read: number;
  added: number;
  changed: number;
}

export interface ImportSummary {
  readonly users: Tally;
  readonly tweets: Tally;
  readonly follows: Tally;
  /** How many pieces of files were left out, and the first of them. */
  readonly faults: { count: number; readonly first: Fault[] };
  /** What was left out of files on purpose. */
  readonly omitted: Omission[];
}

export const newTally = (): Tally => ({ read: 0, added: 0, changed: 0 });

export const emptySummary = (): ImportSummary => ({
  users: newTally(),
  tweets: newTally(),
  follows: newTally(),
  faults: { count: 0, first: [] },
  omitted: [],
});

export function noteWritten(tally: Tally, { added, changed }: { added: number; changed: number }): void {
  tally.added += added;
  tally.changed += changed;
}

export function noteFault(faults: ImportSummary['faults'], fault: Fault): void {
  faults.count += 1;
  if (faults.first.length < FAULTS_KEPT) faults.first.push(fault);
}
