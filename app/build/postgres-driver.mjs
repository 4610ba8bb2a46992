// Repairs of how the Postgres driver handles connections that break, are full or are reserved, and queries and copies
// that fail, until a release has them (seen in 3.4.9; porsager/postgres, issues 1154, 1181, 1189, 1193 and 1208).
// Without these repairs a rollback on a closed connection or a failed copy ends the whole process, queries and
// connections are lost for good, statements run in other callers' transactions, and queries get the rows of others. The
// build puts the repaired driver into the program, and tests use it, too.

import { OF_CONNECTION } from './postgres-connection.mjs';
import { OF_POOL } from './postgres-pool.mjs';

/** The files of the package that are repaired. */
export const REPAIRED_FILE = /[\\/]postgres[\\/]src[\\/](connection|index)\.js$/;

/**
 * The repaired text of such a file. Throws if a release has changed it; then check whether each repair is still needed.
 */
export function repaired(text, path) {
  const repairs = REPAIRED_FILE.exec(path)?.[1] === 'index' ? OF_POOL : OF_CONNECTION;
  return repairs.reduce((rest, { from, to }) => {
    const [before, after, ...more] = rest.split(from);
    if (after === undefined || more.length > 0) {
      throw new Error('The Postgres driver has changed: see whether app/build/postgres-driver.mjs is still needed.');
    }
    return `${before}${to}${after}`;
  }, text);
}
