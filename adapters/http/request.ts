import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LazySignal } from '../../src/core/abort-state.js';
import type { Call } from '../../src/serve/call.js';

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

/** Query parameters under which people try to send a key; refused, and never logged (A3). */
const QUERY_KEYS = /[?&](api_?key|key|x-api-key|access_token|token)=/i;

/** Aborted when the caller leaves before the answer is sent; at once if the caller has already left. */
export function signalOf({ raw }: FastifyReply): LazySignal {
  const presence = new Presence();
  const noteClose = (): void => {
    if (!raw.writableFinished) presence.end();
  };
  if (raw.destroyed) noteClose();
  else raw.once('close', noteClose);
  return presence;
}

const LEFT = new DOMException('The caller has left.', 'AbortError');

/** Whether a caller is there. It does not know the request, which may be gone long before a read that outlives it. */
export class Presence implements LazySignal {
  #controller: AbortController | null = null;
  #left = false;

  get aborted(): boolean {
    return this.#left;
  }

  get reason(): unknown {
    return this.#left ? LEFT : undefined;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#left) this.#controller.abort(LEFT);
    return this.#controller.signal;
  }

  end(): void {
    this.#left = true;
    this.#controller?.abort(LEFT);
  }
}

/**
 * What calls of every interface have in common: who sent them, from where, under which id, and whether the caller is
 * still connected.
 */
export type CallerParts = Pick<Call, 'requestId' | 'credential' | 'address' | 'signal'>;

export function callerOf(request: FastifyRequest, reply: FastifyReply): CallerParts {
  return {
    requestId: request.id,
    credential: credentialOf(request.headers, hasQueryKey(request.url)),
    address: request.ip,
    signal: signalOf(reply),
  };
}

export const credentialOf = (headers: IncomingHttpHeaders, hasQueryKey: boolean): Call['credential'] => ({
  xApiKey: one(headers['x-api-key']),
  authorization: headers.authorization,
  hasQueryKey,
});

/** Whether any parameter's value is a key, or a parameter has a name that people send keys under. */
export const hasQueryKey = (url: string): boolean => QUERY_KEYS.test(url) || /=perch_(?:live|test)_/.test(queryOf(url));

const queryOf = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '');

/** Any address with a key in it matches. */
const MAY_HAVE_KEY = /[%?]|perch_(?:live|test)_/i;
const KEYS = /(perch_(?:live|test)_)[0-9A-Za-z]+/gi;
const KEY_PARAMETERS = /([?&](?:api_?key|key|x-api-key|access_token|token)=)[^&]*/gi;
/** The longest part of an address that is logged. */
const MAX_LOGGED = 2048;

export const withoutKeys = (text: string): string => text.replaceAll(KEYS, '$1…');

/** An address as it may be logged: without anything that could be a key, however it is encoded. */
export function loggedUrl(url: string): string {
  if (!MAY_HAVE_KEY.test(url)) return url.slice(0, MAX_LOGGED);
  const plain = url.includes('%') ? decoded(url) : url;
  const shown = withoutKeys(plain).replaceAll(KEY_PARAMETERS, '$1…');
  return (shown === plain ? url : shown).slice(0, MAX_LOGGED);
}

/** Decoded as far as possible: one wrong escape does not prevent the others from being decoded. */
const decoded = (url: string): string =>
  url.replaceAll(/%[0-7][0-9a-f]/gi, (octet) => String.fromCharCode(Number.parseInt(octet.slice(1), 16)));
