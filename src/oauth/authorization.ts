import { createHash } from 'node:crypto';
import { truncated } from '../lib/text.js';
import type { Client } from '../ports/grants.js';
import type { Clients } from './clients.js';
import { OAuthError } from './oauth-error.js';
import { isRegistered, redirectUriFault, withParameters } from './redirect-uris.js';
import { type Addresses, parseResource } from './resources.js';

/** A SHA-256 in base64url (RFC 7636 4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

const isChallenge = (text: string): boolean => CHALLENGE.test(text);

/** Whether the challenge was made from this verifier; S256 is the only method. */
export const proves = (verifier: string, challenge: string): boolean =>
  VERIFIER.test(verifier) && createHash('sha256').update(verifier).digest('base64url') === challenge;

/** A client's request to a customer, fully validated. */
export interface AuthorizationRequest {
  readonly client: Client;
  readonly redirectUri: string;
  readonly redirectNamed: boolean;
  readonly state: string | null;
  readonly challenge: string;
  readonly resource: string | null;
}

/** Either a request to show to the customer, or an error and the address that takes it back to the client. */
export type ParsedAuthorization =
  | { readonly state: 'asked'; readonly authRequest: AuthorizationRequest }
  | { readonly state: 'refused'; readonly error: OAuthError; readonly back: string };

/** The parameters in use; others are ignored (RFC 6749 3.1). */
export const AUTHORIZATION_FIELDS = [
  'response_type',
  'response_mode',
  'client_id',
  'redirect_uri',
  'code_challenge',
  'code_challenge_method',
  'scope',
  'state',
  'resource',
] as const;

/**
 * Reads an authorization request. Throws OAuthError until the client and its redirect address are validated; that error
 * must be shown and never sent to the address. Later errors are returned with the address that takes them back to the
 * client, with its state and Perch's issuer. Redirect there only if the customer agrees: anyone can register an
 * address, and must not be able to make Perch redirect to it (RFC 9700 4.11.2).
 */
export async function parseAuthorization(
  fields: URLSearchParams,
  clients: Clients,
  addresses: Addresses,
): Promise<ParsedAuthorization> {
  const clientId = only(fields, 'client_id');
  if (clientId === null || clientId === '') throw new OAuthError('invalid_request', 'client_id is missing.');
  const client = await clients.find(clientId);
  const { redirectUri, redirectNamed } = resolveRedirect(fields, client);
  try {
    const challenge = readChallenge(fields);
    const resource = parseResource(fields, addresses);
    const state = only(fields, 'state');
    return { state: 'asked', authRequest: { client, redirectUri, redirectNamed, state, challenge, resource } };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const answer = { redirectUri, state: fields.get('state') };
    return { state: 'refused', error, back: errorLocation(answer, error, addresses) };
  }
}

/** The redirect for an error, with `iss` (RFC 9207). */
export function errorLocation(
  { redirectUri, state }: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
  { code, message }: OAuthError,
  { authUrl }: Addresses,
): string {
  return withParameters(redirectUri, { error: code, error_description: message, state, iss: authUrl });
}

/** The redirect for a code, with `iss` (RFC 9207). */
export const codeLocation = (
  { redirectUri, state }: AuthorizationRequest,
  code: string,
  { authUrl }: Addresses,
): string => withParameters(redirectUri, { code, state, iss: authUrl });

/** The parameter's value, which may be sent once at most (RFC 6749 3.1). */
function only(fields: URLSearchParams, name: string): string | null {
  const values = fields.getAll(name);
  if (values.length > 1) throw new OAuthError('invalid_request', `${name} is given more than once.`);
  return values[0] ?? null;
}

/** The address that the client named, if it is registered, or its only registered one. */
function resolveRedirect(
  fields: URLSearchParams,
  { redirectUris }: Client,
): Pick<AuthorizationRequest, 'redirectUri' | 'redirectNamed'> {
  const named = only(fields, 'redirect_uri');
  if (named === null) {
    const [first, ...others] = redirectUris;
    if (first !== undefined && others.length === 0) return { redirectUri: sound(first), redirectNamed: false };
    throw new OAuthError(
      'invalid_request',
      'redirect_uri is required, because the client has registered more than one.',
    );
  }
  if (isRegistered(redirectUris, named)) return { redirectUri: sound(named), redirectNamed: true };
  throw new OAuthError(
    'invalid_request',
    `The redirect_uri ${truncated(named, 200)} is not registered for the client.`,
  );
}

/** Checks an address again: it may have been registered when the rules allowed more. */
function sound(redirectUri: string): string {
  const fault = redirectUriFault(redirectUri);
  if (fault === null) return redirectUri;
  throw new OAuthError('invalid_request', `The redirect_uri ${fault}.`);
}

/** PKCE, S256 and nothing else. */
function readChallenge(fields: URLSearchParams): string {
  const type = only(fields, 'response_type');
  if (type === null) throw new OAuthError('invalid_request', 'response_type is missing.');
  if (type !== 'code') throw new OAuthError('unsupported_response_type', 'response_type must be code.');
  if ((only(fields, 'response_mode') ?? 'query') !== 'query') {
    throw new OAuthError('invalid_request', 'response_mode must be query.');
  }
  const challenge = only(fields, 'code_challenge');
  if (challenge === null) throw new OAuthError('invalid_request', 'code_challenge is missing: PKCE is required.');
  if (only(fields, 'code_challenge_method') !== 'S256') {
    throw new OAuthError('invalid_request', 'code_challenge_method must be S256.');
  }
  if (!isChallenge(challenge))
    throw new OAuthError('invalid_request', 'code_challenge must be a base64url-encoded SHA-256 hash.');
  only(fields, 'scope');
  return challenge;
}
