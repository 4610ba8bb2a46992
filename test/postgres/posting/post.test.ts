/** How debits become statements, and what their callers get. The statements themselves are tested over a database. */
import { describe, expect, test } from 'vitest';
import { debitStatements, SETTLING_CONNECTIONS } from '../../../adapters/postgres/ledger/post.js';
import type { Sql } from '../../../adapters/postgres/sql.js';
import { caller, fails, held, idOf, LEFT, openPosts, posted, refused, short } from './open-posts.js';

const LOCKED = '55P03';
const TOOK_TOO_LONG = '57014';
const REPEATED = '23505';

describe('an amount', () => {
  test.each([0, -1, 1.5, Number.NaN, 2 ** 53])(
    'refuses an amount of %d without asking the database',
    async (amount) => {
      const { post, run, executed, answers } = openPosts();
      post('a1', { amount });
      await run(0);
      expect([answers, executed]).toEqual([{ a1: expect.any(RangeError) }, []]);
    },
  );

  test('of one thousandth is posted', async () => {
    const { post, run, answers } = openPosts();
    post('a1', { amount: 1 });
    await run(0);
    expect(answers).toEqual({ a1: posted(99, 2, 1) });
  });
});

describe('the same request', () => {
  test('posts the same id anew after its first post found no room', async () => {
    const { post, run, next, answers } = openPosts();
    const { fate, release } = held();
    next('plain', fate);
    post('a1');
    await run(0);
    const others = Array.from({ length: 2_000 }, (_, nth) => `a${nth + 2}`);
    post(others.join(' '), { amount: 1_000 });
    post('a9999');
    await run(0);
    expect(answers).toEqual({
      a9999: expect.objectContaining({ detail: expect.objectContaining({ reason: 'settling' }) }),
    });
    release();
    await run(100);
    post('a9998', { requestId: idOf('a9999') });
    await run(100);
    expect(answers).toMatchObject({ a1: posted(90, 2), a2: short('balance'), a9998: posted(80, 3) });
  });

  test('fails with its first post, without a second look-up', async () => {
    const { post, run, next, executed, answers } = openPosts();
    const { fate, release } = held();
    const error = refused('42501');
    next('plain', fate);
    post('a1');
    await run(0);
    post('a2', { requestId: idOf('a1') });
    release(error);
    await run(100);
    expect([answers, executed]).toEqual([{ a1: error, a2: error }, ['plain: a1']]);
  });

  test('is the same debit while its first post is in progress', async () => {
    const { post, run, next, executed, answers, balanceOf } = openPosts();
    const { fate, release } = held();
    next('plain', fate);
    post('a1');
    await run(0);
    post('a2', { requestId: idOf('a1') });
    await run(0);
    release();
    await run(0);
    expect(executed).toEqual(['plain: a1']);
    expect([answers, balanceOf('a')]).toEqual([{ a1: posted(90, 2), a2: posted(90, 2) }, 90]);
  });

  test('is posted for a second caller when the first one leaves', async () => {
    const { post, run, next, executed, answers, balanceOf } = openPosts();
    const first = caller();
    const { fate, release } = held();
    next('plain', fate);
    post('a1', { signal: first.signal });
    await run(0);
    post('a2', { requestId: idOf('a1') });
    first.leave();
    release(refused('55P03'));
    await run(1_000);
    expect(answers).toEqual({ a1: LEFT, a2: posted(90, 2) });
    expect([executed[0], balanceOf('a')]).toEqual(['plain: a1', 90]);
  });

  test.each(['posted', 'failed'])('is run again once that has %s', async (how) => {
    const { post, run, next, executed, answers, balanceOf } = openPosts();
    if (how === 'failed') next('plain', fails(refused('22P02')));
    post('a1');
    await run(0);
    post('a2', { requestId: idOf('a1') });
    await run(0);
    expect(executed.slice(0, 2)).toEqual(['plain: a1', 'plain: a2']);
    expect([answers.a2, balanceOf('a')]).toEqual([posted(90, 2), 90]);
  });

  test('is another debit if it is of another account', async () => {
    const { post, run, executed, answers } = openPosts();
    post('a1 b1', { requestId: idOf('a1') });
    await run(0);
    expect([executed, answers]).toEqual([['plain: a1 b1'], { a1: posted(90, 2), b1: posted(90, 2) }]);
  });
});

