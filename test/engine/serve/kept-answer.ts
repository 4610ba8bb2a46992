import type { Answer } from '../../../src/serve/call.js';
import type { Rendered } from '../../../src/serve/rendered.js';

/** A kept answer, all of whose parts were cached. */
export const keptAnswer = (rendered: Rendered): Answer => ({
  kind: 'answer',
  operation: 'query',
  data: null,
  errors: [],
  charge: { amount: 1, items: 1, cacheHits: 1, cache: 'hit', lines: [], ledgerLines: [] },
  balance: 1,
  fetchedAt: 0,
  rendered,
});
