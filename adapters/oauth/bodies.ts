import type { FastifyRequest } from 'fastify';
import { quoted, truncated } from '../../src/lib/text.js';
import { OAuthError } from '../../src/oauth/oauth-error.js';
import { parseForm, repeated, TOO_MANY_FIELDS } from '../http/form.js';
import { decodeBody } from '../http/request.js';

const isType = ({ headers }: FastifyRequest, type: string): boolean =>
  (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() === type;

/**
 * Refuses control characters, which the protocol does not use and the store cannot keep. Throws `invalid_request`.
 */
export function refuseControls(fields: Iterable<readonly [name: string, value: string]>): void {
  for (const [name, value] of fields) {
    if (/\p{Cc}/u.test(name + value)) {
      throw new OAuthError('invalid_request', `${quoted(name)} has a control character.`);
    }
  }
}

/**
 * Reads a form. Each parameter may occur once (RFC 6749 3.2), except `resource` (RFC 8707 2). Throws `invalid_request`.
 */
export function readFormFields(request: FastifyRequest): URLSearchParams {
  if (!isType(request, 'application/x-www-form-urlencoded')) {
    throw new OAuthError('invalid_request', 'The body must be application/x-www-form-urlencoded.');
  }
  const fields = parseForm(request.body);
  if (fields === null) throw new OAuthError('invalid_request', TOO_MANY_FIELDS);
  refuseControls(fields);
  const twice = repeated([...fields.keys()].filter((name) => name !== 'resource'));
  if (twice !== undefined) throw new OAuthError('invalid_request', `${truncated(twice)} is given more than once.`);
  return fields;
}

/** Throws `invalid_client_metadata` for anything but JSON. */
export function readJsonBody(request: FastifyRequest): unknown {
  try {
    if (isType(request, 'application/json')) return JSON.parse(decodeBody(request.body));
  } catch {
    // Reported below.
  }
  throw new OAuthError('invalid_client_metadata', 'The body must be JSON: application/json.');
}