describe('the plain statement', () => {
  test('posts the debits of one turn that may be plain', async () => {
    const { post, run, executed, answers } = openPosts();
    post('a1 b1 a2');
    await run(0);
    expect(executed).toEqual(['plain: a1 a2 b1']);
    expect(answers).toEqual({ a1: posted(90, 2), a2: posted(80, 3), b1: posted(90, 2) });
  });

  test('is skipped for ids without a plausible time, such as those from 2100 on', async () => {
    const { post, run, executed, answers } = openPosts();
    post('a1', { requestId: '03bb2cc3-d7ff-7fff-bfff-ffffffffffff' });
    post('b1', { requestId: '03bb2cc3-d800-7000-8000-000000000000' });
    await run(0);
    expect(executed).toEqual(['plain: a1', 'skipLocked: b1']);
    expect(answers).toEqual({ a1: posted(90, 2), b1: posted(90, 2) });
  });

  test('is skipped for a capped key, and leaves a key that got a cap since its look-up to the other one', async () => {
    const { post, run, executed, answers } = openPosts();
    post('a1', { keyId: 'capped a', uncapped: null });
    await run(0);
    post('a2', { keyId: 'capped a' });
    await run(0);
    expect(executed).toEqual(['skipLocked: a1', 'plain: a2', 'skipLocked: a2']);
    expect(answers).toEqual({ a1: posted(90, 2), a2: posted(80, 3) });
  });

  test('is not skipped for a key without a cap, whatever statement its last debit needed', async () => {
    const { post, run, executed } = openPosts();
    post('a1', { requestId: idOf('a1', false) });
    post('b1', { requestId: idOf('b1', false), keyId: 'capped b' });
    await run(0);
    post('a2 b2');
    await run(0);
    expect(executed).toEqual(['skipLocked: a1 b1', 'plain: a2 b2']);
  });

  test.each([LOCKED, TOOK_TOO_LONG, REPEATED])('leaves all to the other one when it fails with %s', async (code) => {
    const { post, run, next, executed, answers } = openPosts();
    next('plain', fails(refused(code)));
    post('a1 b1');
    await run(0);
    expect(executed).toEqual(['plain: a1 b1', 'skipLocked: a1 b1']);
    expect(answers).toEqual({ a1: posted(90, 2), b1: posted(90, 2) });
  });

  test('is not followed by the other one when it fails otherwise', async () => {
    const { post, run, next, executed, answers } = openPosts();
    const error = refused('22P02');
    next('plain', fails(error));
    post('a1');
    await run(1_000);
    expect(executed).toEqual(['plain: a1']);
    expect(answers.a1).toBe(error);
  });

  test('is tried again if that may help', async () => {
    const { post, run, next, executed, answers } = openPosts();
    next('plain', fails(refused('40001')));
    post('a1');
    await run(49);
    expect(executed).toEqual(['plain: a1']);
    await run(1);
    expect([executed, answers]).toEqual([['plain: a1', 'plain: a1'], { a1: posted(90, 2) }]);
  });
});

