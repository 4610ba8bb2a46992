import { type GraphQLSchema, parse } from 'graphql';
import { VERSION } from '../../../src/domain/version.js';
import { deriveEndpoint } from '../parameters.js';
import { ROUTES } from '../routes.js';
import { type Source, TAGS, v1Paths } from './endpoints.js';
import { Envelopes } from './envelopes.js';
import { ERROR_SCHEMAS } from './errors.js';
import { REQUEST_ID } from './examples.js';
import { failureResponses } from './failures.js';
import { HEADERS } from './headers.js';
import { BUDGET_PARAMETERS } from './inputs.js';
import { keylessPaths } from './keyless.js';
import { KEYLESS_SCHEMAS } from './keyless-schemas.js';
import { livePaths } from './live.js';
import { Selections } from './selections.js';
import type { OpenapiDocument } from './types.js';

export interface OpenapiOptions {
  readonly schema: GraphQLSchema;
  /** Texts of the persisted operations, by name. */
  readonly operations: Readonly<Record<string, string>>;
  /** Public addresses, without a slash at the end. */
  readonly baseUrl: string;
  readonly authUrl: string;
}

const DESCRIPTION = `Read-only access to public data of a social network: profiles, tweets, timelines, threads, replies, quotes,
retweeters, followers, following and search.

**Price.** One credit buys one tweet or one profile; \`x-price\` is the price per item on each endpoint. Cached items cost half
(\`cache: hit\`), \`fresh=true\` doubles the price. Empty results and failed requests are free. \`estimate=true\` returns the maximum
price of a call in place of \`data\` (described in \`/openapi.yaml?estimates=true\`), \`max_credits\` limits it.

**Pages** hold exactly \`count\` items while that many remain. A page without \`next_cursor\` is the last.

**Failures** all have the same shape. Match on \`error.code\`. With \`Accept: application/problem+json\` they are RFC 9457.

**Versions.** \`/v1\` only ever gains fields and endpoints: ignore fields you do not know.
`;

/** The interface as an OpenAPI 3.1 document (section 9.5), derived from the code so that no fact is written twice. */
export function openapiDocument({ schema, operations, baseUrl, authUrl }: OpenapiOptions): OpenapiDocument {
  const sources = collectSources(schema, operations);
  const selections = new Selections(
    schema,
    [...sources.values()].map(({ document }) => document),
  );
  const envelopes = new Envelopes(selections);
  const paths = { ...v1Paths({ selections, envelopes, sources }), ...livePaths(), ...keylessPaths(baseUrl) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Perch',
      version: VERSION,
      summary: 'Read-only, credit-metered social data.',
      description: DESCRIPTION,
      contact: { name: 'Perch', url: `${baseUrl}/` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }, { bearer: [] }, { oauth2: ['read'] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { ...selections.components, ...ERROR_SCHEMAS, ...KEYLESS_SCHEMAS },
      responses: failureResponses(baseUrl, REQUEST_ID),
      parameters: BUDGET_PARAMETERS,
      headers: HEADERS,
      securitySchemes: securitySchemes(authUrl),
    },
  };
}

/** The document as published YAML. */
export async function openapiYaml(document: OpenapiDocument): Promise<string> {
  // Only this function needs the library, so it is loaded when the document is first requested.
  const { stringify } = await import('yaml');
  return stringify(document, {
    aliasDuplicateObjects: false,
    blockQuote: 'literal',
    // Quotes dates, which YAML 1.1 readers would otherwise take for timestamps.
    compat: 'yaml-1.1',
    lineWidth: 120,
  });
}

/** The operations that routes run, in the order of the routes. */
function collectSources(schema: GraphQLSchema, operations: OpenapiOptions['operations']): Map<string, Source> {
  const sources = new Map<string, Source>();
  for (const { operation: name } of ROUTES) {
    const text = operations[name];
    if (text !== undefined) sources.set(name, { ...deriveEndpoint(schema, text), document: parse(text) });
  }
  return sources;
}

/** Section 5: a key in either header, or one that a user granted to an OAuth client. */
function securitySchemes(authUrl: string): object {
  const tokenUrl = `${authUrl}/api/oauth/token`;
  const scopes = { read: 'All reads. There is no other scope.' };
  return {
    apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key.' },
    bearer: { type: 'http', scheme: 'bearer', description: 'The same key, as `Authorization: Bearer`.' },
    oauth2: {
      type: 'oauth2',
      description: 'Authorization code with PKCE. The client receives an ordinary API key.',
      flows: {
        authorizationCode: {
          authorizationUrl: `${authUrl}/oauth/authorize`,
          tokenUrl,
          refreshUrl: tokenUrl,
          scopes,
        },
      },
    },
  };
}
