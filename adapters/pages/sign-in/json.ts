import type { FastifyRequest } from 'fastify';
import { badRequest } from '../../../src/domain/errors.js';
import { decodeBody } from '../../http/request.js';
import { refuseCrossSite } from '../../http/same-origin.js';

/**
 * The members of a JSON body that a script of Perch's own pages sent. A form of another site can't send that media
 * type, and its scripts can't without a preflight request. Throws `bad_request` for any other body.
 */
export function readJsonObject(request: FastifyRequest): Record<string, unknown> {
  refuseCrossSite(request);
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw badRequest('The body must be JSON: application/json.');
  }
  const value = parsed(request.body);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw badRequest('The body must be a JSON object.');
}

function parsed(body: unknown): unknown {
  try {
    return JSON.parse(decodeBody(body));
  } catch {
    return undefined;
  }
}

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
