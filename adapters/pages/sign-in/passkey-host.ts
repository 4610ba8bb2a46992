import type { FastifyRequest } from 'fastify';
import type { Passkeys } from '../../../src/sign-in/passkeys.js';

/** Passkeys work on this page, or at another address of it, or nowhere (null). */
export type PasskeyHost = 'here' | { readonly at: string } | null;

/**
 * A passkey belongs to one host name: a page that was opened under another (127.0.0.1 for localhost) says where to go.
 * Behind a proxy that hides the host name this also suggests another address, and the page's script corrects it.
 */
export function passkeyHost(request: FastifyRequest, passkeys: Pick<Passkeys, 'relyingParty'>): PasskeyHost {
  const host = passkeys.relyingParty();
  if (host === null) return null;
  return new URL(host.origin).host === request.host ? 'here' : { at: `${host.origin}${request.url}` };
}
