import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { isTimely, NO_TIME } from '../../../adapters/postgres/ledger/plain-debits.js';

test.each([
  ['of now', v7(), true],
  ['of now, in capitals', v7().toUpperCase(), true],
  ['of the last moment of 2099', '03bb2cc3-d7ff-7fff-bfff-ffffffffffff', true],
  ['of the first moment of 2100', NO_TIME, false],
  ['of later, in capitals', '03BB2CC3-D801-7000-8000-000000000000', false],
  ['that is random', 'f47ac10b-58cc-4372-a567-0e02b2c3d479', false],
  ['of nothing but ones, in capitals', 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF', false],
])('a request id %s can be that of a request of now: %s → %s', (_what, id, isOfNow) => {
  expect(isTimely(id)).toBe(isOfNow);
});
