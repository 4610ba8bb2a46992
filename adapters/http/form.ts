import type { FastifyRequest } from 'fastify';
import { badRequest } from '../../src/core/errors.js';

/** The fields of a form as a browser posts it. Throws `bad_request` for any other body, and for a field given twice. */
export function formOf(request: FastifyRequest): URLSearchParams {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) {
    throw badRequest('The body must be a form: application/x-www-form-urlencoded.');
  }
  const fields = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '');
  const names = [...fields.keys()];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw badRequest(`${twice} is given twice.`, twice);
  return fields;
}
