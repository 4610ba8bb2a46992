/** The document as generators of clients read it (H18). */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { forGenerators } from '../../../adapters/rest/openapi/published.js';
import { pascalCase } from '../../../adapters/rest/openapi/schema-text.js';
import type { ApiOperation, JsonSchema } from '../../../adapters/rest/openapi/types.js';
import { describedAt } from './subject.js';

const whole = describedAt('https://perch.test');
const document = forGenerators(whole);
const { schemas } = document.components;

const operationsOf = ({ paths }: typeof document): ApiOperation[] => Object.values(paths).flatMap(Object.values);
const answerOf = ({ responses }: ApiOperation): JsonSchema | undefined => {
  const response = responses['200'];
  return response && 'content' in response ? response.content?.['application/json']?.schema : undefined;
};

/** Every schema of a document, wherever it is. */
function* schemasIn(value: unknown): Generator<JsonSchema> {
  if (typeof value !== 'object' || value === null) return;
  yield value as JsonSchema;
  for (const part of Object.values(value)) yield* schemasIn(part);
}

/** What generators append to the name of an operation: hey-api, orval, kubb, openapi-generator, oapi-codegen. */
const ADDED = ['Data', 'Error', 'Errors', 'Response', 'Responses', 'Result', 'Params', 'Body', 'Request', 'Options'];
ADDED.push('QueryParams', 'PathParams', 'HeaderParams', 'Query', 'QueryResponse', 'Mutation', 'MutationRequest');

const require = createRequire(import.meta.url);
const globalsIn = (library: string): string[] =>
  [
    ...readFileSync(require.resolve(`typescript/lib/lib.${library}.d.ts`), 'utf8').matchAll(/^declare var (\w+):/gm),
  ].map(([, name = '']) => name);

describe('the published document', () => {
  it('is OpenAPI 3.1, and every reference in it resolves', async () => {
    const { errors, valid } = await new Validator().validate({ ...structuredClone(document) });
    expect([errors ?? [], valid]).toEqual([[], true]);
    for (const { $ref } of schemasIn(document)) {
      if ($ref === undefined) continue;
      const found = $ref
        .slice(2)
        .split('/')
        .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document);
      expect(found, $ref).toBeDefined();
    }
  });

  it('has all operations of the whole document, with one schema for each answer, and no estimates', () => {
    const names = (from: typeof document) => operationsOf(from).map(({ operationId }) => operationId);
    expect(names(document)).toEqual(names(whole));
    for (const operation of operationsOf(document)) {
      const answer = answerOf(operation);
      if (answer) expect(Object.keys(answer), operation.operationId).toEqual(['$ref']);
    }
    expect(JSON.stringify(document)).not.toMatch(/parameters\/Estimate|EstimateEnvelope|"max_items"/);
  });

  it.each(operationsOf(document).map(({ operationId }) => operationId))(
    'gives no schema a name that generators derive from %s',
    (operationId) => {
      const theirs = ADDED.map((added) => pascalCase(operationId) + added);
      expect(Object.keys(schemas).filter((name) => theirs.includes(name))).toEqual([]);
    },
  );

  it('gives no schema the name of a global', () => {
    const globals = new Set(['es5', 'es2015.collection', 'es2015.promise', 'dom'].flatMap(globalsIn));
    expect(globals).toContain('Error');
    expect(Object.keys(schemas).filter((name) => globals.has(name))).toEqual([]);
  });

  it('gives tweets and users of a search required members that the other kind lacks', () => {
    const [, own] = schemas.SearchPage?.allOf ?? [];
    const refs = own?.properties?.data?.items?.anyOf?.map(({ $ref }) => $ref);
    expect(refs).toEqual(['#/components/schemas/Tweet', '#/components/schemas/User']);
    const { Tweet, User } = schemas;
    expect(Tweet?.required).toContain('text');
    expect(User?.properties).not.toHaveProperty('text');
    expect(User?.required).toContain('handle');
    expect(Tweet?.properties).not.toHaveProperty('handle');
  });

  it('states the range of every integer, because counters exceed 32 bits (T12)', () => {
    const integers = [...schemasIn(document)].filter(({ type }) => [type].flat().includes('integer'));
    expect(integers.length).toBeGreaterThan(40);
    expect(integers.filter(({ format }) => format !== 'int32' && format !== 'int64')).toEqual([]);
    for (const name of ['views', 'likes', 'retweets']) expect(schemas.Tweet?.properties?.[name]?.format).toBe('int64');
  });

  it('describes headers as text, as they are sent', () => {
    const all = [
      ...Object.values(document.components.parameters),
      ...operationsOf(document).flatMap((each) => each.parameters ?? []),
    ];
    const headers = all.flatMap((each) => ('in' in each && each.in === 'header' ? [each] : []));
    expect(headers.length).toBeGreaterThan(1);
    expect(headers.filter(({ schema }) => schema.type !== 'string')).toEqual([]);
  });
});
