import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import { priceOfField } from '../../../src/documents/rules.js';
import { toCredits } from '../../../src/domain/credits.js';
import { itemPrice } from '../../../src/domain/prices.js';
import { type Endpoint, hasBodyFields, type Parameter } from '../parameters.js';
import { ROUTES, type RouteRow } from '../routes.js';
import type { Envelopes } from './envelopes.js';
import { responseExamples } from './examples.js';
import { failureName, failures } from './failures.js';
import { ANSWER_HEADERS, READ_HEADERS } from './headers.js';
import { apiParameters, apiRequestBody, EXAMPLES, namesIn } from './inputs.js';
import { endpointSummary, pascalCase, restWords } from './schema-text.js';
import type { Selections } from './selections.js';
import type { ApiOperation, Paths, PriceNote } from './types.js';

export const TAGS = {
  Account: 'The account of the key, its credits and usage. Free.',
  Users: 'Profiles, timelines, and who follows whom.',
  Tweets: 'Tweets, search, threads, replies, quotes and retweeters.',
  Watches: 'Lists that are followed, with new items sent to a webhook. Free.',
  Service: 'No key required.',
} as const;

/**
 * Statuses that any endpoint can answer with; its row lists the others (X5). 403: a key may be limited to certain IP
 * addresses, and to certain reads. 503: at capacity.
 */
const ANYWHERE = {
  GET: [400, 401, 403, 414, 429, 500, 503],
  POST: [400, 401, 403, 413, 414, 415, 429, 500, 503],
} as const;

/** A parsed persisted operation. */
export interface Source extends Endpoint {
  readonly document: DocumentNode;
}

export interface Parts {
  readonly selections: Selections;
  readonly envelopes: Envelopes;
  /** By operation name, as in the route rows. */
  readonly sources: ReadonlyMap<string, Source>;
}

/** Every row of the route table as an operation of the document. */
export function v1Paths(parts: Parts): Paths {
  const paths: Record<string, Record<string, ApiOperation>> = {};
  for (const row of ROUTES) {
    const source = parts.sources.get(row.operation);
    if (!source) throw new TypeError(`${row.path} names ${row.operation}, which is not an operation.`);
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: apiOperation(row, source, parts) };
  }
  return paths;
}

function apiOperation(row: RouteRow, { operation, parameters }: Source, parts: Parts): ApiOperation {
  const { field } = parts.selections.rootOf(operation);
  const description = restWords(field.description);
  const price = priceNote(field);
  const query = apiParameters(row, parameters);
  const name = pascalCase(operation.name?.value ?? row.operation);
  return {
    operationId: chooseOperationId(row, operation),
    tags: [endpointTag(row)],
    summary: endpointSummary(description),
    description,
    ...(query.length > 0 && { parameters: query }),
    ...(row.method === 'POST' &&
      hasBodyFields(parameters, namesIn(row)) && {
        requestBody: apiRequestBody(`${name}Request`, parameters, parts.selections),
      }),
    responses: {
      '200': {
        description: 'The response. `X-Credits-Charged` and `X-Credits-Remaining` repeat the values in the body.',
        headers: price ? READ_HEADERS : ANSWER_HEADERS,
        content: {
          'application/json': {
            schema: parts.envelopes.of(operation),
            examples: responseExamples(parts.selections, operation, maxItemsOf(price, parameters)),
          },
        },
      },
      ...failures(failureStatuses(row).map((status) => failureName(status, row.operation, price !== null))),
    },
    ...(price && { 'x-price': price }),
  };
}

/** Failures of an endpoint, ascending. */
const failureStatuses = (row: RouteRow): number[] =>
  [...new Set<number>([...ANYWHERE[row.method], ...row.statuses])].sort((a, b) => a - b);

/** The operation's own name; with the suffix `Get` for GET if another method also runs it. */
function chooseOperationId({ method, operation: file }: RouteRow, operation: OperationDefinitionNode): string {
  const name = operation.name?.value ?? file;
  const shared = ROUTES.some((row) => row.operation === file && row.method !== method);
  return shared && method === 'GET' ? `${name}Get` : name;
}

function endpointTag({ path }: RouteRow): keyof typeof TAGS {
  if (path.startsWith('/v1/users/')) return 'Users';
  if (path.startsWith('/v1/watches')) return 'Watches';
  return path.startsWith('/v1/tweets/') ? 'Tweets' : 'Account';
}

/** The most items that the request in the examples can return. */
function maxItemsOf(price: PriceNote | null, parameters: readonly Parameter[]): number {
  const bound = parameters.find(({ name }) => name === price?.items);
  const example = bound?.initial ?? EXAMPLES[bound?.name ?? ''];
  return Array.isArray(example) ? example.length : Number(example ?? 1);
}

function priceNote(field: Parameters<typeof priceOfField>[0]): PriceNote | null {
  const price = priceOfField(field);
  if (!price) return null;
  const { unit, items } = price;
  return {
    unit,
    credits: toCredits(itemPrice(unit, 'miss')),
    hit: toCredits(itemPrice(unit, 'hit')),
    fresh: toCredits(itemPrice(unit, 'bypass')),
    items: items === 'first' ? 'count' : items,
  };
}
