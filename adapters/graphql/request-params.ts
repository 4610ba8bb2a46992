import type { FastifyRequest } from 'fastify';
import { badRequest, ServiceError } from '../../src/domain/errors.js';
import { decodeBody, searchOf } from '../http/request.js';
import { encodedBody, isUtf8Encoded } from '../http/request-head.js';
import { type GraphqlParams, refuseMisnamed } from './params.js';
import { NO_JSON_IN_QUERY, NOT_JSON, withDocumentId } from './request.js';

const KNOWN: ReadonlySet<string> = new Set(['query', 'variables', 'operationName', 'extensions', 'documentId']);

/**
 * The params of a request in the forms of GraphQL over HTTP: a query string, JSON, a form, or the bare text. Throws
 * `bad_request` (400, 415) for anything else, with the other mount's messages.
 */
export function readParams(request: FastifyRequest): GraphqlParams {
  const text = readBodyText(request);
  const sent = request.method === 'GET' ? ofQuery(searchOf(request.url)) : ofBody(request, text);
  if (Array.isArray(sent)) throw badRequest('Batching is not supported.');
  for (const [name, value] of Object.entries(sent)) {
    if (value != null && !KNOWN.has(name)) throw badRequest(`Unexpected parameter "${name}" in the request body.`);
  }
  for (const name of ['variables', 'extensions'] as const) {
    const kind = jsonType((sent as Record<string, unknown>)[name]);
    if (['object', 'null', 'undefined'].includes(kind)) continue;
    throw badRequest(`Expected "${name}" param to be empty or an object, but given ${kind}.`);
  }
  return withDocumentId(sent as GraphqlParams, request);
}

/**
 * The text of a body. Throws `bad_request` if the body, or a form's decoded content, is not UTF-8, or if the address or
 * a form has a parameter twice, or one that belongs into `extensions`, or the address of a POST a query.
 */
export function readBodyText(request: FastifyRequest): string {
  // In an app that embeds Perch nothing has checked the headers yet.
  const encoded = encodedBody(request.raw);
  if (encoded) throw encoded;
  const text = decodeBody(request.body);
  checkNames(searchOf(request.url));
  if (request.method === 'POST' && new URLSearchParams(searchOf(request.url)).get('query'))
    throw badRequest('A POST has its query in the body: leave it out of the address.', 'query');
  if (requestMediaType(request) === FORM) {
    if (!isUtf8Encoded(text)) throw badRequest('The form is not percent-encoded UTF-8.');
    checkNames(text);
  }
  return text;
}

/** Two values would be two answers to one question. */
function checkNames(text: string): void {
  const found = new URLSearchParams(text);
  refuseMisnamed(found.keys(), { inExtensions: false });
  for (const name of KNOWN) {
    if (found.getAll(name).length > 1) throw badRequest(`${name} is given more than once: send it once.`, name);
  }
}

const FORM = 'application/x-www-form-urlencoded';

/** Without parameters, in lower case: case means nothing there, and spaces may precede a parameter (RFC 9110, 8.3.1). */
export const requestMediaType = ({ headers }: FastifyRequest): string =>
  /^[^;,]*/
    .exec(headers['content-type'] ?? '')?.[0]
    .trim()
    .toLowerCase() ?? '';

function ofBody(request: FastifyRequest, text: string): object {
  switch (requestMediaType(request)) {
    case 'application/json':
    case 'application/graphql+json':
      return ofJson(text);
    case 'application/graphql':
      return { query: text };
    case FORM:
      return ofQuery(text);
    default:
      throw new ServiceError('bad_request', NOT_JSON, { status: 415 });
  }
}

function ofJson(text: string): object {
  const sent = parsed(text, 'POST body sent invalid JSON.');
  if (typeof sent === 'object' && sent !== null) return sent;
  throw badRequest(`POST body is expected to be object but received ${jsonType(sent)}.`);
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

const jsonType = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
