import { expect, test } from 'vitest';
import { errorBody } from '../../../adapters/http/failure.js';
import { checkQuery } from '../../../adapters/networks/corpus/search/search.js';
import { ServiceError } from '../../../src/domain/errors.js';

test('gives the place in the body of a refused search', () => {
  const refusal = (): unknown => {
    try {
      return checkQuery('tide form:nasa', 'Latest');
    } catch (error) {
      return error;
    }
  };
  const failure = refusal();
  expect(failure).toBeInstanceOf(ServiceError);
  expect(errorBody(failure as ServiceError, 'id', 'https://perch.example').error).toMatchObject({
    code: 'bad_request',
    doc_url: 'https://perch.example/problems/bad_request',
    param: 'q',
    place: { text: 'tide form:nasa', position: 6 },
  });
});
