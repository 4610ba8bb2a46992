import { OperationTypeNode } from 'graphql';
import { badRequest } from '../../src/domain/errors.js';
import { BATCH, checkInputs } from '../../src/domain/fields.js';
import { truncated } from '../../src/lib/text.js';
import { budgetFrom } from '../../src/serve/budget.js';
import type { Params } from '../../src/serve/call.js';
import { decodeBody, ignoredParameters } from '../http/request.js';
import { type Endpoint, hasBodyFields, type Parameter } from './parameters.js';
import { readValue } from './values.js';

/**
 * Names that other services, and our GraphQL, use for these parameters. They are refused with the right name, because
 * ignoring one would cost the caller money (P3, U26).
 */
export const NEAR_MISSES: Readonly<Record<string, string>> = {
  limit: 'count',
  max_results: 'count',
  per_page: 'count',
  page: 'cursor',
  next_cursor: 'cursor',
  pagination_token: 'cursor',
  since_cursor: 'since',
  since_id: 'since',
  nocache: 'fresh',
  usernames: 'handles',
  query: 'q',
  first: 'count',
  after: 'cursor',
  endCursor: 'cursor',
  sinceCursor: 'since',
  maxCredits: 'max_credits',
  maxCreditsPerDay: 'max_credits_per_day',
  dryRun: 'estimate',
};

/** A name without what people write differently: case, `-`, `_`, and the brackets that some clients add to lists. */
const bare = (name: string): string => name.replace(/\[.*$/s, '').replaceAll(/[-_]/g, '').toLowerCase();

const MEANT = new Map(Object.entries(NEAR_MISSES).map(([name, right]) => [bare(name), bare(right)]));

const OPTIONAL = { required: false, initial: undefined, values: null, meanings: null, rule: null, header: null };
const MAX_CREDITS: Parameter = { ...OPTIONAL, name: 'max_credits', type: 'number', description: '' };
const ESTIMATE: Parameter = { ...OPTIONAL, name: 'estimate', type: 'boolean', description: '' };

/** Parameters of every paid endpoint in addition to its own. */
const OF_PAID = [MAX_CREDITS.name, ESTIMATE.name];

/** A request as it arrived, with nothing checked yet. */
export interface RawRequest {
  readonly method: string;
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Buffer | null;
  readonly contentType: string | undefined;
  readonly maxCreditsHeader: string | undefined;
  /** The request's headers, by lower-case names; undefined if there is no HTTP request. */
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
}

/** Everything that a request asks for. Throws `bad_request`, or `not_found` for a value that cannot be a name. */
export function parseRequest(endpoint: Endpoint, raw: RawRequest): Params {
  const { parameters, priced } = endpoint;
  const takesBody = raw.method === 'POST' && hasBodyFields(parameters, Object.keys(raw.path));
  const body = takesBody ? parseJsonBody(raw) : {};
  return {
    warnings: [
      ...unknownIn(endpoint, raw.query.keys(), isSpellingOf),
      ...unknownIn(endpoint, Object.keys(body), isSame),
    ],
    variables: parseVariables(parameters, raw, body),
    budget: priced ? budgetFrom(parameterValue(MAX_CREDITS, raw, body), raw.maxCreditsHeader) : null,
    estimate: priced && parameterValue(ESTIMATE, raw, body) === true,
  };
}

/** The variables of the operation. Throws `bad_request`, or `not_found` for a value that cannot be a name. */
function parseVariables(
  parameters: readonly Parameter[],
  raw: RawRequest,
  body: Record<string, unknown>,
): Record<string, unknown> {
  const variables: Record<string, unknown> = {};
  for (const parameter of parameters) {
    const value = parameterValue(parameter, raw, body);
    if (value !== undefined) variables[parameter.name] = value;
  }
  return variables;
}

function parameterValue(parameter: Parameter, raw: RawRequest, body: Record<string, unknown>): unknown {
  const { name, type, required, header } = parameter;
  if (header !== null) return raw.headers?.[header.toLowerCase()]?.toString();
  const inPath = raw.path[name];
  if (inPath !== undefined) return readValue(parameter, inPath);
  const inBody = body[name];
  if (type === 'list') return list(parameter, listIn(raw.query, name), inBody, raw.method);
  const inQuery = raw.query.getAll(name);
  if (inQuery.length > 1) throw badRequest(`${name} is given ${inQuery.length} times: send it once.`, name);
  const [text] = inQuery;
  if (text === undefined && inBody !== undefined) return bodyValue(parameter, inBody);
  if (text === undefined) {
    if (required) throw badRequest(`${name} is missing.`, name);
    return undefined;
  }
  const value = readValue(parameter, text);
  if (inBody !== undefined && inBody !== value) {
    throw badRequest(`${name} has different values in the query and in the body.`, name);
  }
  return value;
}

/** Numbers and names in a body are checked in the same way as in a query. */
function bodyValue(parameter: Parameter, value: unknown): unknown {
  const { name, type } = parameter;
  const wanted = type === 'integer' ? 'number' : type;
  if (typeof value !== wanted) throw badRequest(`${name} must be ${type === 'integer' ? 'an' : 'a'} ${type}.`, name);
  return type === 'boolean' ? value : readValue(parameter, String(value));
}

/** The index in a list's name as written: '' for `handles[]`; undefined without brackets, or for another name. */
const indexIn = (name: string, written: string): string | undefined =>
  written.startsWith(name) ? /^\[(|0|[1-9][0-9]{0,8})\]$/.exec(written.slice(name.length))?.[1] : undefined;

const isSpellingOf = (name: string, written: string): boolean =>
  written === name || indexIn(name, written) !== undefined;

/** The values of a list in a query, in the order of their indices or, without indices, as sent (B13). */
function listIn(query: URLSearchParams, name: string): string[] {
  const all = [...query].filter(([written]) => isSpellingOf(name, written));
  const indices = all.map(([written]) => indexIn(name, written));
  const kinds = new Set(indices.map((index) => (index ? 'indexed' : index)));
  if (kinds.size > 1) throw badRequest(`${name} is written in several ways: use one of them.`, name);
  if (kinds.has('indexed')) {
    if (new Set(indices).size < all.length) throw badRequest(`${name} has an index twice: number each once.`, name);
    all.sort(([a], [b]) => Number(indexIn(name, a)) - Number(indexIn(name, b)));
  }
  return all.map(([, value]) => value);
}

/** A list from the body, or from the query, comma-separated or in several parameters (B5). */
function list({ name }: Parameter, inQuery: string[], inBody: unknown, method: string): string[] {
  if (inQuery.length > 0 && inBody !== undefined) {
    throw badRequest(`${name} is given in both the query and the body: send it once.`, name);
  }
  const values = inBody === undefined ? inQuery.flatMap(pieces) : bodyList(name, inBody);
  if (inQuery.length === 0 && inBody === undefined) {
    const isUser = method === 'GET' && name === 'handles';
    const hint = isUser ? '; for the user named batch, use /v1/users/@batch' : '';
    throw badRequest(`${name} is missing: give ${BATCH.min} to ${BATCH.max} of them${hint}.`, name);
  }
  checkInputs(name, values, BATCH);
  return values;
}

const pieces = (text: string): string[] =>
  text
    .split(',')
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '');

