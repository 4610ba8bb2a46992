import { expect, it } from 'vitest';
import { lazily } from '../../../src/lib/lazily.js';

it('loads once for all callers, and not before the first', async () => {
  let loads = 0;
  const lazy = lazily(async () => {
    loads += 1;
    return loads;
  });
  expect(lazy.peek()).toBeUndefined();
  expect(await Promise.all([lazy.get(), lazy.get()])).toEqual([1, 1]);
  expect(await lazy.get()).toBe(1);
  expect(await lazy.peek()).toBe(1);
});

it('rejects current callers on failure and loads again for the next', async () => {
  const ends: (() => Promise<string>)[] = [() => Promise.reject(new Error('no such file')), async () => 'loaded'];
  const lazy = lazily(async () => (await ends.shift()?.()) ?? 'loaded twice');
  const both = await Promise.allSettled([lazy.get(), lazy.get()]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(lazy.peek()).toBeUndefined();
  expect(await lazy.get()).toBe('loaded');
  expect(await lazy.get()).toBe('loaded');
});
