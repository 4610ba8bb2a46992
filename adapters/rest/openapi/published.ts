import { pascalCase, refTo } from './schema-text.js';
import type { ApiOperation, JsonSchema, OpenapiDocument, OpenapiMediaType } from './types.js';

/** Endings of the names that generators derive from operations, and the endings that our schemas get instead. */
const ENDINGS: readonly (readonly [theirs: RegExp, ours: string])[] = [
  [/Response$/, 'Envelope'],
  [/Request$/, 'Input'],
];

/** New names of schemas that would shadow a JavaScript global. */
const GLOBALS: Readonly<Record<string, string>> = { Error: 'Failure', Audio: 'AudioTrack' };

const nameFor = (name: string): string =>
  GLOBALS[name] ?? ENDINGS.reduce((said, [theirs, ours]) => said.replace(theirs, ours), name);

const SCHEMAS = '#/components/schemas/';

/**
 * The document for generators of clients (H18). Each answer has one schema, because estimates, which few calls use, are
 * left out. No schema has the name of a JavaScript global or of a type that generators add.
 */
export function forGenerators(document: OpenapiDocument): OpenapiDocument {
  const text = JSON.stringify(document).replaceAll(/"#\/components\/schemas\/(\w+)"/g, (_, name: string) =>
    JSON.stringify(SCHEMAS + nameFor(name)),
  );
  const { paths, components, ...head } = JSON.parse(text) as OpenapiDocument;
  const { Estimate: _schema, EstimateResponse: _envelope, ...kept } = components.schemas;
  const { Estimate: _parameter, ...parameters } = components.parameters;
  const schemas = Object.fromEntries(
    Object.entries(kept).map(([name, schema]) => [nameFor(name), withoutEstimateMember(schema)]),
  );
  const withOneAnswer = (operation: ApiOperation): ApiOperation => withoutEstimate(operation, schemas);
  return {
    ...head,
    paths: mapped(paths, (methods) => mapped(methods, withOneAnswer)),
    components: { ...components, schemas, parameters },
  };
}

const mapped = <Value>(all: Readonly<Record<string, Value>>, change: (value: Value) => Value): Record<string, Value> =>
  Object.fromEntries(Object.entries(all).map(([name, value]) => [name, change(value)]));

const isEstimate = (part: object): boolean =>
  '$ref' in part && /\/(?:EstimateEnvelope|Estimate)$/.test(String(part.$ref));

/** The schema of a body without `estimate`. */
function withoutEstimateMember(schema: JsonSchema): JsonSchema {
  const { estimate, ...properties } = schema.properties ?? {};
  return estimate === undefined ? schema : { ...schema, properties };
}

function withoutEstimate(operation: ApiOperation, schemas: Record<string, JsonSchema>): ApiOperation {
  const response = operation.responses['200'];
  const json = response && 'content' in response ? response.content?.['application/json'] : undefined;
  if (!json?.schema.anyOf) return operation;
  const answers = json.schema.anyOf.filter((part) => !isEstimate(part));
  const { estimate: _, ...examples } = json.examples ?? {};
  const [only] = answers;
  const one =
    answers.length === 1 && only ? only : pageOfAny(`${pascalCase(operation.operationId)}Page`, answers, schemas);
  const content: Record<string, OpenapiMediaType> = { 'application/json': { schema: one, examples } };
  return {
    ...operation,
    parameters: (operation.parameters ?? []).filter((parameter) => !isEstimate(parameter)),
    responses: { ...operation.responses, '200': { ...response, description: 'The response.', content } },
  };
}

/**
 * One page schema for several kinds of items. Readers can tell them apart: each kind requires members the others lack.
 */
function pageOfAny(name: string, pages: readonly JsonSchema[], schemas: Record<string, JsonSchema>): JsonSchema {
  const parts = pages.flatMap(({ $ref = '' }) => schemas[$ref.slice(SCHEMAS.length)]?.allOf ?? []);
  const anyOf = parts.flatMap(({ properties }) => properties?.data?.items ?? []);
  const data: JsonSchema = { type: 'array', items: { anyOf } };
  const [meta = {}] = parts;
  schemas[name] = {
    description: 'A page of tweets or, with `product=People`, of users. Only a tweet has `text`, only a user `handle`.',
    allOf: [meta, { type: 'object', required: ['data'], properties: { data } }],
  };
  return refTo('schemas', name);
}
