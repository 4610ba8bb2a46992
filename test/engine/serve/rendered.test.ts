import { expect, it } from 'vitest';
import { ENCODINGS, encode } from '../../../adapters/http/bodies/encodings.js';
import { createMemoryCache } from '../../../adapters/memory/cache.js';
import { Memories } from '../../../src/lib/memories.js';
import { AnswerCache } from '../../../src/serve/answer-cache.js';
import { Rendered } from '../../../src/serve/rendered.js';
import { keptAnswer } from './kept-answer.js';

it('weighs a kept answer with everything kept of it in every encoding, until it is replaced', () => {
  const memories = new Memories();
  const bytes = () => memories.states().find(({ name }) => name === 'answers')?.bytes ?? 0;
  const cache = new AnswerCache(createMemoryCache({ clock: { now: () => 0 } }), { version: 0 } as never, memories);
  const [older, newer] = [new Rendered(Buffer.alloc(1000)), new Rendered(Buffer.alloc(1000))];
  const encoded = { bytes: Buffer.alloc(300), checksum: 0 };
  cache.store('call', keptAnswer(older), { dependencies: [], tombstonesVersion: 0 });
  const before = bytes();
  older.set('br', encoded);
  older.set('gzip', encoded);
  expect(bytes() - before).toBe(600);
  cache.store('call', keptAnswer(newer), { dependencies: [], tombstonesVersion: 0 });
  expect(bytes()).toBe(before);
  // An answer still being sent with the older one adds nothing to the memory.
  older.set('zstd', encoded);
  expect([bytes(), newer.size]).toEqual([before, 1000]);
});

it.each([1, 700, 3000, 9000])('keeps no memory but its bytes: %i of them, and their encodings', (length) => {
  // Anything cut from the slab from which Node cuts small buffers keeps the whole slab.
  Buffer.from('before');
  const rendered = new Rendered(Buffer.from('x'.repeat(length)));
  for (const encoding of ENCODINGS) rendered.set(encoding.name, encode(encoding, rendered.bytes));
  const kept = [rendered.bytes, ...ENCODINGS.map(({ name }) => rendered.get(name)?.bytes ?? Buffer.alloc(0))];
  expect(kept.map((bytes) => bytes.buffer.byteLength)).toEqual(kept.map((bytes) => bytes.length));
  expect(kept[0]?.toString()).toBe('x'.repeat(length));
});
