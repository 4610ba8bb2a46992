/** The tools of the suite, one a row: what it is, how it is run, and what its users have to set. */

export interface Row {
  readonly name: string;
  readonly kind: 'REST' | 'OpenAPI' | 'GraphQL' | 'agents' | 'proxy' | 'other';
  /** The folder of room/ whose lockfile has its version; CI installs only the first. */
  readonly room: '.' | 'slow';
  /** Its package, or a program on the machine. */
  readonly from: { readonly package: string } | { readonly program: string; readonly version: readonly string[] };
  /** Commands that run first, such as a generator. They and `run` are started in the room. */
  readonly make: readonly (readonly string[])[];
  /** A module for Node, or a file for the program. */
  readonly run: readonly string[];
  /** Whether it retries a 429 itself, when it is set up as `needs` says. */
  readonly waits: boolean;
  /** Requests a second of its key: so few that a tool that sends twenty has to wait. */
  readonly qps: number;
  /** Whether it reads a profile, two pages and what is not there, as most do. */
  readonly reads: boolean;
  /** What else it says. */
  readonly says: Readonly<Record<string, unknown>>;
  /** For docs/clients.md. */
  readonly needs: string;
}

type Given = Partial<Row> & Pick<Row, 'needs'>;

const LIST = { list: ['lantern_light', 'quay_library'] };

const rest = (name: string, given: Given): Row => ({
  name,
  kind: 'REST',
  room: '.',
  from: { package: name },
  make: [],
  run: ['rest.mjs', name],
  waits: true,
  qps: 10,
  reads: true,
  says: LIST,
  ...given,
});

const installed = (program: string, ...version: string[]): Pick<Row, 'from'> => ({
  from: { program, version: version.length > 0 ? version : ['--version'] },
});

const proxy = (name: string, version: string, needs: string): Row => ({
  ...rest(name, { ...installed(name, version), run: ['proxy.mjs', name], waits: false, needs }),
  kind: 'proxy',
  says: { graphql: 'harbor_obs', tools: 18 },
});

/** A tool that is not a client that reads. */
const other = (name: string, given: Given): Row => ({
  ...rest(name, { waits: false, reads: false, ...given }),
  kind: 'other',
});

const library = (name: string, waits: boolean): Row =>
  rest(name, {
    ...installed('python3', '-c', `import ${name}; print(${name}.__version__)`),
    run: ['python.py', name],
    waits,
    needs: waits ? '[`Retry`](#python) to wait for a 429' : 'nothing; it has no retries',
  });

/** A generator: its program is type-checked with what it made. */
const generator = (name: string, command: readonly string[], given: Given): Row => ({
  ...rest(name, given),
  kind: 'OpenAPI',
  make: [command],
  run: [`typed/${name}.ts`],
  waits: false,
  says: {},
  ...given,
});

/** Persisted queries are asked for once: five requests for four reads. */
const PROBED_ONCE = { requests: 5 };

const graphql = (name: string, given: Given): Row => ({
  ...rest(name, given),
  kind: 'GraphQL',
  run: ['graphql.mjs', name],
  says: PROBED_ONCE,
  ...given,
});

const agent = (name: string, given: Given): Row => ({
  ...rest(name, given),
  kind: 'agents',
  room: 'slow',
  run: ['agents.mjs', name],
  waits: false,
  says: { tools: 18 },
  ...given,
});

