import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Histogram, type Registry } from 'prom-client';
import { LEDGER_COMMITS, type LedgerCommit } from '../../src/domain/ledger-commits.js';

/** Measures the ledger's commits. Returns a function that stops it. */
export function measureLedger(registers: Registry[]): () => void {
  const seconds = new Histogram({
    name: 'perch_ledger_commit_duration_seconds',
    help: 'Time taken to commit a group of debits.',
    labelNames: ['result'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers,
  });
  // Its sum is the number of debits posted.
  const debits = new Histogram({
    name: 'perch_ledger_commit_debits',
    help: 'Debits per commit.',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
    registers,
  });
  const observe = (message: unknown): void => {
    const commit = message as LedgerCommit;
    seconds.observe({ result: commit.failed ? 'failed' : 'ok' }, commit.ms / 1000);
    debits.observe(commit.debits);
  };
  subscribe(LEDGER_COMMITS, observe);
  return () => void unsubscribe(LEDGER_COMMITS, observe);
}
