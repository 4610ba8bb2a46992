import type { ApiOperation, ApiParameter, JsonSchema, OpenapiDocument } from '../openapi/types.js';

/** A parameter with its example value. Parameters that are not required are included, but switched off. */
export interface RequestParameter {
  readonly name: string;
  readonly in: ApiParameter['in'];
  readonly value: string;
  readonly description: string;
  readonly isSent: boolean;
}

/** An operation as a request that can be sent unchanged. */
export interface ExampleRequest {
  readonly name: string;
  readonly description: string;
  readonly method: string;
  /** Parameters in braces, as in the document. */
  readonly path: string;
  readonly parameters: readonly RequestParameter[];
  /** JSON, indented; null without a body. */
  readonly body: string | null;
  readonly needsKey: boolean;
  /** Whether it opens a checkout or changes a watch. A run of the whole collection then skips it. */
  readonly isChange: boolean;
}

/** The variable of both collections with which requests that change something are not skipped. */
export const SEND_CHANGES = 'sendChanges';

export interface Folder {
  readonly name: string;
  readonly description: string;
  readonly requests: readonly ExampleRequest[];
}

/** Streams are left out: they never end, and a runner that sends requests one after another would wait forever. */
const isStream = ({ responses }: ApiOperation): boolean =>
  JSON.stringify(responses['200']).includes('text/event-stream');

/** The operations of the document, by tag: what Postman and Bruno show as folders. */
export const requestFolders = (document: OpenapiDocument): Folder[] =>
  document.tags.map(({ name, description }) => ({
    name,
    description,
    requests: Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => operation.tags[0] === name && !isStream(operation))
        .map(([method, operation]) => exampleRequest(document, path, method, operation)),
    ),
  }));

function exampleRequest(
  { components }: OpenapiDocument,
  path: string,
  method: string,
  { summary, description, parameters = [], requestBody, security, 'x-price': price }: ApiOperation,
): ExampleRequest {
  const body = requestBody?.content['application/json']?.example;
  const isChange = method === 'post' && price === undefined;
  return {
    name: summary,
    description: [
      description,
      ...(price === undefined ? [] : [`Credits per item: ${price.credits}.`]),
      ...(isChange ? [`Skipped unless the variable ${SEND_CHANGES} is true.`] : []),
    ].join('\n\n'),
    method: method.toUpperCase(),
    path,
    parameters: parameters.map((each) => requestParameter(resolved(each, components.parameters))),
    body: body === undefined ? null : JSON.stringify(body, null, 2),
    needsKey: security?.length !== 0,
    isChange,
  };
}

const requestParameter = ({ name, in: place, required, description, schema, example }: ApiParameter) => ({
  name,
  in: place,
  value: valueText(example ?? schema.default ?? ''),
  description: described(description, schema),
  isSent: required === true,
});

/** Lists are sent with commas, as the document says (`explode: false`). */
const valueText = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value));

const described = (description: string, { enum: values }: JsonSchema): string =>
  values === undefined ? description : `${description} One of ${values.join(', ')}.`;

function resolved(
  parameter: ApiParameter | { readonly $ref: string },
  all: OpenapiDocument['components']['parameters'],
) {
  if (!('$ref' in parameter)) return parameter;
  const found = all[parameter.$ref.slice(parameter.$ref.lastIndexOf('/') + 1)];
  if (found === undefined) throw new TypeError(`${parameter.$ref} is not in the document.`);
  return found;
}
