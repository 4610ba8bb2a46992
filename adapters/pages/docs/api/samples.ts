import type { ApiParameter } from '../../../rest/openapi/types.js';

/** A call as text to copy. */
export interface Sample {
  readonly label: string;
  readonly text: string;
}

interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly id: string;
  readonly baseUrl: string;
  readonly parameters: readonly ApiParameter[];
  /** Values of the required arguments, by name. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The same read in GraphQL. */
  readonly query: string;
  /** The MCP tool of the same read, if there is one. */
  readonly tool: string | undefined;
}

/** The same read in each interface and client. */
export const codeSamples = (call: Call): Sample[] => [
  { label: 'curl', text: curl(call) },
  { label: 'TypeScript', text: typescript(call) },
  { label: 'Python', text: python(call) },
  { label: 'GraphQL', text: graphql(call) },
  ...(call.tool === undefined ? [] : [{ label: 'MCP', text: mcp(call, call.tool) }]),
];

const placed = ({ parameters, args }: Call, place: ApiParameter['in']): [string, unknown][] =>
  parameters.filter((each) => each.in === place && each.name in args).map(({ name }) => [name, args[name]]);

function curl(call: Call): string {
  const path = placed(call, 'path').reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
    call.path,
  );
  const query = placed(call, 'query').map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  const url = `${call.baseUrl}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  const key = 'curl -H "x-api-key: $PERCH_KEY"';
  if (call.method === 'GET') return `${key} \\\n  '${url}'`;
  return `${key} \\\n  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(call.args)}' \\\n  '${url}'`;
}

/** An object literal as people write it in TypeScript. */
const literal = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? `'${value}'` : String(value);
  return `{ ${Object.entries(value)
    .map(([name, each]) => `${name}: ${literal(each)}`)
    .join(', ')} }`;
};

function typescript(call: Call): string {
  const [path, query] = [placed(call, 'path'), placed(call, 'query')];
  const options = {
    ...(path.length > 0 && { path: Object.fromEntries(path) }),
    ...(query.length > 0 && { query: Object.fromEntries(query) }),
    ...(call.method === 'POST' && { body: call.args }),
  };
  const given = Object.keys(options).length > 0 ? `, ${literal(options)}` : '';
  return [
    "import { createPerch } from '@perch/client';",
    '',
    `const perch = createPerch({ baseUrl: '${call.baseUrl}', key: process.env.PERCH_KEY! });`,
    `const answer = await perch.${call.method.toLowerCase()}('${call.path}'${given});`,
  ].join('\n');
}

/** Methods of the Python client are named after the operations. */
export const pythonName = (id: string): string => id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function python({ id, baseUrl, args }: Call): string {
  const given = Object.values(args).map((value) => JSON.stringify(value).replaceAll(',"', ', "'));
  return [
    'import os',
    'from perch_client import Perch',
    '',
    `perch = Perch("${baseUrl}", os.environ["PERCH_KEY"])`,
    `answer = perch.${pythonName(id)}(${given.join(', ')})`,
  ].join('\n');
}

function graphql({ query, args }: Call): string {
  const variables = Object.keys(args).length > 0 ? `# Variables: ${JSON.stringify(args)}\n` : '';
  return `${variables}${query.trim()}`;
}

const mcp = ({ args }: Call, name: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }, null, 2);
