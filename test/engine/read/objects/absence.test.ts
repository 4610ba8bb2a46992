import { expect, it } from 'vitest';
import { ServiceError } from '../../../../src/domain/errors.js';
import { notFoundFrom, toAbsence } from '../../../../src/read/absence.js';

it.each([
  ['without a reason', {}, { message: 'No user 7.' }],
  ['with its reason', { reason: 'suspended' }, { message: 'No user 7.', reason: 'suspended' }],
])('remembers a 404 %s and repeats it unchanged (M24)', (_name, detail, remembered) => {
  const failure = new ServiceError('not_found', 'No user 7.', detail);
  const absence = toAbsence(failure);
  // Absent, not undefined, because it is stored as JSON.
  expect(absence).toStrictEqual(remembered);
  expect(notFoundFrom(absence)).toMatchObject({ code: 'not_found', message: failure.message });
  expect(notFoundFrom(absence).detail).toStrictEqual(detail);
});
