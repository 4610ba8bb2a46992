import { openapiDocument } from '../../adapters/rest/openapi/document.js';
import { boundsOf, fieldsOf, nameIn } from '../../adapters/rest/openapi/fields.js';
import type {
  ApiOperation,
  ApiParameter,
  ApiResponse,
  JsonSchema,
  OpenapiDocument,
  Reference,
} from '../../adapters/rest/openapi/types.js';
import { schema } from '../../schema/index.js';
import { readOperations } from '../../schema/operations.js';
import { tableText } from './parts.js';

const ADDRESS = 'http://127.0.0.1:4000';

const HEAD = `# REST reference

Every endpoint, generated from the OpenAPI 3.1 document, which also has the headers, examples and every field of every response.
It is at \`/openapi.yaml\`, in a form for generators of clients, which leaves out the parameter \`estimate\`; all of it is at
\`/openapi.yaml?estimates=true\`. Send the key as \`x-api-key\` or as \`Authorization: Bearer\`.

\`\`\`sh
curl -s -H "x-api-key: $PERCH_KEY" http://127.0.0.1:4000/v1/users/harbor_obs # 1 credit
curl -s -H "x-api-key: $PERCH_KEY" "http://127.0.0.1:4000/v1/users/harbor_obs/tweets?count=5" # 5 credits
curl -s -H "x-api-key: $PERCH_KEY" -H 'Content-Type: application/json' http://127.0.0.1:4000/v1/users/batch -d '{"handles": ["harbor_obs", "lantern_light"]}' # 1.5 credits
\`\`\`

Prices are credits per item: uncached, cached, and with \`fresh=true\`. [Pricing](pricing.md), [cursors](cursors.md) and
[errors](errors.md) have pages of their own.

Searches take the network's operators: \`from:\` \`to:\` \`since:\` \`until:\` \`min_faves:\` \`filter:media\` \`-filter:replies\`
\`"a phrase"\` \`OR\` \`( )\` and [more, by network](search.md#operators). An invalid query is answered with 400 and the position of the mistake.
`;

const isReference = (value: object): value is Reference => '$ref' in value;

/** A type in one or two words. */
function typeOf(value: JsonSchema): string {
  if (value.$ref) return `[${nameIn(value.$ref)}](#${nameIn(value.$ref).toLowerCase()})`;
  if (value.anyOf) return value.anyOf.map(typeOf).join(' or ');
  if (value.type === 'array') return `list of ${value.items ? typeOf(value.items) : 'anything'}`;
  if (value.enum) return value.enum.map((each) => `\`${each}\``).join(', ');
  return [value.type].flat().filter(Boolean).join(' or ');
}

const bounded = (value: JsonSchema): string => {
  const bounds = boundsOf(value);
  return bounds === '' ? '' : `, ${bounds}`;
};

const parameterRow = ({ name, in: place, required, schema: value, description }: ApiParameter): string[] => [
  `\`${name}\``,
  place,
  `${typeOf(value)}${bounded(value)}`,
  value.default === undefined ? (required ? 'required' : '') : `\`${String(value.default)}\``,
  description,
];

/** `Price per item: 1, cached 0.5, fresh 2.`, or nothing if the description already says that it is free. */
function priceText({ 'x-price': price, description }: ApiOperation): string {
  const fresh = price?.fresh === undefined ? '' : `, fresh ${price.fresh}`;
  if (price) return `Price per item: ${price.credits}, cached ${price.hit}${fresh}.`;
  return /\bFree\b/.test(description) ? '' : 'Free.';
}

function answerText({ responses }: ApiOperation): string {
  const answer = responses['200'] as ApiResponse;
  const [media] = Object.values(answer.content ?? {});
  const failures = Object.keys(responses).filter((status) => Number(status) >= 400);
  const lead = media && (media.schema.$ref || media.schema.anyOf) ? `Response: ${typeOf(media.schema)}. ` : '';
  return failures.length === 0 ? lead.trim() : `${lead}Failures: ${failures.join(', ')}.`;
}