describe('a debit that the plain statement does not post', () => {
  test('is posted by the other one if it is covered, and refused if it is not', async () => {
    const { post, run, executed, answers, balanceOf } = openPosts();
    post('a1 a2', { amount: 60 });
    post('b1');
    await run(0);
    expect(executed).toEqual(['plain: a1 a2 b1', 'skipLocked: a1 a2', 'skipLocked: a2', 'find: a2']);
    expect(answers).toEqual({ a1: posted(40, 2, 60), a2: short('balance'), b1: posted(90, 2) });
    expect(balanceOf('a')).toBe(40);
  });

  test("is refused if its key's cap does not cover it", async () => {
    const { post, run, executed, answers } = openPosts();
    post('a1', { keyId: 'capped a', amount: 31 });
    await run(0);
    expect(executed).toEqual(['plain: a1', 'skipLocked: a1', 'find: a1']);
    expect(answers).toEqual({ a1: short('key_cap') });
  });

  test('is an error if its wallet and key do not belong together', async () => {
    const { post, run, answers } = openPosts();
    post('a1', { keyId: 'key b' });
    post('b1', { keyId: 'capped b' });
    await run(0);
    expect(answers).toEqual({
      a1: expect.objectContaining({ message: expect.stringContaining('do not belong together') }),
      b1: posted(90, 2),
    });
  });

  test('is not looked for if its statement fails for another reason than a repeat', async () => {
    const { post, run, next, executed, answers } = openPosts();
    const error = refused('22P02');
    next('skipLocked', fails(error));
    post('a1', { requestId: idOf('a1', false) });
    await run(1_000);
    expect(executed).toEqual(['skipLocked: a1']);
    expect(answers.a1).toBe(error);
  });

  test('waits while its wallet is locked, and others do not', async () => {
    const { post, run, lock, executed, answers } = openPosts();
    lock('a', 1_000);
    post('a1 b1');
    await run(0);
    expect(executed).toEqual(['plain: a1 b1', 'skipLocked: a1 b1', 'waitForLock: a1']);
    expect(answers).toEqual({ b1: posted(90, 2) });
    await run(2_000);
    expect(answers).toEqual({ a1: posted(90, 2), b1: posted(90, 2) });
  });
});

describe('a repeat of a posted debit', () => {
  test('gets the entry of the first, whatever balance is left; a new id stays refused', async () => {
    const { post, run, executed, answers } = openPosts();
    post('b1 d1', { amount: 60 });
    post('c1', { keyId: 'capped c', amount: 20 });
    await run(0);
    executed.length = 0;
    const others = { requestId: idOf('f', false), keyId: 'capped a', uncapped: null, amount: 31 };
    post('a2', others);
    post('b2', { requestId: idOf('b1'), amount: 60 });
    post('f2', { requestId: idOf('f2', false) });
    post('c2', { requestId: idOf('c1'), keyId: 'capped c', uncapped: null, amount: 20 });
    post('e2', { requestId: idOf('e2', false), amount: 101 });
    post('d2', { requestId: idOf('d1'), amount: 60 });
    await run(0);
    expect(executed).toEqual([
      'plain: b2 d2',
      'skipLocked: a2 f2 c2 e2',
      'find: a2 c2 e2',
      'skipLocked: b2 d2',
      'find: b2 d2',
    ]);
    expect(answers).toMatchObject({
      ...{ b2: posted(40, 2, 60), c2: posted(80, 2, 20), d2: posted(40, 2, 60), f2: posted(90, 2) },
    });
    expect(answers).toMatchObject({ a2: short('key_cap'), e2: short('balance') });
  });

  test('is found instead of posted again, and the debits beside it are posted', async () => {
    const { post, run, executed, answers, balanceOf } = openPosts();
    const noTime = (name: string) => ({ requestId: idOf(name, false) });
    post('b1', noTime('b1'));
    await run(0);
    executed.length = 0;
    post('a1', noTime('a1'));
    post('b2', noTime('b1'));
    post('c1', noTime('c1'));
    await run(0);
    expect(executed).toEqual(['skipLocked: a1 b2 c1', 'find: a1 b2 c1', 'skipLocked: a1 c1']);
    expect(answers).toMatchObject({ a1: posted(90, 2), b2: posted(90, 2), c1: posted(90, 2) });
    expect(balanceOf('b')).toBe(90);
  });

  test('does not fail when an error names none of the debits', async () => {
    const { post, run, next, executed, answers } = openPosts();
    const error = refused(REPEATED);
    next('skipLocked', fails(error));
    post('a1', { requestId: idOf('a1', false) });
    await run(0);
    expect([executed, answers.a1]).toEqual([['skipLocked: a1', 'find: a1'], error]);
  });
});

