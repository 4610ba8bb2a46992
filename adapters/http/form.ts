import type { FastifyRequest } from 'fastify';
import { badRequest } from '../../src/core/errors.js';

/** The fields of a form as a browser posts it. Throws `bad_request` for any other body, a field given twice, and a NUL. */
export function formOf(request: FastifyRequest): URLSearchParams {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) {
    throw badRequest('The body must be a form: application/x-www-form-urlencoded.');
  }
  const fields = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '');
  // Nobody types it, and the store cannot keep it.
  if ([...fields].flat().some((part) => part.includes('\0'))) throw badRequest('A field has a NUL character.');
  const names = [...fields.keys()];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw badRequest(`${twice} is given twice.`, twice);
  return fields;
}
