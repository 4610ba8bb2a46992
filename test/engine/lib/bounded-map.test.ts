import { expect, it } from 'vitest';
import { schema } from '../../../schema/index.js';
import { Documents } from '../../../src/documents/documents.js';
import { BoundedMap } from '../../../src/lib/bounded-map.js';
import { Memories } from '../../../src/lib/memories.js';

it('weighs a replaced value anew, without reporting that it left', () => {
  const dropped: object[] = [];
  const map = new BoundedMap<{ bytes: number }>({
    maxBytes: 10_000,
    weigh: ({ bytes }) => bytes,
    dropped: (value) => dropped.push(value),
  });
  const value = { bytes: 100 };
  map.set('other', { bytes: 5000 });
  map.set('key', value);
  const before = map.bytes;
  value.bytes = 1100;
  map.set('key', value);
  expect([map.bytes - before, map.get('key'), dropped]).toEqual([1000, value, []]);
  value.bytes = 8000;
  map.set('key', value);
  expect([map.has('other'), dropped.length]).toEqual([false, 1]);
  value.bytes = 20_000;
  expect([map.set('key', value), map.has('key'), dropped.length]).toEqual([false, false, 2]);
});

it('weighs a document more once it is compiled', async () => {
  const memories = new Memories();
  const documents = new Documents(schema, undefined, memories);
  const bytes = () => memories.states().find(({ name }) => name === 'documents')?.bytes ?? 0;
  const operation = documents.find({ text: '{ __typename me { balance } }' });
  const before = bytes();
  const context = { account: { me: async () => ({ balance: 1 }) } };
  await operation.run(context, {});
  expect(bytes()).toBe(before);
  await operation.run(context, {});
  expect(bytes()).toBeGreaterThan(before + 1000);
});
