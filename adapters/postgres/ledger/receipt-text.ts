import type { Debit } from '../../../src/ports/ledger.js';

/**
 * A receipt's lines as the ledger keeps them: `user profile hit 1 500;user.tweets tweet miss 20 1000`, without a path that
 * is the operation's name: ` profile hit 1 500`. The function `receipt_lines` of the database reads them. Throws a
 * RangeError for a path that is not made of the schema's names (M30).
 */
export const receiptText = ({ lines, operation }: Pick<Debit, 'lines' | 'operation'>): string =>
  lines
    .map(({ path, unit, cache, items, unitPrice }) => {
      if (/[\s;]|^$/.test(path))
        throw new RangeError(`a receipt's path is made of names, unlike ${JSON.stringify(path)}`);
      return `${path === operation ? '' : path} ${unit} ${cache} ${items} ${unitPrice}`;
    })
    .join(';');
