import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, test } from 'vitest';
import { LEDGER_COMMITS } from '../../../src/domain/usage.js';
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

describe('reports each flush', () => {
  test('with its duration and its number of requests, without those that met a lock', async () => {
    const messages = await messagesDuring(async () => {
      const { submit, run, nth } = openFlushes({ bounds: { waits: 0 } });
      await submit('a1', 'b1', 'c1', 'd1', 'e1');
      await run(3);
      await nth(0).end({ value: 'done' }, 'locked', 'isolate', 'retry', { error: new Error('wrong') });
    });
    expect(messages).toEqual([{ debits: 3, ms: 3, failed: false }]);
  });

  test('as failed if it failed', async () => {
    const messages = await messagesDuring(async () => {
      const { submit, run, nth } = openFlushes();
      await submit('a1', 'a2');
      await run(7);
      await nth(0).fail(new Error('lost'));
    });
    expect(messages).toEqual([{ debits: 2, ms: 7, failed: true }]);
  });

  test('unless all of its requests met a lock', async () => {
    const messages = await messagesDuring(async () => {
      const { submit, nth } = openFlushes();
      await submit('a1', 'b1');
      await nth(0).end('locked');
      await nth(1).end('locked');
    });
    expect(messages).toEqual([]);
  });

  async function messagesDuring(happens: () => Promise<void>): Promise<unknown[]> {
    const messages: unknown[] = [];
    const listen = (message: unknown) => void messages.push(message);
    subscribe(LEDGER_COMMITS, listen);
    try {
      await happens();
    } finally {
      unsubscribe(LEDGER_COMMITS, listen);
    }
    return messages;
  }
});
