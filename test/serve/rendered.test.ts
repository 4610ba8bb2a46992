import { expect, it } from 'vitest';
import { createMemoryCache } from '../../adapters/memory/cache.js';
import { Memories } from '../../src/core/memories.js';
import { AnswerCache } from '../../src/serve/answer-cache.js';
import { Rendered } from '../../src/serve/rendered.js';
import { keptAnswer } from './kept-answer.js';

it('a kept answer weighs what is kept of it in every encoding, until it is replaced', () => {
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
  // Whoever still sends the older one adds nothing to what is kept.
  older.set('zstd', encoded);
  expect([bytes(), newer.size]).toEqual([before, 1000]);
});
