import { toCredits } from '../../../src/domain/credits.js';
import { ERROR_CODES } from '../../../src/domain/errors.js';
import { itemPrice, UNITS, type Unit } from '../../../src/domain/prices.js';
import { VERSION } from '../../../src/domain/version.js';
import { type FailureName, failures } from './failures.js';
import { header, KEYLESS_HEADERS } from './headers.js';
import { refTo } from './schema-text.js';
import type { ApiOperation, ApiParameter, OpenapiMediaType, Paths } from './types.js';

const PAGE: Readonly<Record<string, OpenapiMediaType>> = { 'text/html': { schema: { type: 'string' } } };

const json = (schema: string, value?: unknown): Record<string, OpenapiMediaType> => ({
  'application/json': { schema: refTo('schemas', schema), ...(value !== undefined && { example: value }) },
});

const LIMITED: FailureName = 'KeylessRateLimited';

function keyless(
  operationId: string,
  summary: string,
  content: Readonly<Record<string, OpenapiMediaType>>,
  more: { failures?: readonly FailureName[]; parameters?: readonly ApiParameter[]; neverRefused?: boolean } = {},
): Record<string, ApiOperation> {
  const get: ApiOperation = {
    operationId,
    tags: ['Service'],
    summary,
    description: `${summary}. No key required and nothing is charged; ${more.neverRefused ? 'not rate limited' : '10 requests per second per IP address'}.`,
    security: [],
    ...(more.parameters && { parameters: more.parameters }),
    responses: {
      '200': { description: 'The response.', headers: KEYLESS_HEADERS, content },
      ...failures([...(more.failures ?? []), more.neverRefused ? 'BadRequest' : LIMITED, 'Internal']),
    },
  };
  return { get };
}

const prices = (Object.keys(UNITS) as Unit[]).map((unit) => ({
  unit,
  items: UNITS[unit].items,
  miss: toCredits(itemPrice(unit, 'miss')),
  hit: toCredits(itemPrice(unit, 'hit')),
  bypass: toCredits(itemPrice(unit, 'bypass')),
}));

const CODE: ApiParameter = {
  name: 'code',
  in: 'path',
  required: true,
  description: 'An error code.',
  schema: { type: 'string', enum: Object.keys(ERROR_CODES) },
  example: 'no_credits',
};

const ESTIMATES: ApiParameter = {
  name: 'estimates',
  in: 'query',
  description:
    'Also describe the `estimate` parameter and the responses to it. Without them, each response has only one schema, as client generators require.',
  schema: { type: 'boolean', default: false },
};

/** The endpoints that need no key (section 4.5): pages for browsers, JSON for programs. */
export function keylessPaths(baseUrl: string): Paths {
  const links = {
    graphql: `${baseUrl}/graphql`,
    docs: `${baseUrl}/docs`,
    openapi: `${baseUrl}/openapi.yaml`,
    status: `${baseUrl}/status`,
  };
  const endpoints = { graphql: `${baseUrl}/graphql`, rest: `${baseUrl}/v1`, mcp: `${baseUrl}/mcp` };
  const service = { name: 'Perch', version: VERSION, network: 'corpus', demo: true, endpoints, links, prices };
  const openapi = keyless(
    'openapi',
    'This document',
    { 'application/yaml': { schema: { type: 'string' } } },
    { failures: ['BadRequest'], parameters: [ESTIMATES] },
  );
  return {
    '/': keyless('service', 'What this service is and what reads cost', { ...json('Service', service), ...PAGE }),
    '/status': keyless('status', 'The state of the service and of the network behind it', {
      ...json('Status'),
      ...PAGE,
    }),
    '/healthz': keyless('healthz', 'Whether this node is up', json('Health', { status: 'ok' }), { neverRefused: true }),
    '/openapi.yaml': { get: withNotModified(openapi.get as ApiOperation) },
    '/problems': keyless('problems', 'Every error code', { ...json('ErrorCodes'), ...PAGE }),
    '/problems/{code}': keyless(
      'problem',
      'What an error code means and what to do',
      { ...json('ErrorCode'), ...PAGE },
      {
        failures: ['KeylessNotFound'],
        parameters: [CODE],
      },
    ),
  };
}

/** Adds 304, because the document can be revalidated (H6), and 303, because browsers are sent to the reference. */
function withNotModified(operation: ApiOperation): ApiOperation {
  const headers = { ...KEYLESS_HEADERS, ETag: header('ETag') };
  const responses = {
    ...operation.responses,
    '200': { ...operation.responses['200'], description: 'The response.', headers },
    // H13
    '303': {
      description: 'Browsers are redirected to the human-readable reference.',
      headers: { ...KEYLESS_HEADERS, Location: header('Location') },
    },
    '304': { description: 'Not modified since the `ETag` in `If-None-Match`.', headers },
  };
  return { ...operation, responses };
}