describe('at once', () => {
  test('run at most two statements that wait for no lock, and two that do', async () => {
    const { post, run, lock, always, executed } = openPosts();
    expect(SETTLING_CONNECTIONS).toBe(4);
    const { fate } = held();
    for (const kind of ['plain', 'waitForLock'] as const) always(kind, fate);
    lock('abc', 100_000);
    for (const name of ['a1', 'b1', 'c1']) post(name, { requestId: idOf(name, false) });
    await run(0);
    expect(executed).toEqual(['skipLocked: a1 b1 c1', 'waitForLock: a1', 'waitForLock: b1']);
    always('skipLocked', fate);
    for (const name of ['d1', 'd2', 'e1']) post(name, { requestId: idOf(name, name !== 'd1') });
    await run(0);
    post('f1');
    await run(10_000);
    expect(executed.slice(3)).toEqual(['plain: e1', 'skipLocked: d1 d2']);
  });
});

test('runs the statements on the given database', async () => {
  const ids = { accountId: 'account', walletId: 'wallet', keyId: 'key', requestId: idOf('1') };
  const debit = { ...ids, uncapped: { ...ids, keyNumber: 1, capsVersion: 1 }, amount: 10, lines: [] };
  const [entry, rows] = [
    { place: 1, balance: 5, seq: 3 },
    { outcomes: ['balance'], seqs: [2], balances: [null] },
  ];
  const answer = async (text: TemplateStringsArray): Promise<unknown[]> => [
    text.join('').includes('post_any_debits') ? rows : entry,
  ];
  const sql = Object.assign(answer, { unsafe: () => ({ values: async () => [['{1}', '{100}', '{1}']] }) });
  const { postPlain, postAny, find } = debitStatements(sql as unknown as Sql);
  const debits = [debit as never];
  expect(await postPlain(debits)).toEqual([{ balance: 90, seq: 2 }]);
  expect(await postAny(debits, 'skipLocked')).toEqual([{ outcome: 'balance', seq: 2, balance_after: null }]);
  expect(await find(debits)).toEqual([{ balance: 5, seq: 3 }]);
});

test('sends each wallet and receipt once, wallets in account order, and their debits in order of arrival', async () => {
  const sent: unknown[][] = [];
  const unsafe = (_text: string, parameters: unknown[]) => {
    sent.push(parameters);
    return { values: async () => [[null, null, null]] };
  };
  const { postPlain } = debitStatements({ unsafe } as unknown as Sql);
  const debits = ['c1', 'a3', 'b1', 'a1', 'c2', 'a2'].map((name) => {
    const ids = { accountId: name.charAt(0), walletId: name.charAt(0), keyId: 'key' };
    return { ...ids, requestId: name, uncapped: { ...ids, keyNumber: 1, capsVersion: 1 }, amount: 10, lines: [] };
  });
  expect(await postPlain(debits as never)).toEqual(debits.map(() => undefined));
  const [[shard, accounts, , sums, counts, firsts, leasts, requests, , , kinds, amounts] = []] = sent;
  expect([shard, accounts, sums, counts]).toEqual([null, '{a,b,c}', '{30,10,20}', '{3,1,2}']);
  expect([kinds, amounts]).toEqual(['{1,1,1,1,1,1}', '{10}']);
  // The position of each wallet's first debit, and of the one with the lowest id.
  expect([firsts, leasts, requests]).toEqual(['{1,4,5}', '{2,4,5}', '{a3,a1,a2,b1,c1,c2}']);
});

test.each([{ keyId: 'key b' }, { walletId: 'wallet b' }, { accountId: 'account b' }])(
  'posts a debit as plain only by the look-up of its own key, not by that of %o',
  async (other) => {
    const { post, run, executed, answers } = openPosts();
    const own = { accountId: 'account a', walletId: 'wallet a', keyId: 'key a' };
    post('a1', { uncapped: { ...own, ...other, keyNumber: 1, capsVersion: 0 } });
    await run(0);
    expect([executed, answers]).toEqual([['skipLocked: a1'], { a1: posted(90, 2) }]);
  },
);
