import type { FastifyRequest } from 'fastify';
import { badRequest } from '../../src/core/errors.js';
import { truncated } from '../../src/core/truncated.js';

/** The first of these that was there before. */
export function repeated(names: Iterable<string>): string | undefined {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** The fields of a form as a browser posts it. Throws `bad_request` for any other body, a field given twice, and a NUL. */
export function formOf(request: FastifyRequest): URLSearchParams {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) {
    throw badRequest('The body must be a form: application/x-www-form-urlencoded.');
  }
  const fields = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '');
  // Nobody types it, and the store cannot keep it.
  if ([...fields].flat().some((part) => part.includes('\0'))) throw badRequest('A field contains a NUL character.');
  const twice = repeated(fields.keys());
  if (twice !== undefined) throw badRequest(`${truncated(twice)} is given more than once.`, twice);
  return fields;
}