const isCount = ({ name }: ApiParameter): boolean => name === 'count';

/** The anchor of an endpoint's heading. */
const placeOf = (endpoint: string): string =>
  endpoint
    .toLowerCase()
    .replaceAll(/[^a-z0-9 _]/g, '')
    .replaceAll(' ', '-');

class Page {
  readonly #document: OpenapiDocument;

  constructor(document: OpenapiDocument) {
    this.#document = document;
  }

  #parameter(given: ApiParameter | Reference): ApiParameter {
    if (!isReference(given)) return given;
    const found = this.#document.components.parameters[nameIn(given.$ref)];
    if (!found) throw new TypeError(`There is no ${given.$ref}.`);
    return found;
  }

  operation(method: string, path: string, operation: ApiOperation): string {
    const rows = (operation.parameters ?? []).map((given) => parameterRow(this.#parameter(given)));
    const [body] = Object.values(operation.requestBody?.content ?? {});
    return [
      `### ${method.toUpperCase()} ${path}`,
      // The OpenAPI document refers to itself in this way.
      operation.description.trim().replace(/^This document\b/, 'The OpenAPI document'),
      ...(path.startsWith('/v1/') ? [priceText(operation)] : []),
      ...(rows.length > 0 ? [tableText(['Parameter', 'In', 'Type', 'Default', 'Description'], rows)] : []),
      ...(body ? [`Body: ${typeOf(body.schema)}.`] : []),
      answerText(operation),
    ]
      .filter((part) => part !== '')
      .join('\n\n');
  }

  /** The endpoints of a tag. */
  section({ name, description }: { readonly name: string; readonly description: string }): string {
    const operations = Object.entries(this.#document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { tags }]) => tags.includes(name))
        .map(([method, operation]) => this.operation(method, path, operation)),
    );
    return [`## Endpoints: ${name}`, description, ...operations].join('\n\n');
  }

  /** Every endpoint of `/v1` in one table. */
  glance(): string {
    const rows = Object.entries(this.#document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) => {
        if (!path.startsWith('/v1/')) return [];
        const endpoint = `${method.toUpperCase()} ${path}`;
        const price = operation['x-price']?.credits;
        const count = (operation.parameters ?? []).map((given) => this.#parameter(given)).find(isCount)?.schema;
        const size = count ? `${count.default}, at most ${count.maximum}` : '';
        return [[`[\`${endpoint}\`](#${placeOf(endpoint)})`, operation.summary, String(price ?? 'free'), size]];
      }),
    );
    return ['## At a glance', tableText(['Endpoint', 'Returns', 'Credits per item', '`count`'], rows)].join('\n\n');
  }

  objects(): string {
    const { schemas } = this.#document.components;
    const parts = Object.entries(schemas).map(([name, value]) => {
      const rows = fieldsOf(value, schemas).map((member) => [
        `\`${member.name}\``,
        typeOf(member.schema),
        member.required ? 'always' : '',
        member.schema.description ?? '',
      ]);
      const said = value.description ?? '';
      const table = rows.length > 0 ? tableText(['Field', 'Type', 'Present', 'Description'], rows) : typeOf(value);
      return [`### ${name}`, said.trim(), table].filter((part) => part !== '').join('\n\n');
    });
    return ['## Objects', 'Unknown values are omitted. Ignore fields you do not know.', ...parts].join('\n\n');
  }
}

/** docs/rest.md, generated from the OpenAPI document; the same on every run. */
export function restPage(): string {
  const document = openapiDocument({ schema, operations: readOperations(), baseUrl: ADDRESS, authUrl: ADDRESS });
  const page = new Page(document);
  return `${[HEAD.trim(), page.glance(), ...document.tags.map((tag) => page.section(tag)), page.objects()].join('\n\n')}\n`;
}
