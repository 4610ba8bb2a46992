/** What posting reports of its flushes, for the metrics. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LEDGER_COMMITS } from '../../../src/domain/usage.js';
import { answerLost, away, fails, held, LEFT, lockTimeout, lost, noTime, openPosts, refused } from './open-posts.js';

const bad = refused('22P02');

let reports: unknown[];
const listen = (report: unknown) => void reports.push(report);
beforeEach(() => {
  reports = [];
  subscribe(LEDGER_COMMITS, listen);
});
afterEach(() => void unsubscribe(LEDGER_COMMITS, listen));

describe('reports a flush', () => {
  test('with its duration and the debits that it posted, without those that it refused or retries', async () => {
    const { post, run, next } = openPosts();
    const { fate, release } = held();
    next('plain', fate);
    post('a1 b1');
    post('c1', { amount: 101 });
    await run(3);
    release();
    await run(0);
    expect(reports).toEqual([
      { debits: 2, ms: 3, failed: false },
      { debits: 0, ms: 0, failed: false },
    ]);
  });

  test('as failed while the database is away', async () => {
    const { post, run, always } = openPosts();
    always('plain', fails(away));
    post('a1 b1');
    await run(5_000);
    expect(reports).toEqual([{ debits: 0, ms: 4_750, failed: true }]);
  });

  test('as failed if a debit is left in doubt', async () => {
    const { post, run, next } = openPosts();
    next('plain', fails(lost), fails(bad));
    post('a1');
    await run(50);
    expect(reports).toEqual([{ debits: 0, ms: 50, failed: true }]);
  });

  test('as failed if one of its debits does, with the others that it posted', async () => {
    const { post, run, always } = openPosts();
    always('plain', (go, names) => {
      if (names.includes('b1')) throw bad;
      return go();
    });
    post('a1 b1 c1');
    await run(0);
    expect(reports).toEqual([{ debits: 2, ms: 0, failed: true }]);
  });

  test('as a success if a retry finds that its debits were posted', async () => {
    const { post, run, next } = openPosts();
    next('plain', answerLost);
    post('a1');
    await run(50);
    expect(reports).toEqual([
      { debits: 0, ms: 50, failed: false },
      { debits: 1, ms: 0, failed: false },
    ]);
  });

  test('not as failed because a caller left, or because a key is not of the wallet', async () => {
    const { post, run } = openPosts();
    post('a1', { signal: AbortSignal.abort(LEFT) });
    post('b1', { ...noTime('b1'), keyId: 'key a' });
    await run(0);
    expect(reports).toEqual([
      { debits: 0, ms: 0, failed: false },
      { debits: 0, ms: 0, failed: false },
    ]);
  });

  test('unless all of its debits met a lock', async () => {
    const { post, run, lock, next } = openPosts();
    lock('a', 100_000);
    next('skipLocked', fails(lockTimeout));
    post('a1', noTime('a1'));
    await run(1_000);
    expect(reports).toEqual([]);
  });
});
