import { describe, expect, test } from 'vitest';
import { openFlushes } from './open-flushes.js';

describe('a request fails', () => {
  test('with the error of its flush', async () => {
    const { submit, nth, answers } = openFlushes();
    await submit('a1', 'b1');
    await nth(0).fail(new Error('lost'));
    expect(answers).toEqual({ a1: 'lost', b1: 'lost' });
  });

  test('if its flush has no verdict on it', async () => {
    const { submit, answers } = openFlushes({ flush: async () => [{ value: 'done' }] });
    await submit('a1', 'b1');
    expect(answers).toEqual({ a1: 'done', b1: 'a flush left a request without a verdict' });
  });
});
