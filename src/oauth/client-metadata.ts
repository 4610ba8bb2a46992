import { z } from 'zod';
import { quoted } from '../lib/text.js';
import type { Client } from '../ports/grants.js';
import { OAuthError } from './oauth-error.js';
import { faultOf } from './redirect-uris.js';

const MOST_REDIRECT_URIS = 20;
/** For all addresses together: anyone may register, and the registration is kept for weeks. */
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
export function clientFrom(clientId: string, description: unknown): Client {
  const read = METADATA.safeParse(description);
  if (!read.success) {
    const [issue] = read.error.issues;
    const where = issue?.path.join('.') ?? '';
    const code = where.startsWith('redirect_uris') ? 'invalid_redirect_uri' : 'invalid_client_metadata';
    throw new OAuthError(code, where === '' ? 'The metadata must be a JSON object.' : `${where}: ${issue?.message}`);
  }
  const { redirect_uris, client_name, client_uri, grant_types, response_types } = read.data;
  const chars = redirect_uris.reduce((sum, uri) => sum + uri.length, 0);
  if (chars > MOST_REDIRECT_CHARS) {
    const message = `The redirect_uris have ${chars} characters in total; at most ${MOST_REDIRECT_CHARS} are allowed.`;
    throw new OAuthError('invalid_redirect_uri', message);
  }
  for (const uri of redirect_uris) {
    const fault = faultOf(uri);
    if (fault !== null) throw new OAuthError('invalid_redirect_uri', `${quoted(uri)} ${fault}.`);
  }
  if (grant_types && !grant_types.includes('authorization_code')) {
    throw new OAuthError('invalid_client_metadata', 'grant_types must include authorization_code.');
  }
  if (response_types && !response_types.includes('code')) {
    throw new OAuthError('invalid_client_metadata', 'response_types must include code.');
  }
  return { clientId, name: shownName(client_name ?? ''), uri: pageOf(client_uri), redirectUris: redirect_uris };
}

/** Removes what could disguise the name: control and format characters, and text beyond one line. */
function shownName(name: string): string {
  const plain = name.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return plain === '' ? 'Unnamed client' : [...plain].slice(0, MOST_NAME_CHARS).join('');
}

/** As a parser writes it, without the control characters that the store cannot keep. */
function pageOf(uri: string | null | undefined): string | null {
  if (!uri || uri.length > 2000 || !URL.canParse(uri)) return null;
  const { protocol, href } = new URL(uri);
  return protocol === 'https:' ? href : null;
}
