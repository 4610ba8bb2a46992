import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CredentialHeaders, readCredential } from '../../../src/access/credential.js';
import { ServiceError } from '../../../src/domain/errors.js';

const read = (headers: Partial<CredentialHeaders>) =>
  readCredential({ xApiKey: undefined, authorization: undefined, hasQueryKey: false, ...headers });

function failure(headers: Partial<CredentialHeaders>): ServiceError {
  try {
    read(headers);
  } catch (error) {
    if (error instanceof ServiceError) return error;
  }
  throw new Error('nothing was thrown that a caller could be told');
}

describe('the credential of a request', () => {
  it.each([
    ['x-api-key', { xApiKey: 'KEY' }],
    ['Bearer', { authorization: 'Bearer KEY' }],
    ['both, the same key (A1)', { xApiKey: 'KEY', authorization: 'Bearer KEY' }],
    ['the scheme in any case (A4)', { authorization: 'bEARER KEY' }],
    ['x-api-key with spaces around it', { xApiKey: ' KEY ' }],
    ['Bearer with spaces around it', { authorization: '  Bearer \t KEY  ' }],
    ['x-api-key beside another scheme (A4)', { xApiKey: 'KEY', authorization: 'Basic dTpw' }],
    ['x-api-key beside an empty Bearer', { xApiKey: 'KEY', authorization: 'Bearer' }],
    ['Bearer beside an empty x-api-key', { xApiKey: '', authorization: 'Bearer KEY' }],
    ['a header beside a key in the query string', { xApiKey: 'KEY', hasQueryKey: true }],
  ])('is read from %s', (_what, headers) => {
    expect(read(headers)).toBe('KEY');
  });

  it('is refused when the headers hold two keys; neither is tried (A2)', () => {
    const error = failure({ xApiKey: 'K', authorization: 'Bearer L' });
    expect([error.code, error.status]).toEqual(['bad_request', 400]);
    expect(error.message).toContain('have different keys');
  });

  it.each([
    ['nothing', {}, 'An API key is required'],
    ['empty headers', { xApiKey: ' ', authorization: '' }, 'x-api-key'],
    ['another scheme (A4)', { authorization: 'Basic dTpw' }, 'no Bearer key'],
    ['Bearer without a key', { authorization: 'Bearer ' }, 'no Bearer key'],
    ['a scheme that only begins like Bearer', { authorization: 'Bearers K' }, 'no Bearer key'],
    ['a scheme that only ends like Bearer', { authorization: 'Basic bearer K' }, 'no Bearer key'],
    ['a key without its scheme', { authorization: 'perch_live_x' }, 'must be "Bearer"'],
    ['a key in the query string: rotate it (A3)', { hasQueryKey: true }, 'Rotate this key'],
  ])('is missing: %s', (_what, headers, hint) => {
    const error = failure(headers);
    expect([error.code, error.status]).toEqual(['missing_key', 401]);
    expect(error.message).toContain(hint);
  });

  it('never appears in a message', () => {
    const text = fc.stringMatching(/^[A-Z]{12}$/);
    fc.assert(
      fc.property(text, text, (one, other) => {
        fc.pre(one !== other);
        for (const headers of [
          { xApiKey: one, authorization: `Bearer ${other}` },
          { authorization: `Digest ${one}` },
          { authorization: `perch_live_${one}` },
        ]) {
          expect(failure(headers).message).not.toContain(one);
        }
      }),
    );
  });
});
