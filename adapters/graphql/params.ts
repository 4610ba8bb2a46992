import type { GraphQLParams } from 'graphql-yoga';
import type { Thousandths } from '../../src/domain/credits.js';
import { badRequest } from '../../src/domain/errors.js';
import { truncated } from '../../src/lib/text.js';
import type { LiveLimits } from '../../src/live/budget.js';
import { budgetFrom, creditsFrom } from '../../src/serve/budget.js';
import type { Call } from '../../src/serve/call.js';

/** The parts of a request, before anything is checked. */
export type GraphqlParams = GraphQLParams & { readonly documentId?: unknown };

/**
 * The operation that a request asks for: a persisted one by its name (`documentId`), one by its SHA-256 in the form of
 * automatic persisted queries, or the text sent. Operations cannot be registered: a hash sent with a text has no
 * effect. A name beside either is refused: it may mean another operation, with another price.
 */
export function requestedDocument(params: GraphqlParams): Call['document'] {
  const { query, documentId, extensions } = params;
  // An empty name counts as none: forms and generated clients send it for a document's only operation (G18).
  const operationName: unknown = (params.operationName ?? '') === '' ? null : params.operationName;
  if (operationName !== null && typeof operationName !== 'string') {
    return { failure: badRequest('operationName must be a string.', 'operationName') };
  }
  const hasText = typeof query === 'string' && query !== '';
  const hash: unknown = extensions?.persistedQuery?.sha256Hash;
  const isNamed = documentId !== undefined && documentId !== null && documentId !== '';
  if (Array.isArray(documentId) || (isNamed && (hasText || typeof hash === 'string'))) {
    return { failure: badRequest('The request names more than one operation: send one of them.', 'documentId') };
  }
  if (hasText) return { text: query, operationName };
  if (typeof documentId === 'string' && isNamed) return { name: documentId };
  if (typeof hash === 'string') return { sha256: hash.toLowerCase() };
  return {
    failure: badRequest('The request must have query, documentId or extensions.persistedQuery.sha256Hash.', 'query'),
  };
}

/** `extensions.dryRun: true` prices the operation and reads nothing. */
export const parseDryRun = (params: GraphQLParams): boolean => isWanted(params, 'dryRun');

/** `extensions.heartbeats: true` asks for heartbeats that the client's code sees. */
export const parseHeartbeats = (params: GraphQLParams): boolean => isWanted(params, 'heartbeats');

function isWanted({ extensions }: GraphQLParams, name: 'dryRun' | 'heartbeats'): boolean {
  const wanted: unknown = extensions?.[name];
  if (wanted === undefined || typeof wanted === 'boolean') return wanted ?? false;
  throw badRequest(`extensions.${name} must be true or false.`, name);
}

/** The members of `extensions` that are Perch's, by their letters alone, and how REST calls a dry run. */
const OURS: ReadonlyMap<string, string> = new Map([
  ...['maxCredits', 'maxCreditsPerDay', 'dryRun', 'heartbeats'].map((name) => [name.toLowerCase(), name] as const),
  ['estimate', 'dryRun'],
]);

/**
 * Throws `bad_request` for a name under which a caller means a member of `extensions`, such as REST's `max_credits`: a
 * budget or a dry run that is ignored costs money. Other unknown names are those of clients.
 */
export function refuseMisnamed(names: Iterable<string>, { inExtensions }: { readonly inExtensions: boolean }): void {
  for (const name of names) {
    const meant = OURS.get(name.replaceAll(/[-_]/g, '').toLowerCase());
    if (meant === undefined || (inExtensions && name === meant)) continue;
    throw badRequest(`${truncated(name)} is not a parameter of GraphQL: send extensions.${meant}.`, meant);
  }
}

/** The caller's budget, from `extensions.maxCredits` or `X-Max-Credits`. */
export function budgetOfParams(params: GraphQLParams, header: string | string[] | undefined): Thousandths | null {
  refuseMisnamed(Object.keys(params.extensions ?? {}), { inExtensions: true });
  return budgetFrom(params.extensions?.maxCredits, header);
}

/** What a subscription may spend in all, as for any operation, and in a day, from `extensions.maxCreditsPerDay`. */
export function limitsOfParams(params: GraphQLParams, header: string | string[] | undefined): LiveLimits {
  const perDay: unknown = params.extensions?.maxCreditsPerDay;
  return {
    inAll: budgetOfParams(params, header),
    perDay: perDay === undefined ? null : creditsFrom(perDay, 'maxCreditsPerDay'),
  };
}
