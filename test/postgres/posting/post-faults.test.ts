/** Debits whose statements fail, take too long or are lost, and callers who leave meanwhile. */
import { describe, expect, test } from 'vitest';
import { InDoubtError, ServiceError } from '../../../src/domain/errors.js';
import {
  answerLost,
  away,
  caller,
  fails,
  held,
  LEFT,
  lockTimeout,
  lost,
  noTime,
  openPosts,
  posted,
  refused,
} from './open-posts.js';

const bad = refused('22P02');

function inDoubt(cause: unknown): unknown {
  return expect.toSatisfy((error) => error instanceof InDoubtError && error.cause === cause);
}

describe('a statement that takes too long', () => {
  test('is split into halves, tried in turn: one that is in time succeeds, the other waits for the lock', async () => {
    const { post, run, next, executed, answers } = openPosts();
    const { fate, release } = held();
    next('skipLocked', fails(lockTimeout), fate, fails(lockTimeout));
    for (const name of ['a1', 'b1', 'c1', 'd1', 'e1']) post(name, noTime(name));
    await run(0);
    expect(executed).toEqual(['skipLocked: a1 b1 c1 d1 e1', 'skipLocked: a1 b1 c1']);
    release();
    await run(0);
    expect(executed.slice(2)).toEqual(['skipLocked: d1 e1', 'waitForLock: d1', 'waitForLock: e1']);
    const names = ['a1', 'b1', 'c1', 'd1', 'e1'];
    expect(answers).toEqual(Object.fromEntries(names.map((name) => [name, posted(90, 2)])));
  });

  test('still tries its second half if the first one takes too long, too', async () => {
    const { post, run, next, executed, answers } = openPosts();
    next('skipLocked', fails(lockTimeout), fails(lockTimeout));
    for (const name of ['a1', 'b1', 'c1']) post(name, noTime(name));
    await run(0);
    expect(executed).toEqual([
      'skipLocked: a1 b1 c1',
      'skipLocked: a1 b1',
      'skipLocked: c1',
      'waitForLock: a1',
      'waitForLock: b1',
    ]);
    expect(answers).toEqual({ a1: posted(90, 2), b1: posted(90, 2), c1: posted(90, 2) });
  });

  test('waits for the lock when it holds a single debit', async () => {
    const { post, run, next, executed, answers } = openPosts();
    next('skipLocked', fails(refused('57014')));
    post('a1', noTime('a1'));
    await run(0);
    expect([executed, answers]).toEqual([['skipLocked: a1', 'waitForLock: a1'], { a1: posted(90, 2) }]);
  });

  test('is run again with all its debits when it was waiting for the lock', async () => {
    const { post, run, lock, executed, answers } = openPosts();
    lock('a', 310);
    for (const name of ['a1', 'a2']) post(name, noTime(name));
    await run(0);
    expect(executed).toEqual(['skipLocked: a1 a2', 'waitForLock: a1 a2']);
    await run(100);
    expect(executed.slice(2)).toEqual(['waitForLock: a1 a2']);
    expect(answers).toEqual({ a1: posted(90, 2), a2: posted(80, 3) });
  });
});

describe('a lost answer', () => {
  test.each([true, false])('makes posting start again, whether the debit was posted or not (%s)', async (wasPosted) => {
    const { post, run, next, executed, answers, balanceOf } = openPosts();
    next('plain', wasPosted ? answerLost : fails(lost));
    post('a1 b1');
    await run(49);
    expect([executed, answers]).toEqual([['plain: a1 b1'], {}]);
    await run(1);
    const after = ['plain: a1 b1', ...(wasPosted ? ['skipLocked: a1 b1', 'find: a1 b1'] : [])];
    expect(executed.slice(1)).toEqual(after);
    expect(answers).toEqual({ a1: posted(90, 2), b1: posted(90, 2) });
    expect([balanceOf('a'), balanceOf('b')]).toEqual([90, 90]);
  });

  test('is looked for when the caller has left, without posting anything new', async () => {
    const { post, run, next, executed, answers, balanceOf } = openPosts();
    const { signal, leave } = caller();
    next('plain', answerLost);
    // The wallet does not cover it, so the statement did not post it.
    post('a1', { amount: 101, signal });
    post('b1', { signal });
    post('c1');
    await run(0);
    leave();
    await run(50);
    expect(executed.slice(1)).toEqual(['find: a1 b1', 'plain: c1', 'skipLocked: c1', 'find: c1']);
    expect(answers).toEqual({ a1: inDoubt(LEFT), b1: posted(90, 2), c1: posted(90, 2) });
    expect(['a', 'b', 'c'].map(balanceOf)).toEqual([100, 90, 90]);
  });

  test('leaves it in doubt if what follows fails', async () => {
    const { post, run, next, answers } = openPosts();
    next('plain', fails(lost), fails(bad));
    post('a1');
    await run(50);
    expect(answers).toEqual({ a1: inDoubt(bad) });
  });

  test('is not looked up again after more than a minute, and leaves the debit in doubt', async () => {
    const { post, run, next, executed, answers } = openPosts();
    const { fate, release } = held();
    next('plain', fate);
    post('a1');
    await run(60_000);
    release(lost);
    await run(1_000);
    expect([executed, answers]).toEqual([['plain: a1'], { a1: inDoubt(lost) }]);
  });
});

