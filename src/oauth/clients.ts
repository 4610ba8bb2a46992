import { z } from 'zod';
import { newSecret, type RandomBytes } from '../access/secret.js';
import { ServiceError } from '../domain/errors.js';
import { quoted, sentence, truncated } from '../lib/text.js';
import type { Clock } from '../ports/clock.js';
import type { Client, ClientDocuments, ClientStore } from '../ports/grants.js';
import { SCOPE } from './metadata.js';
import { OAuthError } from './oauth-error.js';
import { redirectUriFault } from './redirect-uris.js';

const MOST_REDIRECT_URIS = 20;
/** For all addresses together. Limited because anyone may register, and registrations are kept for weeks. */
const MOST_REDIRECT_CHARS = 8000;
const MOST_NAME_CHARS = 80;

/** RFC 7591 section 2; unknown members are ignored (A12). */
const METADATA = z.object({
  redirect_uris: z.array(z.string()).min(1).max(MOST_REDIRECT_URIS),
  client_name: z.string().nullish(),
  client_uri: z.string().nullish(),
  grant_types: z.array(z.string()).nullish(),
  response_types: z.array(z.string()).nullish(),
});

/** A client's own description of itself, validated. Throws `invalid_redirect_uri` or `invalid_client_metadata`. */
function clientFrom(clientId: string, description: unknown): Client {
  const read = METADATA.safeParse(description);
  if (!read.success) {
    const [issue] = read.error.issues;
    const where = issue?.path.join('.') ?? '';
    const code = where.startsWith('redirect_uris') ? 'invalid_redirect_uri' : 'invalid_client_metadata';
    throw new OAuthError(
      code,
      where === '' ? 'The metadata must be a JSON object.' : `${where}: ${sentence(issue?.message ?? '')}`,
    );
  }
  const { redirect_uris, client_name, client_uri, grant_types, response_types } = read.data;
  const chars = redirect_uris.reduce((sum, uri) => sum + uri.length, 0);
  if (chars > MOST_REDIRECT_CHARS) {
    const message = `The redirect_uris have ${chars} characters in total; at most ${MOST_REDIRECT_CHARS} are allowed.`;
    throw new OAuthError('invalid_redirect_uri', message);
  }
  for (const uri of redirect_uris) {
    const fault = redirectUriFault(uri);
    if (fault !== null) throw new OAuthError('invalid_redirect_uri', `${quoted(uri)} ${fault}.`);
  }
  if (grant_types && !grant_types.includes('authorization_code')) {
    throw new OAuthError('invalid_client_metadata', 'grant_types must include authorization_code.');
  }
  if (response_types && !response_types.includes('code')) {
    throw new OAuthError('invalid_client_metadata', 'response_types must include code.');
  }
  return { clientId, name: shownName(client_name ?? ''), uri: parseHttpsUrl(client_uri), redirectUris: redirect_uris };
}

/** Removes what could disguise the name: control and format characters, and text beyond one line. */
function shownName(name: string): string {
  const plain = name.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return plain === '' ? 'Unnamed client' : [...plain].slice(0, MOST_NAME_CHARS).join('');
}

/** The URL in the parser's spelling, which has no control characters: the store cannot keep those. */
function parseHttpsUrl(uri: string | null | undefined): string | null {
  if (!uri || uri.length > 2000 || !URL.canParse(uri)) return null;
  const { protocol, href } = new URL(uri);
  return protocol === 'https:' ? href : null;
}

export interface ClientsOptions {
  readonly store: ClientStore;
  readonly documents: ClientDocuments;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

const DOCUMENT = z.object({
  client_id: z.string(),
  client_secret: z.unknown().optional(),
  token_endpoint_auth_method: z.string().nullish(),
});

/** Clients that registered themselves, and those described by documents on the web. All of them are public. */
export class Clients {
  readonly #options: ClientsOptions;

  constructor(options: ClientsOptions) {
    this.#options = options;
  }

  /** RFC 7591. Throws OAuthError if the description is invalid; only for a valid one, calls `admit`, which may throw. */
  async register(description: unknown, admit: () => Promise<void>): Promise<Record<string, unknown>> {
    const { store, clock, randomBytes } = this.#options;
    const client = clientFrom(`perch_client_${newSecret(randomBytes)}`, description);
    await admit();
    const nowMs = clock.now();
    await store.add(client, new Date(nowMs));
    return {
      client_id: client.clientId,
      client_id_issued_at: Math.floor(nowMs / 1000),
      client_name: client.name,
      ...(client.uri !== null && { client_uri: client.uri }),
      redirect_uris: client.redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: SCOPE,
    };
  }

  /** Throws `invalid_client` if there is none with this id; its message says why. */
  async find(clientId: string): Promise<Client> {
    if (isDocumentId(clientId)) return this.#fromDocument(clientId);
    const client = await this.#options.store.find(clientId);
    if (client) return client;
    throw new OAuthError('invalid_client', 'Unknown client: it must register first.', 401);
  }

  /**
   * Whether the id can be a client's, without fetching its document: codes and refresh tokens are bound to the id, so a
   * client whose document is temporarily unreachable keeps its tokens.
   */
  async isKnown(clientId: string): Promise<boolean> {
    return isDocumentId(clientId) || (await this.#options.store.find(clientId)) !== undefined;
  }

  async #fromDocument(clientId: string): Promise<Client> {
    const document = await this.#read(clientId);
    const { data } = DOCUMENT.safeParse(document);
    if (data?.client_id !== clientId) throw refused(clientId, 'its client_id is not its own URL.');
    // A public client has no secret (draft-ietf-oauth-client-id-metadata-document).
    if (data.client_secret !== undefined || data.token_endpoint_auth_method?.startsWith('client_secret')) {
      throw refused(clientId, 'it mentions a client secret.');
    }
    try {
      return clientFrom(clientId, document);
    } catch (error) {
      throw error instanceof OAuthError ? refused(clientId, error.message) : error;
    }
  }

  async #read(clientId: string): Promise<unknown> {
    try {
      return await this.#options.documents.read(clientId);
    } catch (error) {
      if (error instanceof ServiceError && error.status < 500) throw refused(clientId, error.message);
      throw error;
    }
  }
}

const refused = (clientId: string, why: string): OAuthError =>
  new OAuthError(
    'invalid_client',
    `The client metadata at ${truncated(clientId, 200)} cannot be used: ${sentence(why)}`,
    401,
  );

/** Whether a client id is a document's address: https with a path in plain form. */
export function isDocumentId(clientId: string): boolean {
  if (!clientId.startsWith('https://') || clientId.length > 1000 || !URL.canParse(clientId)) return false;
  const url = new URL(clientId);
  // Only the parser's own spelling is allowed: no dot segments, no default port, no other form of the same address.
  return url.href === clientId && url.pathname !== '/' && url.username + url.password === '' && !clientId.includes('#');
}
