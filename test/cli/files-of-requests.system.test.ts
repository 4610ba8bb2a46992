import { expect, it } from 'vitest';
import { readOptions } from '../../bench/options.js';
import { filesOfRequests } from '../../bench/profile/files.js';
import { KINDS } from '../../bench/profile/kinds.js';
import { openWorkbench } from '../../bench/workbench.js';
import { SLOW_MS } from './support/service.js';

it('executes few files of our own for a request', { timeout: 2 * SLOW_MS }, async () => {
  const bench = await openWorkbench(readOptions([]));
  try {
    const files = await filesOfRequests(bench);
    // A request begins and ends in these files. If they are counted, all of it was seen.
    for (const { name } of KINDS) {
      expect(files.get(name), name).toEqual(
        expect.arrayContaining(['adapters/http/request-log.ts', 'adapters/postgres/ledger/post.ts']),
      );
    }
    const tooMany = KINDS.filter(({ name, most }) => (files.get(name)?.length ?? 0) > most);
    expect(tooMany.map(({ name, most }) => ({ name, most, files: files.get(name) }))).toEqual([]);
  } finally {
    await bench.close();
  }
});
