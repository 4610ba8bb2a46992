// A request as text to paste elsewhere. The key is not in it: it is read from PERCH_KEY.

/** The headers that identify the caller. */
const OF_KEY = ['x-api-key', 'authorization'];

export const carriesKey = (headers) => Object.keys(headers).some((name) => OF_KEY.includes(name.toLowerCase()));

const otherHeaders = (headers) =>
  Object.entries(headers).filter(([name]) => ![...OF_KEY, 'content-type'].includes(name.toLowerCase()));

/** In single quotes for a shell, where only the quote itself needs escaping. */
const inShell = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

const inTemplate = (text) => `\`${text.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${')}\``;

const isEmpty = (value) => value === undefined || Object.keys(value).length === 0;

/** JSON leaves out undefined members; empty ones are left out as well. */
const members = ({ query, operationName, variables, extensions = {} }) => {
  const given = Object.fromEntries(Object.entries(extensions).filter(([, value]) => value !== undefined));
  return {
    query,
    ...(operationName !== undefined && { operationName }),
    ...(!isEmpty(variables) && { variables }),
    ...(!isEmpty(given) && { extensions: given }),
  };
};

const asCurl = ({ endpoint, body, headers }) =>
  [
    `curl -s ${inShell(endpoint)}`,
    `-H "x-api-key: $PERCH_KEY"`,
    `-H 'content-type: application/json'`,
    ...otherHeaders(headers).map(([name, value]) => `-H ${inShell(`${name}: ${value}`)}`),
    `--data-raw ${inShell(JSON.stringify(members(body)))}`,
  ].join(' \\\n  ');

function asFetch({ endpoint, body, headers }) {
  const { query, ...rest } = members(body);
  const lines = Object.entries(rest).map(([name, value]) => `    ${name}: ${JSON.stringify(value)},\n`);
  const more = otherHeaders(headers).map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`);
  return `const response = await fetch(${JSON.stringify(endpoint)}, {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    'x-api-key': process.env.PERCH_KEY,
${more.join('')}  },
  body: JSON.stringify({
    query: ${inTemplate(query)},
${lines.join('')}  }),
});
console.log(JSON.stringify(await response.json(), null, 2));`;
}

function asClient({ endpoint, body }) {
  const { query, variables, extensions } = members(body);
  const inputs = [
    'operation',
    ...(variables || extensions ? [JSON.stringify(variables ?? {})] : []),
    ...(extensions ? [JSON.stringify(extensions)] : []),
  ];
  return `import { createPerch, graphql } from '@perch/client';

const perch = createPerch({ baseUrl: ${JSON.stringify(endpoint.replace(/\/graphql$/, ''))}, key: process.env.PERCH_KEY! });
const operation = graphql(${inTemplate(query)});
const { data, errors, credits } = await perch.query(${inputs.join(', ')});
console.log(JSON.stringify(data, null, 2), errors, credits.charged);`;
}

const KINDS = { curl: asCurl, fetch: asFetch, client: asClient };

/** `request`: `{ endpoint, body, headers }`; for the client, a body with one operation. */
export const snippetOf = (kind, request) => `${KINDS[kind](request)}\n`;
