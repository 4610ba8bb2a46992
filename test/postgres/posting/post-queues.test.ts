/** On a distributed database, the debits of each shard have a queue of their own. */
import { expect, test } from 'vitest';
import { away, fails, held, openPosts, posted } from './open-posts.js';

/** The accounts of wallets a to c are in one shard, the others in another. */
const shardOf = (accountId: string): number => (accountId < 'account d' ? 0 : 1);

test('posts debits of one shard together, and never those of two', async () => {
  const { post, run, executed, answers } = openPosts(shardOf);
  post('a1 d1 b1 e1');
  await run(0);
  expect(executed).toEqual(['plain: a1 b1', 'plain: d1 e1']);
  expect(answers).toEqual({ a1: posted(90, 2), b1: posted(90, 2), d1: posted(90, 2), e1: posted(90, 2) });
});

test('posts debits of one shard while another does not answer, however many wait for that one', async () => {
  const { post, run, always, answers } = openPosts(shardOf);
  const { fate, release } = held();
  always('plain', (go, names) => (names.some((name) => name < 'd') ? fate(go, names) : go()));
  for (let nth = 1; nth <= 300; nth += 1) {
    post(`a${nth} b${nth} c${nth}`, { amount: 1 });
    if (nth % 100 === 0) await run(10);
  }
  post('d1');
  await run(0);
  expect(answers).toEqual({ d1: posted(90, 2) });
  release();
  await run(100);
  expect(answers).toMatchObject({ a1: posted(99, 2, 1) });
});

test('tries again for a shard that is away, and posts for other shards at once', async () => {
  const { post, run, next, answers } = openPosts(shardOf);
  next('plain', fails(away), fails(away));
  post('a1');
  await run(60);
  post('d1');
  await run(0);
  expect(answers).toEqual({ d1: posted(90, 2) });
  await run(1_000);
  expect(answers).toEqual({ a1: posted(90, 2), d1: posted(90, 2) });
});
