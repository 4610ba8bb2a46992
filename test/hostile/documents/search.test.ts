/**
 * Every accepted document is prepared and run in a bounded time. Searches for one that is not, with a new seed each
 * time.
 */
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
  // The time of a usual document shows how fast this machine is at the moment.
  const usual = await confirmed(await tryDocument(USUAL));
  const boundMs = Math.max(100, 100 * usual.prepareMs);
  expect(worst['slowest to accept'].prepareMs).toBeLessThan(boundMs);
  expect(worst['slowest to refuse'].prepareMs).toBeLessThan(boundMs);
  expect(worst['slowest to compile'].secondRunMs).toBeLessThan(boundMs);
  expect(worst['largest answer to introspection'].answerBytes).toBeLessThanOrEqual(128 * 1024);
  expect(worst.heaviest.weight).toBeLessThan(4 * 1024 * 1024);
});
