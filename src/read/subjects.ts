import { badRequest, ServiceError } from '../core/errors.js';

/** Longest query, in characters after trimming (P8). */
export const MAX_QUERY_LENGTH = 1024;

/** One spelling of a query: NFC, trimmed, inner spaces collapsed, case kept (P9). Throws `bad_request` (P8). */
export function normaliseQuery(text: string): string {
  const query = text.normalize('NFC').trim().replace(/\s+/gu, ' ');
  if (query === '') throw badRequest('q is empty: give at least one word or operator.', 'q');
  if (query.length > MAX_QUERY_LENGTH) {
    throw badRequest(`q has ${query.length} characters; at most ${MAX_QUERY_LENGTH} are taken.`, 'q');
  }
  return query;
}

/** No user can be called so: 404, as the rows of these paths list it and not 400 (I5). */
export const impossibleUser = (text: string): ServiceError =>
  new ServiceError('not_found', `${JSON.stringify(text)} cannot be a user: give a numeric id or a handle.`, {
    reason: 'unknown',
  });

/** No handle can look so (I4, I5). */
export const impossibleHandle = (text: string): ServiceError =>
  new ServiceError(
    'not_found',
    `${JSON.stringify(text)} cannot be a handle: letters, digits and _, on some networks . and - and one @.`,
    {
      reason: 'unknown',
    },
  );

/** No tweet can have such an id: digits without sign, spaces or leading zeros (I5, I7). */
export const impossibleId = (text: string): ServiceError =>
  new ServiceError('not_found', `${JSON.stringify(text)} cannot be an id: digits only, without leading zeros.`, {
    reason: 'unknown',
  });