export const ROWS: readonly Row[] = [
  rest('axios', { needs: '[`axios-retry`](#repeating-calls) to wait for a 429' }),
  rest('got', { needs: '[what to repeat](#repeating-calls)' }),
  rest('ky', { needs: '[what to repeat](#repeating-calls)' }),
  rest('undici', { needs: '[`RetryAgent`](#repeating-calls) to wait for a 429' }),
  rest('curl', {
    ...installed('curl'),
    qps: 4,
    needs: '[a loop](#curl-and-wget) to wait for a 429',
  }),
  rest('wget', {
    ...installed('wget'),
    qps: 4,
    says: { ...LIST, refusal: 'exit code 8' },
    needs: '[`--retry-on-http-error`](#curl-and-wget) to wait for a 429',
  }),
  library('requests', true),
  library('httpx', false),
  library('aiohttp', false),
  rest('PHP', { ...installed('php'), run: ['http.php'], waits: false, needs: 'nothing; it has no retries' }),
  rest('Ruby', { ...installed('ruby'), run: ['http.rb'], waits: false, needs: 'nothing; it has no retries' }),
  generator('openapi-typescript', ['openapi-typescript', 'openapi.json', '--output', 'made/openapi-typescript.ts'], {
    needs: '`openapi-fetch`',
  }),
  generator('hey-api', ['openapi-ts', '--input', 'openapi.json', '--output', 'made/hey-api'], {
    from: { package: '@hey-api/openapi-ts' },
    needs: '`baseUrl` and the key, by `client.setConfig`',
  }),
  generator('kubb', ['kubb', 'generate'], { from: { package: '@kubb/core' }, needs: '[a configuration](#kubb)' }),
  generator('orval', ['orval', '--config', 'orval.config.cjs'], { needs: '[a configuration](#orval)' }),
  generator('oazapfts', ['oazapfts', 'openapi.json', 'made/oazapfts.ts'], {
    needs: '`defaults.baseUrl` and `defaults.headers`',
  }),
  generator(
    'swagger-typescript-api',
    ['swagger-typescript-api', 'generate', '--path', 'openapi.json', '--output', 'made/swagger-typescript-api'],
    { needs: '`baseUrl` and `baseApiParams`' },
  ),
  generator('openapi-zod-client', ['openapi-zod-client', 'openapi.json', '--output', 'made/openapi-zod-client.ts'], {
    needs: '`@zodios/core` and zod 3; the key as a header of axios',
  }),
  graphql('apollo-4', {
    from: { package: '@apollo/client' },
    needs: '[paging](graphql.md#client-caches), and [a manifest](graphql.md#persisted-operations) if you want one',
  }),
  graphql('apollo-3', { from: { package: 'apollo-client-3' }, needs: 'the same' }),
  graphql('urql', {
    from: { package: '@urql/core' },
    needs: '[parts and paging](graphql.md#client-caches), [retries](graphql.md#retries)',
  }),
  graphql('graphql-request', { waits: false, says: {}, needs: 'nothing; it has no retries' }),
  graphql('graphql-codegen', {
    room: 'slow',
    from: { package: '@graphql-codegen/cli' },
    make: [['graphql-codegen', '--config', 'codegen.cjs']],
    run: ['typed/graphql-codegen.ts'],
    waits: false,
    says: {},
    needs: '[three scalars](#graphql-codegen)',
  }),
  graphql('genql', {
    room: 'slow',
    from: { package: '@genql/cli' },
    make: [['genql', '--schema', '../schema.graphql', '--output', 'made/genql']],
    run: ['typed/genql.ts'],
    waits: false,
    says: {},
    needs: 'nothing',
  }),
  graphql('relay', {
    from: { package: 'relay-runtime' },
    make: [['relay-compiler', 'relay.config.json']],
    run: ['relay.mjs'],
    waits: false,
    says: {},
    needs: '[where ids are](graphql.md#client-caches)',
  }),
  agent('ai', { needs: '`@ai-sdk/mcp`' }),
  agent('langchain', { from: { package: '@langchain/mcp-adapters' }, needs: 'nothing' }),
  agent('openai-agents', {
    from: { package: '@openai/agents' },
    says: { tools: 18, notStrict: [] },
    needs: 'nothing; strict mode takes every tool',
  }),
  agent('genai', { from: { package: '@google/genai' }, says: { tools: 18, empty: [] }, needs: 'nothing' }),
  agent('mcp-remote', { needs: 'the key as `--header`, or nothing to sign in' }),
  proxy('haproxy', '-v', '[two settings](going-to-production.md#proxy)'),
  proxy('nginx', '-v', 'the same'),
  proxy('caddy', 'version', 'the same'),
  other('newman', {
    room: 'slow',
    run: ['newman.mjs'],
    // The receipt of the example does not exist, and this service sells nothing.
    says: {
      refused: ['What one paid request cost and why: 404', 'Opens a hosted checkout page for a credit pack: 503'],
    },
    needs: '[two options of the converter](#postman)',
  }),
  other('promtool', {
    ...installed('promtool'),
    run: ['promtool.mjs'],
    says: { status: 0, complaints: [] },
    needs: 'nothing',
  }),
];
