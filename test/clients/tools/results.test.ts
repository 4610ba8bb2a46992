/** What docs/clients.md says of each tool was tested with the version that is installed. */
import { expect, it } from 'vitest';
import { lockedVersion, readResults } from './results.js';
import { ROWS } from './rows.js';

it('has a result of every tool at the version of its lockfile, and each works', () => {
  const results = readResults();
  const wrong = ROWS.filter((row) => {
    const result = results[row.name];
    const version = lockedVersion(row) ?? result?.version;
    return !result?.works || result.version !== version;
  });
  expect(wrong.map(({ name }) => name)).toEqual([]);
});
