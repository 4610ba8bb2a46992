import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type {
  ApiOperation,
  ApiResponse,
  Header,
  JsonSchema,
  OpenapiDocument,
} from '../../adapters/rest/openapi/types.js';

/** An answer as received. `path` may have a query; `body` is the parsed JSON, or the text of anything else. */
export interface SeenResponse {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly headers: Headers;
  readonly body: unknown;
}

export type ResponseValidator = (seen: SeenResponse) => string[];

/**
 * Checks answers against the document: path, method, status, media type, headers, body, and that the code fits the
 * status. Returns what is wrong, one line each. Stricter than a client may be: undocumented members are faults, too.
 */
export function createResponseValidator(document: OpenapiDocument): ResponseValidator {
  const check = new Schemas(document);
  return (seen) => {
    const found = endpointOf(document, seen);
    if (typeof found === 'string') return [found];
    const response = resolved(document, found.operation.responses[String(seen.status)]);
    const where = `${seen.method} ${found.template} ${seen.status}`;
    if (!response) return [`${where}: the status is not documented`];
    const faults = [...headerFaults(document, check, response, seen), ...bodyFaults(check, response, seen)];
    return faults.map((fault) => `${where}: ${fault}`);
  };
}

const validators = new WeakMap<OpenapiDocument, ResponseValidator>();

/** The same for a document that is used again: its schemas are compiled once. */
export function validateResponse(document: OpenapiDocument, seen: SeenResponse): string[] {
  let validator = validators.get(document);
  if (!validator) {
    validator = createResponseValidator(document);
    validators.set(document, validator);
  }
  return validator(seen);
}

function endpointOf(document: OpenapiDocument, { method, path }: SeenResponse) {
  const [bare = ''] = path.split('?');
  const requestedPath = bare.length > 1 ? bare.replace(/\/$/, '') : bare;
  // A literal path wins over one with names (B14), and is its own template.
  const template =
    requestedPath in document.paths
      ? requestedPath
      : Object.keys(document.paths).find((each) => fits(each, requestedPath));
  const operation = template === undefined ? undefined : document.paths[template]?.[method.toLowerCase()];
  return template !== undefined && operation ? { template, operation } : `${method} ${requestedPath} is not documented`;
}

const fits = (template: string, path: string): boolean =>
  new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);

function headerFaults(document: OpenapiDocument, check: Schemas, response: ApiResponse, { headers }: SeenResponse) {
  return Object.entries(response.headers ?? {}).flatMap(([name, value]) => {
    const header = (
      '$ref' in value ? document.components.headers[value.$ref.split('/').at(-1) ?? ''] : value
    ) as Header;
    const sent = headers.get(name);
    if (sent === null) return header.required ? [`the header ${name} is missing`] : [];
    const isNumber = header.schema.type === 'integer' || header.schema.type === 'number';
    return check.faults(header.schema, isNumber ? Number(sent) : sent).map((fault) => `${name}: ${fault}`);
  });
}

function bodyFaults(check: Schemas, response: ApiResponse, { contentType, body }: SeenResponse): string[] {
  const content = response.content ?? {};
  const type = contentType?.split(';')[0]?.trim() ?? null;
  if (type === null) return Object.keys(content).length > 0 ? ['there is no body'] : [];
  const media = content[type];
  if (!media) return [`${type} is not documented`];
  const faults = check.faults(media.schema, body);
  const code = (body as { error?: { code?: string } } | null)?.error?.code;
  const codes = response['x-codes'];
  if (codes && code !== undefined && !codes.includes(code)) faults.push(`${code} does not go with this status`);
  return faults;
}

function resolved(document: OpenapiDocument, response: ApiOperation['responses'][string] | undefined) {
  if (!response || !('$ref' in response)) return response;
  return document.components.responses[response.$ref.split('/').at(-1) ?? ''];
}

/** The document's schemas, each compiled when first used. */
class Schemas {
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: OpenapiDocument) {
    this.#ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema({ $id: 'perch:', components: { schemas: closed(document.components.schemas) } });
  }

  faults(schema: JsonSchema, value: unknown): string[] {
    const key = JSON.stringify(schema);
    let validate = this.#compiled.get(key);
    if (!validate) {
      validate = this.#ajv.compile(JSON.parse(key.replaceAll('"$ref":"#', '"$ref":"perch:#')) as object);
      this.#compiled.set(key, validate);
    }
    return validate(value) ? [] : (validate.errors ?? []).map(shown);
  }
}

const shown = ({ instancePath, message, params }: ErrorObject): string =>
  `${instancePath === '' ? 'the body' : instancePath} ${message} ${JSON.stringify(params)}`;

/** Allows no members beyond the named ones, except in schemas that others are made of (`allOf`). */
function closed(schemas: OpenapiDocument['components']['schemas']): Record<string, unknown> {
  const parts = new Set(Object.values(schemas).flatMap(({ allOf = [] }) => allOf.map(({ $ref }) => $ref)));
  const entries = Object.entries(schemas).map(([name, schema]) => {
    const isWhole = schema.allOf ?? (schema.properties && !parts.has(`#/components/schemas/${name}`));
    return [name, isWhole ? { ...schema, unevaluatedProperties: false } : schema];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}