function bodyList(name: string, value: unknown): string[] {
  if (!Array.isArray(value)) throw badRequest(`${name} must be an array of strings.`, name);
  for (const item of value) {
    if (typeof item === 'number') throw badRequest(`Send ${name} as strings: numbers lose precision.`, name);
    if (typeof item !== 'string') throw badRequest(`${name} must contain only strings.`, name);
  }
  return value;
}

/** Parses the body as JSON, whatever its content type, but refuses forms (P12). */
function parseJsonBody({ body, contentType = '' }: RawRequest): Record<string, unknown> {
  if (/^(application\/x-www-form-urlencoded|multipart\/form-data)/i.test(contentType)) {
    throw badRequest('The body must be JSON, not a form.');
  }
  if (!body || body.length === 0) throw badRequest('The body is missing: send a JSON object.');
  const text = decodeBody(body);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest('The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest('The body must be a JSON object.');
  }
  return value as Record<string, unknown>;
}

const isSame = (name: string, written: string): boolean => written === name;

/**
 * Returns warnings that name unknown parameters, of a query or a body. Near misses of this endpoint's own parameters are
 * refused. `isList` says whether a list may be written so.
 */
function unknownIn(
  { parameters, priced, operation }: Endpoint,
  given: Iterable<string>,
  isList: typeof isSpellingOf,
): string[] {
  const names = [...new Set(given)];
  if (names.length === 0) return [];
  const own = parameters.filter(({ header }) => header === null).map(({ name }) => name);
  const lists = parameters.filter(({ type }) => type === 'list').map(({ name }) => name);
  const known = new Set([...own, ...(priced ? OF_PAID : [])]);
  const unknown = names.filter((name) => !known.has(name) && !lists.some((list) => isList(list, name)));
  // A request may have thousands, and no account is charged for comparing them.
  const rights = new Map(unknown.length > 0 ? [...known].map((each) => [bare(each), each]) : []);
  for (const name of unknown) {
    const written = bare(name);
    const meant = MEANT.get(written) ?? written;
    // A caller who means a dry run must not find that something was added.
    if (meant === ESTIMATE.name && !priced && operation.operation === OperationTypeNode.MUTATION)
      throw badRequest(`There is no estimate of a change: leave out ${truncated(name)}.`, name);
    // A watch has a budget a day only.
    const right = rights.get(meant) ?? rights.get(`${meant}perday`);
    if (right !== undefined) throw badRequest(`Unknown parameter ${truncated(name)}: use ${right}.`, name);
  }
  return ignoredParameters(unknown);
}
