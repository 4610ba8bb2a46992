import { beforeAll, expect, it } from 'vitest';
import type { VocabularyName } from '../../../adapters/networks/x/vocabulary.js';
import { describeWithShared, readShared } from '../contract/shared.js';
import { DOCUMENTS } from './support/documents.js';
import { everyRequest, type Sent } from './support/every-request.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly explode?: boolean;
  readonly schema: Schema;
}

interface Document {
  readonly paths: Readonly<Record<string, { get?: { parameters?: readonly Parameter[] } }>>;
}

function resolved<T extends { $ref?: string }>(document: Document, part: T): T {
  if (part.$ref === undefined) return part;
  const names = part.$ref.replace('#/', '').split('/');
  const target = names.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], document);
  return resolved(document, target as T);
}

/** What is wrong with a value, by the schema of its parameter. */
function faultsOf(document: Document, schema: Schema, value: string): string[] {
  const { type, items, ...rules } = resolved(document, schema);
  if (type === 'array') {
    const values = value.split(',');
    const isFew = values.length >= (rules.minItems ?? 0) && values.length <= (rules.maxItems ?? 999);
    const isOnce = new Set(values).size === values.length;
    return [
      ...(isFew && isOnce ? [] : [`${values.length} values`]),
      ...values.flatMap((each) => faultsOf(document, items ?? {}, each)),
    ];
  }
  const number = Number(value);
  const checks: [boolean, string][] = [
    [rules.enum === undefined || rules.enum.includes(value), 'not in the enum'],
    [rules.pattern === undefined || new RegExp(rules.pattern).test(value), 'against the pattern'],
    [type !== 'integer' || Number.isInteger(number), 'no integer'],
    [type !== 'integer' || (number >= (rules.minimum ?? 0) && number <= (rules.maximum ?? number)), 'out of bounds'],
    [rules.format !== 'date-time' || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value), 'no date-time'],
    [value.length >= (rules.minLength ?? 0) && value.length <= (rules.maxLength ?? value.length), 'too long or short'],
  ];
  return checks.flatMap(([isRight, fault]) => (isRight ? [] : [`${value}: ${fault}`]));
}

const templateOf = (path: string): string => path.replace(/(?<=^\/2\/\w+)\/\d+/, '/{id}');

/** Everything about a request that the document does not allow. */
function faultsIn(document: Document, { path, query }: Sent): string[] {
  const exact = templateOf(path);
  const operation = document.paths[exact]?.get;
  if (!operation) return [`${path}: no such path`];
  const parameters = (operation.parameters ?? []).map((part) => resolved(document, part));
  const inPath = parameters.filter((part) => part.in === 'path');
  const id = path.split('/')[3] ?? '';
  return [
    ...inPath.flatMap((part) => faultsOf(document, part.schema, id)),
    ...parameters
      .filter(({ required, name }) => required && name !== 'id' && !query.has(name))
      .map(({ name }) => `no ${name}`),
    ...[...query].flatMap(([name, value]) => {
      const parameter = parameters.find((part) => part.in === 'query' && part.name === name);
      if (parameter === undefined) return [`${exact} has no parameter ${name}`];
      return faultsOf(document, parameter.schema, value).map((fault) => `${exact} ${name}=${fault}`);
    }),
  ];
}

describeWithShared('contracts/x-api-v2', 'every name and value that is sent occurs in X’s own document', () => {
  const sent = new Map<VocabularyName, Sent[]>();
  beforeAll(async () => {
    for (const [vocabulary] of DOCUMENTS) sent.set(vocabulary, await everyRequest(vocabulary));
  });

  it.each(DOCUMENTS)('allows requests in the vocabulary of %ss: %s', (vocabulary, file) => {
    const document = readShared(file) as Document;
    const requests = sent.get(vocabulary) ?? [];
    expect(new Set(requests.flatMap((request) => faultsIn(document, request)))).toEqual(new Set());
    const paths = new Set(requests.map(({ path }) => templateOf(path)));
    expect([...paths].toSorted()).toEqual([
      '/2/tweets',
      '/2/tweets/search/all',
      '/2/tweets/search/recent',
      '/2/tweets/{id}/quote_tweets',
      '/2/tweets/{id}/retweeted_by',
      '/2/users',
      '/2/users/by',
      '/2/users/search',
      '/2/users/{id}/followers',
      '/2/users/{id}/following',
      '/2/users/{id}/tweets',
    ]);
    const names = new Set(requests.flatMap(({ query }) => [...query.keys()]));
    for (const name of [
      'start_time',
      'end_time',
      'since_id',
      'until_id',
      'next_token',
      'pagination_token',
      'sort_order',
    ]) {
      expect(names).toContain(name);
    }
    for (const { path, query } of requests) expect(path.length + String(query).length).toBeLessThan(8000);
  });

  it.each([
    ['tweet', 1],
    ['post', 0],
  ] as const)('allows none of %ss in the other, which shows that the check works', (vocabulary, other) => {
    const document = readShared(DOCUMENTS[other][1]) as Document;
    const faults = (sent.get(vocabulary) ?? []).flatMap((request) => faultsIn(document, request));
    expect(faults).toContain(`/2/tweets has no parameter ${vocabulary}.fields`);
  });
});
