import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { badRequest } from '../../src/domain/errors.js';
import type { LazySignal } from '../../src/lib/abort.js';
import { truncated } from '../../src/lib/text.js';
import type { Call, Outcome } from '../../src/serve/call.js';
import type { EnteringCall, Serve } from '../../src/serve/serve.js';

declare module 'node:http' {
  interface IncomingMessage {
    /** What was decided about a caller without a key before the request was read. */
    admitted?: Call['admitted'];
  }
}

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

/** Query parameters under which people try to send a key; refused, and never logged. */
const QUERY_KEYS = /[?&](api_?key|key|x-api-key|access_token|token)=/i;

/** Aborted when the caller leaves before the answer is sent; at once if the caller has already left. */
export function disconnectSignal({ raw }: FastifyReply): LazySignal {
  const presence = new Presence();
  const noteClose = (): void => {
    if (!raw.writableFinished) presence.end();
  };
  if (raw.destroyed) noteClose();
  else raw.once('close', noteClose);
  return presence;
}

const LEFT = new DOMException('The caller has left.', 'AbortError');

/** Whether a caller is still there. Keeps no reference to the request, which a read may long outlive. */
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
 * The parts of a call that are the same for every interface: who sent it, from where, under which id, and whether the
 * caller is still connected.
 */
export type CallerParts = Pick<Call, 'requestId' | 'credential' | 'address' | 'signal' | 'admitted'>;

export function callerParts(request: FastifyRequest, reply: FastifyReply): CallerParts {
  return {
    ...senderParts(request),
    signal: disconnectSignal(reply),
    admitted: request.raw.admitted,
  };
}

export const senderParts = (request: FastifyRequest): Omit<CallerParts, 'signal' | 'admitted'> => ({
  requestId: request.id,
  credential: presentedCredential(request.headers, hasQueryKey(request.url)),
  address: request.ip,
});

/** For interfaces that must admit the caller before they read the request: the outcome that refuses it, or null. */
export async function refusedUnread(
  serve: Serve,
  request: FastifyRequest,
  kind: Pick<EnteringCall, 'interface' | 'mayBeKeyless' | 'takesRate'>,
): Promise<Outcome | null> {
  // Looking up a key is short, so it is not aborted if the caller leaves.
  const entered = await serve.enter({ ...senderParts(request), signal: new Presence(), ...kind });
  if ('refused' in entered) return entered.refused;
  request.raw.admitted = entered.admitted;
  return null;
}

export const presentedCredential = (headers: IncomingHttpHeaders, hasQueryKey: boolean): Call['credential'] => ({
  xApiKey: one(headers['x-api-key']),
  authorization: headers.authorization,
  hasQueryKey,
});

/** Whether any parameter's value is a key, or a parameter has a name that people send keys under. */
export const hasQueryKey = (url: string): boolean =>
  QUERY_KEYS.test(url) || /=perch_(?:live|test)_/.test(searchOf(url));

/** The part of a URL after its `?`. */
export const searchOf = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

/** The query of a request: names may occur more than once. */
export const queryString = ({ url }: { readonly url: string }): URLSearchParams => new URLSearchParams(searchOf(url));

/**
 * The text of a body, without the byte order mark that some programs write before JSON (H17). Throws `bad_request` if its
 * bytes are not UTF-8.
 */
export function decodeBody(body: unknown): string {
  try {
    return Buffer.isBuffer(body) ? new TextDecoder('utf-8', { fatal: true }).decode(body) : '';
  } catch {
    throw badRequest('The body is not UTF-8.');
  }
}

/** Matches any URL that may contain a secret. */
const MAY_HAVE_SECRET = /[%?#]|perch_(?:live|test)_|[\w-]{40}/i;
const KEYS = /(perch_(?:live|test)_)[0-9A-Za-z]+/gi;
/**
 * Longer than any handle, id or name, so it may be a secret in a path, or after a `#`, where sign-in links have theirs.
 */
const LONG_PART = /[\w-]{40,}/g;
const LONG_FRAGMENT = /#[\w-]{40,}/g;
const PARAMETER = /([?&#;][^=&?#;]*=)([^&]*)/g;
/** Names of parameters whose value lets its holder do something. */
const SECRET_NAME =
  /key|token|secret|password|verifier|assertion|signature|credential|session|auth|(?:^.|_)code=$|^.(?:state|change)=$/i;
/** The most characters of a URL that are logged. */
const MAX_LOGGED = 2048;
/** A URL in a parameter of another is encoded twice. */
const ENCODINGS = 3;

/** Tests before it replaces: it runs on every line of the log, and a test is cheaper than a replacement of nothing. */
export const withoutKeys = (text: string): string => (/perch_/i.test(text) ? text.replaceAll(KEYS, '$1…') : text);

/**
 * A URL as it may be logged (A32): without keys, without the values of parameters that are named like a secret, and
 * without parts of its path that are long enough to be one. Applies to URLs nested in it as well, however they are
 * encoded.
 */
export function loggedUrl(url: string): string {
  if (!MAY_HAVE_SECRET.test(url)) return url.slice(0, MAX_LOGGED);
  let decodedUrl = url;
  for (let nth = 0; nth < ENCODINGS && decodedUrl.includes('%'); nth += 1) decodedUrl = decoded(decodedUrl);
  const plain = decodedUrl.slice(0, MAX_LOGGED);
  const queryAt = plain.includes('?') ? plain.indexOf('?') : plain.length;
  const path = plain.slice(0, queryAt).replaceAll(LONG_PART, '…');
  const query = withoutSecrets(plain.slice(queryAt)).replaceAll(LONG_FRAGMENT, '#…');
  const shown = withoutKeys(path + query);
  return shown === plain ? url.slice(0, MAX_LOGGED) : shown;
}

const withoutSecrets = (text: string): string =>
  text.replaceAll(PARAMETER, (_, name: string, value: string) =>
    SECRET_NAME.test(name) ? `${name}…` : name + withoutSecrets(value),
  );

/** Decoded as far as possible: one wrong escape does not prevent the others from being decoded. */
const decoded = (url: string): string =>
  url.replaceAll(/%[0-7][0-9a-f]/gi, (octet) => String.fromCharCode(Number.parseInt(octet.slice(1), 16)));

/** The most unknown parameters named individually: an answer must not grow with the ignored part of its request. */
const MOST_WARNINGS = 10;

/** Names the parameters that were ignored because they are unknown. */
export function ignoredParameters(unknown: readonly string[]): string[] {
  const warnings = unknown.slice(0, MOST_WARNINGS).map((name) => `Unknown parameter ${truncated(name)} was ignored.`);
  const more = unknown.length - warnings.length;
  return more === 0
    ? warnings
    : [...warnings, `${more} more unknown ${more === 1 ? 'parameter was' : 'parameters were'} ignored.`];
}
