/**
 * Every accepted document is prepared and run in a bounded time. Searches for one that is not, with a new seed each
 * time.
 */
import { expect, it } from 'vitest';
import { LIMITS } from '../../../src/documents/limits.js';
import { anyGenome, documentFrom, randomFrom } from './generate.js';
import { confirmed, search, tryDocument, trying } from './search.js';

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
  expect(worst['largest answer to introspection'].answerBytes).toBeLessThanOrEqual(LIMITS.introspectionBytes);
  expect(worst.heaviest.weight).toBeLessThan(4 * 1024 * 1024);
});

/** Documents that are small enough to be compiled, with much that is merged. */
const SMALL = {
  leaves: 0.1,
  width: 0.4,
  depth: 0.3,
  lists: 0,
  introspection: 0,
  operations: 0,
  longTexts: 0,
  unused: 0,
};
const SHARED = { fragments: 0.4, spreads: 0.6, inline: 0.8, repeats: 0.1, variables: 0.6 };

it(`a document reads and answers the same each time, with and without conditions (seed ${seed})`, async () => {
  const random = randomFrom(seed);
  const counts = { compiled: 0, interpreted: 0 };
  for (let nth = 0; nth < 600; nth += 1) {
    const { traits, ...genome } = anyGenome(random);
    const directives = nth % 2 === 0 ? 0 : 0.8;
    const made = { ...genome, traits: { ...traits, ...SMALL, ...SHARED, directives } };
    const { refusal, mayCompile } = await trying(documentFrom(made), made);
    if (refusal === null) counts[mayCompile ? 'compiled' : 'interpreted'] += 1;
  }
  expect(Math.min(counts.compiled, counts.interpreted), JSON.stringify(counts)).toBeGreaterThan(50);
});
