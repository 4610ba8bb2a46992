/** The result of a statement is kept, whatever fails after it. */
import { describe, expect, test } from 'vitest';
import {
  answerLost,
  away,
  caller,
  fails,
  LEFT,
  lockTimeout,
  lost,
  noTime,
  openPosts,
  posted,
  refused,
  short,
} from './open-posts.js';

describe('a debit that a statement has posted', () => {
  // The debit of a wallet that does not cover it is looked for as a repeat by the next statement, which fails.
  const besideOneThatIsRefused = () => {
    const posts = openPosts();
    posts.post('a1', { ...noTime('a1'), amount: 101 });
    posts.post('b1', noTime('b1'));
    return posts;
  };

  test.each([
    ['goes away', away, 10_000],
    ['fails', refused('42501'), 0],
  ])('is confirmed as posted when the database %s afterwards', async (_what, error, ms) => {
    const { run, always, answers, balanceOf } = besideOneThatIsRefused();
    always('find', fails(error));
    await run(ms);
    expect([answers, balanceOf('b')]).toEqual([{ a1: error, b1: posted(90, 2) }, 90]);
  });

  test('is not looked up again, while a refused one is, until it is known not to be a repeat', async () => {
    const { run, next, executed, answers } = besideOneThatIsRefused();
    next('find', fails(away), fails(lost));
    await run(1_000);
    const again = ['skipLocked: a1', 'find: a1'];
    expect(executed).toEqual(['skipLocked: a1 b1', 'find: a1', ...again, ...again]);
    expect(answers).toEqual({ a1: short('balance'), b1: posted(90, 2) });
  });

  test('is confirmed as soon as its half of the batch is, whatever happens to the other half or its caller', async () => {
    const { post, run, next, always, executed, answers, balanceOf } = openPosts();
    const [first, second] = [caller(), caller()];
    next('skipLocked', fails(lockTimeout), (go) => go());
    always('skipLocked', fails(away));
    post('a1', { ...noTime('a1'), signal: first.signal });
    post('b1', { ...noTime('b1'), signal: second.signal });
    post('c1', noTime('c1'));
    await run(0);
    for (const { leave } of [first, second]) leave();
    await run(10_000);
    expect(executed.slice(0, 3)).toEqual(['skipLocked: a1 b1 c1', 'skipLocked: a1 b1', 'skipLocked: c1']);
    expect(answers).toEqual({ a1: posted(90, 2), b1: posted(90, 2), c1: away });
    expect(['a', 'b', 'c'].map(balanceOf)).toEqual([90, 90, 100]);
  });
});

describe('a look-up whose answer is lost', () => {
  test('leaves no new debit in doubt: a caller who left gets the reason', async () => {
    const { post, run, next, executed, answers } = openPosts();
    const [first, second] = [caller(), caller()];
    next('plain', answerLost);
    post('a1', { signal: first.signal });
    await run(0);
    post('a2', { signal: second.signal });
    for (const { leave } of [first, second]) leave();
    next('find', fails(lost));
    await run(1_000);
    expect(executed).toContain('find: a1');
    expect(answers).toEqual({ a1: posted(90, 2), a2: LEFT });
  });

  test('does not put a refused debit in doubt, however long the database is away', async () => {
    const { post, run, always, answers } = openPosts();
    always('find', fails(lost));
    post('a1', { ...noTime('a1'), amount: 101 });
    await run(100_000);
    expect(answers).toEqual({ a1: lost });
  });
});
