import { TOOLS } from '../../../mcp/tools.js';
import type {
  ApiOperation,
  ApiParameter,
  ApiResponse,
  OpenapiDocument,
  PriceNote,
} from '../../../rest/openapi/types.js';
import { ROUTES } from '../../../rest/routes.js';
import { codeSamples, type Sample } from './samples.js';

/** An answer of one status, with an example of each of its codes. */
export interface ApiAnswer {
  readonly status: string;
  readonly description: string;
  readonly examples: readonly { readonly label: string; readonly text: string }[];
}

/** An operation as its page shows it. */
export interface ApiEntry {
  readonly id: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly price: PriceNote | null;
  readonly parameters: readonly ApiParameter[];
  readonly answers: readonly ApiAnswer[];
  readonly samples: readonly Sample[];
  /** An example of the body, as JSON; null if it has none. */
  readonly body: string | null;
  /** Whether the page can send it: every read. What buys something is for a program that can follow it up. */
  readonly isSendable: boolean;
}

export interface ApiSources {
  readonly document: OpenapiDocument;
  /** Texts of the persisted operations, by name. */
  readonly operations: Readonly<Record<string, string>>;
  /** Without a slash at the end. */
  readonly baseUrl: string;
}

/** Every operation of `/v1`, in the order of the routes. */
export function apiEntries({ document, operations, baseUrl }: ApiSources): ApiEntry[] {
  return ROUTES.map(({ method, path, operation: name }) => {
    const operation = document.paths[path]?.[method.toLowerCase()];
    if (operation === undefined) throw new TypeError(`${method} ${path} is not in the document.`);
    const parameters = (operation.parameters ?? []).map((each) => resolved(each, document.components.parameters));
    const tool = TOOLS.find((row) => row.operation === name)?.name;
    const query = operations[name] ?? '';
    const args = exampleArguments(operation, parameters);
    return {
      id: operation.operationId,
      method,
      path,
      tag: operation.tags[0] ?? '',
      summary: operation.summary,
      description: operation.description,
      price: operation['x-price'] ?? null,
      parameters,
      answers: Object.entries(operation.responses).map(([status, answer]) =>
        toApiAnswer(status, resolved(answer, document.components.responses)),
      ),
      samples: codeSamples({ method, path, id: operation.operationId, baseUrl, parameters, args, query, tool }),
      body: method === 'POST' ? JSON.stringify(args, null, 2) : null,
      isSendable: method === 'GET' || operation['x-price'] !== undefined,
    };
  });
}

function resolved<T extends object>(part: T | { readonly $ref: string }, named: Readonly<Record<string, T>>): T {
  if (!('$ref' in part)) return part as T;
  const name = String(part.$ref).split('/').at(-1) ?? '';
  const found = named[name];
  if (found === undefined) throw new TypeError(`${part.$ref} is not in the document.`);
  return found;
}

/** What an example call sends: the required arguments, or the body. */
function exampleArguments(operation: ApiOperation, parameters: readonly ApiParameter[]): Record<string, unknown> {
  const body = operation.requestBody?.content['application/json']?.example as Record<string, unknown> | undefined;
  const required = parameters.filter((each) => each.required);
  return { ...Object.fromEntries(required.map(({ name, example }) => [name, example])), ...body };
}

function toApiAnswer(status: string, { description, content }: ApiResponse): ApiAnswer {
  const examples = Object.entries(content?.['application/json']?.examples ?? {});
  return {
    status,
    description,
    examples: examples.map(([name, { summary, value }]) => ({
      label: summary ?? name,
      text: JSON.stringify(value, null, 2),
    })),
  };
}
