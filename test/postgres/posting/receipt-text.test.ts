import { describe, expect, it } from 'vitest';
import { receiptText } from '../../../adapters/postgres/ledger/plain-debits.js';
import type { ReceiptLine } from '../../../src/ports/ledger.js';

const line = (path: string): ReceiptLine => ({ path, unit: 'tweet', cache: 'hit', items: 20, unitPrice: 500 });
const textOf = (...paths: string[]) => receiptText({ operation: 'user', lines: paths.map(line) });

describe('a receipt as the ledger keeps it', () => {
  it('has a line for each path, and omits a path that is the operation’s name', () => {
    expect(textOf('user', 'user.tweets')).toBe(' tweet hit 20 500;user.tweets tweet hit 20 500');
    expect(textOf()).toBe('');
  });

  it('refuses a path with characters that separate its parts', () => {
    for (const path of ['', ' ', 'a b', 'a;b', 'a\nb', ';'])
      expect(() => textOf('user', path)).toThrow(
        new RangeError(`a receipt's path is made of names, unlike ${JSON.stringify(path)}`),
      );
  });
});
