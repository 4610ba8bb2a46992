import { translate } from '../../adapters/networks/bluesky/search/translate.js';
import { checkQuery as checkCorpus } from '../../adapters/networks/corpus/search/search.js';
import { checkQuery as checkMastodon } from '../../adapters/networks/mastodon/search.js';
import { OPERATOR_EXAMPLES } from '../../adapters/networks/search/operators.js';
import { checkSearch as checkX } from '../../adapters/networks/x/search.js';
import { ServiceError } from '../../src/domain/errors.js';
import type { Product } from '../../src/domain/model.js';
import { tableText } from './parts.js';

/** An arbitrary time, because no example depends on the present. */
const clock = { now: () => Date.parse('2026-02-01T00:00:00Z') };

/** The check with which each network refuses a query before it reads anything. */
const CHECKS: Readonly<Record<string, (q: string, product: Product) => void>> = {
  Corpus: checkCorpus,
  // Handles are host names on this network.
  Bluesky: (q, product) => void translate(q.replace(':nasa', ':nasa.bsky.social'), product),
  X: (q, product) => checkX(q, product, { search: 'archive', clock }),
  Mastodon: checkMastodon,
};

function takes(check: (q: string, product: Product) => void, term: string): string {
  try {
    check(`tide ${term}`, 'Latest');
    return 'yes';
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'bad_request') return '-';
    throw error;
  }
}

/** Every operator, and the networks that accept it in a search for tweets. */
export const operatorsTable = (): string =>
  tableText(
    ['Operator', 'Finds', ...Object.keys(CHECKS)],
    OPERATOR_EXAMPLES.map(({ term, finds }) => [
      `\`${term}\``,
      finds,
      ...Object.values(CHECKS).map((check) => takes(check, term)),
    ]),
  );
