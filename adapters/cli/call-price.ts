import { schema } from '../../schema/index.js';
import { readOperations } from '../../schema/operations.js';
import { Documents, preparePersisted } from '../../src/documents/documents.js';
import type { Checks } from '../../src/documents/rules.js';
import { badRequest } from '../../src/domain/errors.js';
import { PRODUCTS } from '../../src/domain/model.js';
import { impossibleName, normaliseQuery } from '../../src/read/subjects.js';
import { checkQuery } from '../networks/corpus/search/search.js';
import { deriveEndpoint } from '../rest/parameters.js';
import { parseRequest, type RawRequest } from '../rest/request.js';
import { ROUTES, type RouteRow } from '../rest/routes.js';
import { configOfProcess } from './environment.js';
import { note } from './print.js';

interface Price {
  readonly items: number;
  /** Thousandths of a credit, within the caller's budget, if nothing is cached. */
  readonly uncached: number;
  /** The same if everything is cached. */
  readonly cached: number;
  readonly fresh: boolean;
}

/** The most that a call may cost, from the schema and the planner; nothing is read. Throws `bad_request`. */
export function estimatePrice(row: RouteRow, raw: RawRequest): Price {
  const text = readOperations()[row.operation] ?? '';
  const isCorpus = configOfProcess().network === 'corpus';
  const checks: Checks = {
    // A cursor is signed by the installation that issued it; the cost doesn't depend on it.
    cursor: () => {},
    cursorOf: () => {},
    query(query, product) {
      const q = normaliseQuery(query);
      // Other networks decide themselves which queries they accept.
      if (isCorpus) checkQuery(q, PRODUCTS.find((known) => known === product) ?? 'Latest');
    },
    impossible: (kind, text) => impossibleName(kind, text),
    serves: () => true,
  };
  const documents = new Documents(schema, preparePersisted(schema, { [row.operation]: text }));
  const operation = documents.find({ name: row.operation });
  const endpoint = deriveEndpoint(schema, text);
  const { warnings = [], variables, budget } = parseRequest(endpoint, raw);
  for (const warning of warnings) note(`perch: ${warning}`);
  const { amount, items, fresh } = operation.worst(operation.coerce(variables), checks);
  const within = (price: number): number => Math.min(price, budget ?? Number.POSITIVE_INFINITY);
  return { items, uncached: within(amount), cached: within(fresh ? amount : amount / 2), fresh };
}

/** Takes a path as written in an address, or a full address. Throws `bad_request`. */
export function parseUrl(address: string): URL {
  const isAddress = /^https?:\/\//i.test(address);
  if (!isAddress && !address.startsWith('/'))
    throw badRequest(`${address} is not a valid path: it must begin with /v1/.`);
  try {
    return new URL(address, 'http://localhost');
  } catch {
    throw badRequest(`${address} is not a path or a URL.`);
  }
}

/** The endpoint of a path, and the names in it. Throws a `bad_request` that lists the available paths and methods. */
export function matchRoute(method: string, pathname: string): { row: RouteRow; path: Record<string, string> } {
  const matches = ROUTES.flatMap((row) => {
    const path = match(row.path, pathname);
    return path === null ? [] : [{ row, path }];
  });
  // Fixed paths come before those with a name in them.
  const found = matches.find(({ row }) => row.method === method && row.path === matches[0]?.row.path);
  if (found) return found;
  if (matches[0]) {
    const fit = matches.filter(({ row }) => row.path === matches[0]?.row.path).map(({ row }) => row.method);
    throw badRequest(`${pathname} supports ${fit.join(' and ')}, not ${method}.`);
  }
  if (/^\/v1\/live\/?$/.test(pathname))
    throw badRequest(
      '/v1/live has no price of its own: each item costs what it costs on a page. Price the list it follows.',
    );
  const known = [...new Set(ROUTES.map((row) => row.path))].join('\n  ');
  throw badRequest(`${pathname} is not a path of this service. Available paths:\n  ${known}`);
}

/** The names in the path, percent-decoded once; null if the path does not match. Ignores one trailing slash (I8). */
function match(template: string, pathname: string): Record<string, string> | null {
  const pattern = template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  const groups = new RegExp(`^${pattern}/?$`).exec(pathname);
  if (groups === null) return null;
  const path: Record<string, string> = {};
  for (const [name, text] of Object.entries(groups.groups ?? {})) path[name] = decoded(text);
  return path;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badRequest(`${text} is not percent-encoded correctly.`);
  }
}
