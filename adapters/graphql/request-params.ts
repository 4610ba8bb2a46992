import type { FastifyRequest } from 'fastify';
import { badRequest, ServiceError } from '../../src/core/errors.js';
import type { Params } from './params.js';
import { documentIdOf, NO_JSON_IN_QUERY, NOT_JSON } from './request.js';

const KNOWN: ReadonlySet<string> = new Set(['query', 'variables', 'operationName', 'extensions', 'documentId']);

/**
 * The params of a request in the forms of GraphQL over HTTP: a query string, JSON, a form, or the bare text. Throws
 * `bad_request` (400, 415) for anything else, with the other mount's messages.
 */
export function paramsOf(request: FastifyRequest): Params {
  const sent = request.method === 'GET' ? ofQuery(search(request)) : ofBody(request);
  if (Array.isArray(sent)) throw badRequest('Batching is not supported.');
  for (const [name, value] of Object.entries(sent)) {
    if (value != null && !KNOWN.has(name)) throw badRequest(`Unexpected parameter "${name}" in the request body.`);
  }
  for (const name of ['variables', 'extensions'] as const) {
    const kind = kindOf((sent as Record<string, unknown>)[name]);
    if (['object', 'null', 'undefined'].includes(kind)) continue;
    throw badRequest(`Expected "${name}" param to be empty or an object, but given ${kind}.`);
  }
  return { ...(sent as Params), ...documentIdOf(request) };
}

const search = ({ url }: FastifyRequest): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

function ofBody({ headers, body }: FastifyRequest): object {
  const [type = ''] = (headers['content-type'] ?? '').split(/[;,]/);
  // A byte order mark is not JSON, as in the other mount.
  const text = Buffer.isBuffer(body) ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(body) : '';
  switch (type) {
    case 'application/json':
    case 'application/graphql+json':
      return ofJson(text);
    case 'application/graphql':
      return { query: text };
    case 'application/x-www-form-urlencoded':
      return ofQuery(text);
    default:
      throw new ServiceError('bad_request', NOT_JSON, { status: 415 });
  }
}

function ofJson(text: string): object {
  const sent = parsed(text, 'POST body sent invalid JSON.');
  if (typeof sent === 'object' && sent !== null) return sent;
  throw badRequest(`POST body is expected to be object but received ${kindOf(sent)}`);
}

function ofQuery(text: string): object {
  const found = new URLSearchParams(text);
  const json = (name: string): unknown => {
    const value = found.get(name);
    return value ? parsed(value, NO_JSON_IN_QUERY) : undefined;
  };
  return {
    operationName: found.get('operationName') || undefined,
    query: found.get('query') || undefined,
    variables: json('variables'),
    extensions: json('extensions'),
  };
}

function parsed(text: string, fault: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest(fault);
  }
}

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
