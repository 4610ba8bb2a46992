import type { FastifyRequest } from 'fastify';
import { badRequest } from '../../src/domain/errors.js';
import { truncated } from '../../src/lib/text.js';

/** The first name that occurs more than once. */
export function repeated(names: Iterable<string>): string | undefined {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** No form here has a tenth as many. */
const MOST_FIELDS = 100;

export const TOO_MANY_FIELDS = `The form has more than ${MOST_FIELDS} fields.`;

/** The fields of a form, or null if there are more than 100: they are counted before any is read. */
export function parseForm(body: unknown): URLSearchParams | null {
  const text = Buffer.isBuffer(body) ? body.toString('utf8') : '';
  let fields = 1;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    fields += 1;
    if (fields > MOST_FIELDS) return null;
  }
  return new URLSearchParams(text);
}

/**
 * The fields of a form as a browser posts it. Throws `bad_request` for any other body, too many fields, a repeated
 * field, or a NUL.
 */
export function readForm(request: FastifyRequest): URLSearchParams {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) {
    throw badRequest('The body must be a form: application/x-www-form-urlencoded.');
  }
  const fields = parseForm(request.body);
  if (fields === null) throw badRequest(TOO_MANY_FIELDS);
  // No person types NUL, and the store cannot keep it.
  if ([...fields].flat().some((part) => part.includes('\0'))) throw badRequest('A field contains a NUL character.');
  const twice = repeated(fields.keys());
  if (twice !== undefined) throw badRequest(`${truncated(twice)} is given more than once.`, twice);
  return fields;
}
