import { type FieldNode, parse, print, visit } from 'graphql';
import type { SampleAccount } from '../../../../src/ports/network.js';
import { TOOLS } from '../../../mcp/tools.js';
import { boundsOf, fieldsOf, nameIn } from '../../../rest/openapi/fields.js';
import type {
  ApiOperation,
  ApiParameter,
  ApiResponse,
  JsonSchema,
  OpenapiDocument,
  PriceNote,
} from '../../../rest/openapi/types.js';
import { ROUTES } from '../../../rest/routes.js';
import { DEMO_HANDLE } from '../../kit/first-reads.js';
import { type Sample, type SampleCall, samplesOf } from '../files/samples.js';

/** Part of a type's description: a text, or the name of an object, which links to its fields. */
export type TypePart = string | { readonly object: string };

/** A parameter, or a member of a body or of a response. */
export interface ApiField {
  readonly name: string;
  readonly type: readonly TypePart[];
  readonly required: boolean;
  readonly description: string;
  /** The allowed values, each with its meaning, which may be empty. */
  readonly values: readonly { readonly value: string; readonly meaning: string }[];
  readonly initial: string | null;
}

/** A parameter in the path, the query or a header. */
export interface ApiInput extends ApiField {
  readonly place: ApiParameter['in'];
  readonly schema: JsonSchema;
  readonly example: unknown;
}

/** An object of the interface with its fields. */
export interface ApiObject {
  readonly name: string;
  readonly description: string;
  readonly fields: readonly ApiField[];
}

/** A response of one status, with an example of each of its codes. */
export interface ApiAnswer {
  readonly status: string;
  readonly description: string;
  readonly codes: readonly string[];
  readonly examples: readonly { readonly label: string; readonly text: string }[];
}

/** An operation as its page shows it. */
export interface ApiEntry {
  readonly id: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly tag: string;
  /** What it does, in a few words. */
  readonly title: string;
  readonly summary: string;
  readonly description: string;
  readonly price: PriceNote | null;
  readonly inputs: readonly ApiInput[];
  /** Members of the JSON body, and an example of it; null if the operation takes no body. */
  readonly body: { readonly fields: readonly ApiField[]; readonly example: string } | null;
  /** The forms of a successful response: one, or one for each kind of data and one for an estimate. */
  readonly responses: readonly ApiObject[];
  /** Every object in the responses, in the order in which a reader meets them. */
  readonly objects: readonly ApiObject[];
  readonly success: ApiAnswer;
  readonly failures: readonly ApiAnswer[];
  readonly call: SampleCall;
  readonly samples: readonly Sample[];
  /** A note on the handles and ids in the samples, if live and test keys do not find the same ones. */
  readonly named: string | null;
  /** Whether the page can send it, as it can every read. Purchases are for programs that can follow them up. */
  readonly isSendable: boolean;
}

export interface ApiSources {
  readonly document: OpenapiDocument;
  /** Texts of the persisted operations, by name. */
  readonly operations: Readonly<Record<string, string>>;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /**
   * What the samples read; undefined if the service has what the document's examples name; null if it has no data yet.
   */
  readonly sample?: SampleAccount | null | undefined;
}

/** An operation that needs no key; the reference has one line about it. */
export interface KeylessEntry {
  readonly path: string;
  readonly summary: string;
}

/** Titles of operations that are not tools, in the same form as those of tools. */
const TITLES: Readonly<Record<string, string>> = {
  checkout: 'Open a checkout page',
  watches: 'List watches',
  'watch-create': 'Create a watch',
  watch: 'Show a watch',
  'watch-pause': 'Pause a watch',
  'watch-resume': 'Resume a watch',
  'watch-end': 'End a watch',
  'watch-deliveries': 'List the deliveries of a watch',
  'watch-send': 'Send a delivery again',
};

function titleOf(operation: string): string {
  const title = TITLES[operation];
  if (title === undefined) throw new TypeError(`${operation} is neither a tool nor has it a title.`);
  return title;
}

/** Operations outside `/v1`. */
export const keylessEntries = ({ paths }: OpenapiDocument): KeylessEntry[] =>
  Object.entries(paths)
    .filter(([path]) => !path.startsWith('/v1/'))
    .flatMap(([path, { get }]) => (get === undefined ? [] : [{ path, summary: get.summary }]));

