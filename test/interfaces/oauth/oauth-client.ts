import { createHash, randomBytes } from 'node:crypto';
import type { OAuthServer } from './oauth-server.js';

/** A hand-made client, for what real ones would never send. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  readonly body: any;
  /** Where the answer redirects the browser; null if it does not. */
  readonly location: URL | null;
}

type Fields = Readonly<Record<string, string | null>>;

export const CALLBACK = 'https://app.example/callback';
const VERIFIER = randomBytes(32).toString('base64url');
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

/** Leaves out null values. */
export const form = (fields: Fields): URLSearchParams =>
  new URLSearchParams(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== null));

export async function send(url: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  const location = response.headers.get('location');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
    location: location === null ? null : new URL(location, url),
  };
}

export const post = (url: string, body: URLSearchParams, headers: Record<string, string> = {}): Promise<Reply> =>
  send(url, { method: 'POST', body, headers });

export const register = (server: OAuthServer, metadata: unknown): Promise<Reply> =>
  send(`${server.url}/api/oauth/register`, {
    method: 'POST',
    body: JSON.stringify(metadata),
    headers: { 'content-type': 'application/json' },
  });

/** Registers a client and returns its id. */
export async function newClient(server: OAuthServer, redirectUris: readonly string[] = [CALLBACK]): Promise<string> {
  const { body } = await register(server, { redirect_uris: redirectUris, client_name: 'Lantern' });
  return body.client_id;
}

/** A valid request with the given changes. */
export const authorizationParams = (clientId: string, change: Fields = {}): URLSearchParams =>
  form({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    scope: 'read',
    state: 'st',
    ...change,
  });

export const authorize = (server: OAuthServer, clientId: string, change: Fields = {}): Promise<Reply> =>
  send(`${server.url}/oauth/authorize?${authorizationParams(clientId, change)}`);

/** The fields of the page's form, as a browser would send them. */
export function formIn(page: string): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [tag] of page.matchAll(/<input [^>]*>/g)) {
    fields.append(attribute(tag, 'name'), attribute(tag, 'value'));
  }
  const chosen = /<option (?=[^>]*selected)[^>]*value="([^"]*)"|<option [^>]*value="([^"]*)"[^>]*selected/.exec(page);
  fields.append('cap_period', chosen?.[1] ?? chosen?.[2] ?? '');
  return fields;
}

const attribute = (tag: string, name: string): string =>
  (new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** The target of the link on a page that refuses; null if it has none. */
export function backOf(page: string): URL | null {
  const [tag] = /<a [^>]*rel="noreferrer"[^>]*>/.exec(page) ?? [];
  return tag === undefined ? null : new URL(attribute(tag, 'href'));
}

/** Agrees on the page at an address, with the given changes; returns the answer, with the redirect. */
export async function decide(server: OAuthServer, address: string | URL, change: Fields = {}): Promise<Reply> {
  const page = await send(String(address));
  if (page.status !== 200) throw new Error(`no page, but ${page.status}: ${page.text}`);
  const fields = formIn(page.text);
  for (const [name, value] of Object.entries({ decision: 'allow', ...change })) {
    if (value === null) fields.delete(name);
    else fields.set(name, value);
  }
  const headers = { origin: server.url, 'sec-fetch-site': 'same-origin' };
  return post(`${server.url}/oauth/authorize`, fields, headers);
}

/** A code for a valid request with the given changes. */
export async function codeFor(
  server: OAuthServer,
  clientId: string,
  change: Fields = {},
  decision: Fields = {},
): Promise<string> {
  const { location, text } = await decide(
    server,
    `${server.url}/oauth/authorize?${authorizationParams(clientId, change)}`,
    decision,
  );
  const code = location?.searchParams.get('code');
  if (!code) throw new Error(`no code: ${location} ${text}`);
  return code;
}

export const token = (server: OAuthServer, fields: Fields): Promise<Reply> =>
  post(`${server.url}/api/oauth/token`, form(fields));

export const redeem = (server: OAuthServer, clientId: string, code: string, change: Fields = {}): Promise<Reply> =>
  token(server, {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
    ...change,
  });

export const refresh = (
  server: OAuthServer,
  clientId: string,
  refreshToken: string,
  change: Fields = {},
): Promise<Reply> =>
  token(server, { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken, ...change });

export const revoke = (server: OAuthServer, fields: Fields): Promise<Reply> =>
  post(`${server.url}/api/oauth/revoke`, form(fields));
