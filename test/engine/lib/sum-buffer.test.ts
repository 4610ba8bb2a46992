import { expect, it } from 'vitest';
import { SumBuffer } from '../../../src/figures/sum-buffer.js';

interface Count {
  readonly name: string;
  readonly count: number;
}

function opened(most = 10) {
  const calls: [string, readonly Count[]][] = [];
  const at = { failures: 0, ids: 0 };
  const buffer = new SumBuffer<{ rows: Count }>({
    kinds: {
      rows: { keyOf: ({ name }) => name, plus: (before, { count }) => ({ ...before, count: before.count + count }) },
    },
    most,
    newId: () => `batch ${++at.ids}`,
    async write(batchId, { rows }) {
      calls.push([batchId, rows]);
      if (at.failures-- > 0) throw new Error('The database is away.');
    },
  });
  return { buffer, calls, at };
}

it('writes a failed batch again, unchanged and under its id, before newer sums', async () => {
  const { buffer, calls, at } = opened();
  at.failures = 2;
  buffer.add('rows', { name: 'a', count: 1 });
  await expect(buffer.flush()).rejects.toThrow('away');
  buffer.add('rows', { name: 'a', count: 5 });
  await expect(buffer.flush()).rejects.toThrow('away');
  buffer.add('rows', { name: 'a', count: 2 });
  await buffer.flush();
  await buffer.flush();
  const first = ['batch 1', [{ name: 'a', count: 1 }]];
  expect(calls).toEqual([first, first, first, ['batch 2', [{ name: 'a', count: 7 }]]]);
});

it('counts the rows of a failed batch towards the most that may wait', async () => {
  const { buffer, calls, at } = opened(2);
  at.failures = 1;
  buffer.add('rows', { name: 'a', count: 1 });
  await expect(buffer.flush()).rejects.toThrow('away');
  for (const name of ['b', 'c', 'b']) buffer.add('rows', { name, count: 1 });
  await buffer.flush();
  expect(calls.at(-1)).toEqual(['batch 2', [{ name: 'b', count: 2 }]]);
});