/** Every operation of `/v1`, in the order of the routes. */
export function apiEntries({ document, operations, baseUrl, sample }: ApiSources): ApiEntry[] {
  const own = ownExamples(sample);
  const { components } = document;
  return ROUTES.map(({ method, path, operation: name }) => {
    const operation = document.paths[path]?.[method.toLowerCase()];
    if (operation === undefined) throw new TypeError(`${method} ${path} is not in the document.`);
    const parameters = (operation.parameters ?? []).map((each) => resolved(each, components.parameters));
    const described = parameters.map(toInput);
    const inputs = described.map((input) => ({ ...input, example: own[input.name] ?? input.example }));
    const media = operation.requestBody?.content['application/json'];
    const bodyFields = media === undefined ? [] : apiFields(media.schema, components.schemas);
    const tool = TOOLS.find((row) => row.operation === name);
    const call: SampleCall = {
      ...{ id: operation.operationId, method, path, baseUrl, query: inSchemaNames(operations[name] ?? '') },
      parameters: [
        ...inputs.map((each) => ({ name: each.name, in: each.place, required: each.required })),
        ...bodyFields.map((each) => ({ name: each.name, in: 'body' as const, required: each.required })),
      ],
      ...(tool !== undefined && { tool: tool.name }),
    };
    const required = inputs.filter((each) => each.required).map((each) => [each.name, each.example]);
    const given = media?.example as Record<string, unknown> | undefined;
    const body = given === undefined ? null : mapped(given, (value, name) => own[name] ?? value);
    const answers = Object.entries(operation.responses).map(([status, answer]) =>
      toApiAnswer(status, resolved(answer, components.responses)),
    );
    const { responses, objects } = responseObjects(operation, components.schemas);
    const [success, ...failures] = answers;
    if (success === undefined) throw new TypeError(`${method} ${path} has no responses.`);
    return {
      ...{ id: operation.operationId, method, path, tag: operation.tags[0] ?? '', summary: operation.summary },
      title: tool?.title ?? titleOf(name),
      description: operation.description,
      price: operation['x-price'] ?? null,
      inputs,
      body: body === null ? null : { fields: bodyFields, example: JSON.stringify(body, null, 2) },
      ...{ responses, objects, success, failures, call },
      samples: samplesOf(call, Object.fromEntries(required), body),
      named: whatIsNamed(sample, {
        ...Object.fromEntries(described.filter((each) => each.required).map((each) => [each.name, each.example])),
        ...given,
      }),
      isSendable: method === 'GET' || operation['x-price'] !== undefined,
    };
  });
}

const mapped = (
  object: Readonly<Record<string, unknown>>,
  to: (value: unknown, name: string) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, to(value, name)]));

/** Example values, by parameter name, that find something on a service with its own data. */
function ownExamples(sample: ApiSources['sample']): Readonly<Record<string, unknown>> {
  if (!sample) return {};
  const { handle, tweetId } = sample;
  return {
    ...{ handle, user: handle, q: `from:${handle}`, handles: [handle, 'no_such_handle'] },
    ...(tweetId !== null && { id: tweetId, ids: [tweetId] }),
  };
}

/** Notes which names need which key: test keys always read the invented network of the document's examples. */
function whatIsNamed(sample: ApiSources['sample'], examples: Readonly<Record<string, unknown>>): string | null {
  const isUser = ['handle', 'user', 'q', 'handles'].some((name) => name in examples);
  const isTweet = ['id', 'ids'].some((name) => name in examples);
  if (sample === undefined || (!isUser && !isTweet)) return null;
  const of = `\`${isUser ? DEMO_HANDLE : [examples.id ?? examples.ids].flat()[0]}\``;
  if (sample === null) return `Nothing was imported yet, so only test keys find ${of}.`;
  const isPlaceholder = isUser ? sample.handle === DEMO_HANDLE : sample.tweetId === null;
  if (isPlaceholder) {
    return `Only test keys find ${of}. With a live key, use ${isUser ? 'a handle' : 'the id of a tweet'} instead.`;
  }
  return `Test keys read invented data. With a test key, use ${of} instead of the ${isUser ? 'handle' : 'id'}.`;
}

/** A persisted operation as a person would write it, without its aliases, which only give REST its names. */
const inSchemaNames = (operation: string): string =>
  print(visit(parse(operation), { Field: ({ alias: _, ...field }: FieldNode) => field }));

function resolved<T extends object>(part: T | { readonly $ref: string }, named: Readonly<Record<string, T>>): T {
  if (!('$ref' in part)) return part as T;
  const name = nameIn(String(part.$ref));
  const found = named[name];
  if (found === undefined) throw new TypeError(`${part.$ref} is not in the document.`);
  return found;
}

