/** Whatever document is accepted is prepared and run in a bounded time; searched for, with a new seed every time. */
import { expect, it } from 'vitest';
import { confirmed, search, tryDocument } from './search.js';

/** CI searches for a minute. */
const SECONDS = Number(process.env.TEST_DOCUMENTS_SECONDS ?? 5);
const seed = Number(process.env.TEST_DOCUMENTS_SEED ?? Date.now() % 1_000_000);

const USUAL = {
  query: '{ timeline(user: "1", first: 20) { nodes { id text author { handle name } } pageInfo { endCursor } } }',
  variables: {},
  operationName: null,
};

it(`no document is slow, large or faulty (seed ${seed})`, { timeout: 60_000 + SECONDS * 3000 }, async () => {
  const end = performance.now() + SECONDS * 1000;
  const { worst } = await search(seed, () => performance.now() > end);
  // What a usual document takes tells how fast this machine is at this moment.
  const usual = await confirmed(await tryDocument(USUAL));
  const boundMs = Math.max(100, 100 * usual.prepareMs);
  expect(worst['slowest to accept'].prepareMs).toBeLessThan(boundMs);
  expect(worst['slowest to refuse'].prepareMs).toBeLessThan(boundMs);
  expect(worst['slowest to compile'].secondRunMs).toBeLessThan(boundMs);
  expect(worst['largest answer to introspection'].answerBytes).toBeLessThanOrEqual(128 * 1024);
  expect(worst.heaviest.weight).toBeLessThan(4 * 1024 * 1024);
});
