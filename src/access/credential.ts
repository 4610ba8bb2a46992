import { badRequest, ServiceError } from '../domain/errors.js';

export interface CredentialHeaders {
  readonly xApiKey: string | undefined;
  readonly authorization: string | undefined;
  /** Whether something that looks like a key was in the query string. */
  readonly hasQueryKey: boolean;
}

/** The hash of a key, hex, for calls that the service itself makes for an account, without having the key. */
export interface KeyHash {
  readonly keyHash: string;
}

const HOW = 'Send it in the header "x-api-key: <key>" or as "Authorization: Bearer <key>".';

/**
 * The token of a Bearer header; undefined for any other scheme, or without a token. The scheme's case does not matter
 * (A4).
 */
const bearerToken = (authorization: string): string | undefined =>
  /^bearer[ \t]+(.*)/is.exec(authorization.trim())?.[1];

function whyMissing({ authorization, hasQueryKey }: CredentialHeaders): string {
  if (hasQueryKey) {
    return `Keys in the query string are not accepted, because URLs end up in logs. Rotate this key: it may have been exposed. ${HOW}`;
  }
  if (authorization?.trim().startsWith('perch_'))
    return 'The Authorization header must be "Bearer", a space and the key.';
  if (authorization !== undefined) return `The Authorization header has no Bearer key. ${HOW}`;
  return `An API key is required. ${HOW}`;
}

/**
 * The key as sent, unchecked, or the hash of a call that the service itself makes; a hash is never read from a request.
 * Throws `missing_key` if neither header contains a key (A3), `bad_request` if they contain two different ones (A2). A
 * key in the query string is never accepted, and is ignored if a header has one.
 */
export function readCredential(headers: CredentialHeaders | KeyHash): string | KeyHash {
  if ('keyHash' in headers) return headers;
  const apiKey = headers.xApiKey?.trim() || undefined;
  const bearer = headers.authorization === undefined ? undefined : bearerToken(headers.authorization);
  if (apiKey !== undefined && bearer !== undefined && apiKey !== bearer) {
    throw badRequest('The x-api-key and Authorization headers have different keys. Send only one.');
  }
  const key = apiKey ?? bearer;
  if (key === undefined) throw new ServiceError('missing_key', whyMissing(headers));
  return key;
}