const toInput = (parameter: ApiParameter): ApiInput => {
  const { name, in: place, required = false, description, schema, example } = parameter;
  return { ...toField({ name, schema: { ...schema, description }, required }), place, schema, example };
};

function toField({ name, schema, required }: ReturnType<typeof fieldsOf>[number]): ApiField {
  const meanings = schema['x-enumDescriptions'] ?? {};
  return {
    name,
    type: typeParts(schema),
    required,
    description: schema.description ?? '',
    values: (schema.enum ?? schema.items?.enum ?? []).map((value) => ({ value, meaning: meanings[value] ?? '' })),
    initial: schema.default === undefined ? null : String(schema.default),
  };
}

/** The members of an object. A member that is an unnamed object is followed by its own members, as `refused.code`. */
const apiFields = (schema: JsonSchema, schemas: Schemas): ApiField[] =>
  fieldsOf(schema, schemas).flatMap((field) => [
    toField(field),
    ...(field.schema.properties === undefined ? [] : apiFields(field.schema, schemas)).map((inner) => ({
      ...inner,
      name: `${field.name}.${inner.name}`,
    })),
  ]);

const FORMATS: Readonly<Record<string, string>> = {
  date: 'a day, such as 2026-11-01',
  'date-time': 'a time, ISO 8601',
  uri: 'a URL',
  uuid: 'a UUID',
};

/** A type with its range, in words: `array of Tweet`, `integer, 1 to 100`. */
function typeParts(schema: JsonSchema): TypePart[] {
  if (schema.$ref !== undefined) return [{ object: nameIn(schema.$ref) }];
  if (schema.anyOf !== undefined)
    return schema.anyOf.flatMap((each, at) => (at === 0 ? [] : [' or ']).concat(typeParts(each) as never));
  const bounds = boundsOf(schema);
  if (schema.type === 'array') {
    return ['array of ', ...typeParts(schema.items ?? {}), ...(bounds === '' ? [] : [`, ${bounds} items`])];
  }
  const format = FORMATS[schema.format ?? ''];
  return [[[schema.type].flat().join(' or '), bounds || format || lengthOf(schema)].filter(Boolean).join(', ')];
}

const lengthOf = ({ maxLength }: JsonSchema): string =>
  maxLength === undefined ? '' : `at most ${maxLength.toLocaleString('en-US')} characters`;

type Schemas = OpenapiDocument['components']['schemas'];

const isOwn = ({ name }: ApiField): boolean => name === 'data' || name === 'estimate';

/** The forms of the successful response, and every object in them. */
function responseObjects({ responses }: ApiOperation, schemas: Schemas): Pick<ApiEntry, 'responses' | 'objects'> {
  const success = responses['200'];
  const schema = success && 'content' in success ? success.content?.['application/json']?.schema : undefined;
  const forms = (schema?.anyOf ?? [schema ?? {}])
    .map((form) => toObject(nameIn(form.$ref ?? ''), schemas))
    // The data comes before its cost.
    .map((form) => ({
      ...form,
      fields: form.fields.toSorted((one, other) => Number(isOwn(other)) - Number(isOwn(one))),
    }));
  return { responses: forms, objects: objectsIn(forms, schemas) };
}

function toObject(name: string, schemas: Schemas): ApiObject {
  const schema = schemas[name];
  if (schema === undefined) throw new TypeError(`The document has no schema ${name}.`);
  return { name, description: schema.description ?? '', fields: apiFields(schema, schemas) };
}

/** All objects that the fields refer to, directly or through other objects, each once. */
function objectsIn(forms: readonly ApiObject[], schemas: Schemas): ApiObject[] {
  const found = new Map<string, ApiObject>();
  const visit = ({ fields }: ApiObject): void => {
    for (const part of fields.flatMap(({ type }) => type)) {
      if (typeof part === 'string' || found.has(part.object)) continue;
      const object = toObject(part.object, schemas);
      found.set(part.object, object);
      visit(object);
    }
  };
  forms.forEach(visit);
  return [...found.values()];
}

function toApiAnswer(status: string, { description, content, 'x-codes': codes = [] }: ApiResponse): ApiAnswer {
  const examples = Object.entries(content?.['application/json']?.examples ?? {});
  return {
    ...{ status, description, codes },
    examples: examples.map(([name, { summary, value }]) => ({
      label: summary ?? name,
      text: JSON.stringify(value, null, 2),
    })),
  };
}