describe('a caller who left', () => {
  test('before the first statement gets the reason, and no statement runs', async () => {
    const { post, run, executed, answers } = openPosts();
    post('a1 b1', { signal: AbortSignal.abort(LEFT) });
    await run(0);
    expect([executed, answers]).toEqual([[], { a1: LEFT, b1: LEFT }]);
  });

  test('after a statement without effect gets the reason, and no other follows', async () => {
    const { post, run, next, executed, answers } = openPosts();
    const { signal, leave } = caller();
    next('plain', fails(away));
    post('a1', { signal });
    await run(0);
    leave();
    await run(50);
    expect([executed, answers]).toEqual([['plain: a1'], { a1: LEFT }]);
  });

  test('changes nothing for the others', async () => {
    const { post, run, executed, answers } = openPosts();
    post('a1');
    post('b1', { signal: AbortSignal.abort(LEFT) });
    post('c1', { amount: 20, signal: caller().signal });
    await run(0);
    expect(executed).toEqual(['plain: a1 c1']);
    expect(answers).toEqual({ a1: posted(90, 2), b1: LEFT, c1: posted(80, 2, 20) });
  });

  test('while waiting in the queue gets the reason within a tenth of a second', async () => {
    const { post, run, next, executed, answers } = openPosts();
    const { signal, leave } = caller();
    next('plain', held().fate);
    post('a1');
    await run(0);
    post('a2', { signal });
    post('a3');
    await run(1_000);
    expect(answers).toEqual({});
    leave();
    await run(100);
    expect([executed, answers]).toEqual([['plain: a1'], { a2: LEFT }]);
  });

  test('while the debit is in doubt gets its final outcome', async () => {
    const { post, run, lock, next, executed, answers } = openPosts();
    const [first, second] = [caller(), caller()];
    next('plain', answerLost);
    post('a1', { signal: first.signal });
    await run(0);
    // The wallet is locked now, so the committed debit can only be found by the look-up.
    lock('a', 100_000);
    await run(50);
    post('a2', { signal: second.signal });
    await run(1_000);
    expect(answers).toEqual({});
    executed.length = 0;
    for (const { leave } of [second, first]) leave();
    await run(100);
    expect(executed).toContain('find: a1');
    expect(answers).toEqual({ a1: posted(90, 2), a2: LEFT });
  });
});

describe('an error', () => {
  test('of a statement for many debits fails only the one at fault', async () => {
    const { post, run, always, executed, answers } = openPosts();
    always('plain', (go, names) => {
      if (names.includes('b1')) throw bad;
      return go();
    });
    post('a1 b1 c1');
    await run(0);
    expect(executed).toEqual(['plain: a1 b1 c1', 'plain: a1', 'plain: b1', 'plain: c1']);
    expect(answers).toEqual({ a1: posted(90, 2), b1: bad, c1: posted(90, 2) });
  });

  test('of a statement for many debits leaves those in doubt that were in doubt before', async () => {
    const { post, run, next, always, answers } = openPosts();
    next('plain', fails(lost));
    always('plain', fails(bad));
    post('a1 b1');
    await run(50);
    expect(answers).toEqual({ a1: inDoubt(bad), b1: inDoubt(bad) });
  });

  test('from an unreachable database reaches all callers after five seconds of shared retries', async () => {
    const { post, run, always, executed, answers } = openPosts();
    always('plain', fails(away));
    post('a1 b1');
    await run(3_000);
    expect(answers).toEqual({});
    await run(2_000);
    expect(answers).toEqual({ a1: away, b1: away });
    expect(new Set(executed)).toEqual(new Set(['plain: a1 b1']));
  });
});

describe('after more than a minute', () => {
  const settling = (retryAfter: number): unknown =>
    expect.toSatisfy(
      (error) =>
        error instanceof ServiceError &&
        error.code === 'upstream_rate_limited' &&
        error.detail.reason === 'settling' &&
        error.retryAfter === retryAfter &&
        error.message.includes(`in ${retryAfter} s`),
    );

  test('refuses a waiting debit with a retry after 5 s', async () => {
    const { post, run, next, executed, answers } = openPosts();
    next('plain', held().fate);
    post('a1');
    // Waiting debits are checked every tenth of a second, the first time after a millisecond.
    await run(1);
    post('a2', { signal: caller().signal });
    await run(60_000);
    expect(answers).toEqual({});
    await run(100);
    expect([executed, answers]).toEqual([['plain: a1'], { a2: settling(5) }]);
  });

  test('leaves a debit in doubt that may have been posted', async () => {
    const { post, run, lock, next, answers } = openPosts();
    const { signal } = caller();
    next('plain', fails(lost));
    lock('ab', 100_000);
    post('a1', { signal });
    post('b1');
    await run(60_100);
    expect(answers).toEqual({ a1: inDoubt(undefined), b1: inDoubt(undefined) });
  });

  test('refuses one debit too many for a locked wallet, and says when to retry', async () => {
    const { post, run, lock, answers } = openPosts();
    lock('a', 100_000);
    const names = Array.from({ length: 101 }, (_, nth) => `a${nth}`);
    post(names.slice(0, 100).join(' '));
    await run(7_000);
    post('a100');
    await run(0);
    expect(answers).toEqual({ a100: settling(7) });
  });
});
