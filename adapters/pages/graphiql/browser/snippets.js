// Writes a request as a text to paste elsewhere. The text does not contain the key, but reads it from PERCH_KEY.

/** The headers that identify the caller. */
const OF_KEY = ['x-api-key', 'authorization'];

export const carriesKey = (headers) => Object.keys(headers).some((name) => OF_KEY.includes(name.toLowerCase()));

const otherHeaders = (headers) =>
  Object.entries(headers).filter(([name]) => ![...OF_KEY, 'content-type', 'accept'].includes(name.toLowerCase()));

/** In single quotes for a shell, in which only the quote itself needs escaping. */
const inShell = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

const inTemplate = (text) => `\`${text.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${')}\``;

/** What a subscription is answered with. */
const STREAM = 'text/event-stream';

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

/** Sent as a form, because in JSON the query would be a single line. */
const asCurl = ({ endpoint, body, headers, isStream }) =>
  [
    `curl ${isStream ? '-sN' : '-s'} ${inShell(endpoint)}`,
    `-H "x-api-key: $PERCH_KEY"`,
    ...(isStream ? [`-H ${inShell(`accept: ${STREAM}`)}`] : []),
    ...otherHeaders(headers).map(([name, value]) => `-H ${inShell(`${name}: ${value}`)}`),
    ...Object.entries(members(body)).map(
      ([name, value]) =>
        `--data-urlencode ${inShell(`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)}`,
    ),
  ].join(' \\\n  ');

/** A value of JSON as Python writes it. */
function inPython(value) {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(inPython).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const rows = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${inPython(each)}`);
  return `{${rows.join(', ')}}`;
}

const inTripleQuotes = (text) => `"""\n${text.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"')}\n"""`;

function asPython({ endpoint, body, headers, isStream }) {
  const { query, ...rest } = members(body);
  const more = otherHeaders(headers).map(([name, value]) => `        ${inPython(name)}: ${inPython(value)},\n`);
  const lines = Object.entries(rest).map(([name, value]) => `    "${name}": ${inPython(value)},\n`);
  return `import json
import os
import urllib.error
import urllib.request

query = ${inTripleQuotes(query)}
body = {
    "query": query,
${lines.join('')}}
request = urllib.request.Request(
    ${inPython(endpoint)},
    data=json.dumps(body).encode(),
    headers={
        "content-type": "application/json",
        "x-api-key": os.environ["PERCH_KEY"],
${isStream ? `        "accept": "${STREAM}",\n` : ''}${more.join('')}    },
)
try:
    response = urllib.request.urlopen(request)
except urllib.error.HTTPError as refusal:
    response = refusal
${isStream ? 'for line in response:\n    print(line.decode(), end="", flush=True)' : 'print(json.dumps(json.load(response), indent=2, ensure_ascii=False))'}`;
}

function asFetch({ endpoint, body, headers, isStream }) {
  const { query, ...rest } = members(body);
  const lines = Object.entries(rest).map(([name, value]) => `    ${name}: ${JSON.stringify(value)},\n`);
  const more = otherHeaders(headers).map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`);
  return `const response = await fetch(${JSON.stringify(endpoint)}, {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    'x-api-key': process.env.PERCH_KEY,
${isStream ? `    accept: '${STREAM}',\n` : ''}${more.join('')}  },
  body: JSON.stringify({
    query: ${inTemplate(query)},
${lines.join('')}  }),
});
${
  isStream
    ? 'for await (const text of response.body.pipeThrough(new TextDecoderStream())) process.stdout.write(text);'
    : 'console.log(JSON.stringify(await response.json(), null, 2));'
}`;
}

/** Throws an error with a message for the reader if the operation is a subscription. */
function asClient({ endpoint, clientPackage, body, headers, isStream }) {
  if (isStream) throw new Error('The TypeScript client does not follow subscriptions: copy this one as fetch.');
  const { query, variables, extensions } = members(body);
  const inputs = [
    'operation',
    ...(variables || extensions ? [JSON.stringify(variables ?? {})] : []),
    ...(extensions ? [JSON.stringify(extensions)] : []),
  ];
  const more = otherHeaders(headers).map(
    ([name, value]) => `  request.headers.set(${JSON.stringify(name)}, ${JSON.stringify(String(value))});\n`,
  );
  const send = `const send = (request: Request) => {\n${more.join('')}  return fetch(request);\n};\n`;
  const [sending, sent] = more.length === 0 ? ['', ''] : [send, ', fetch: send'];
  return `// npm install ${clientPackage}
import { createPerch, graphql } from '@perch/client';

${sending}const perch = createPerch({ baseUrl: ${JSON.stringify(endpoint.replace(/\/graphql$/, ''))}, key: process.env.PERCH_KEY!${sent} });
const operation = graphql(${inTemplate(query)});
const { data, errors, credits } = await perch.query(${inputs.join(', ')});
console.log(JSON.stringify(data, null, 2), errors, credits.charged);`;
}

const A_KEY = /perch_(?:live|test)_[0-9A-Za-z]{32}/;

/**
 * An address that opens the page with this query. Browsers do not send the part after `#` to the server. Throws an
 * error with a message for the reader if the query or its variables contain a key.
 */
function asLink({ endpoint, body: { query, variables } }) {
  const given = { query, ...(!isEmpty(variables) && { variables: JSON.stringify(variables) }) };
  if (A_KEY.test(JSON.stringify(given)))
    throw new Error('The query or its variables contain a key, which a link would give away.');
  return `${endpoint}#${new URLSearchParams(given)}`;
}

/**
 * The query of a link: `{ query, variables }` as texts, or null. Also reads `?`, which other pages use to link here.
 */
export function linked({ hash, search }) {
  for (const text of [hash.slice(1), search]) {
    const asked = new URLSearchParams(text);
    if (asked.get('query')) return { query: asked.get('query'), variables: asked.get('variables') ?? '' };
  }
  return null;
}

const KINDS = { curl: asCurl, fetch: asFetch, python: asPython, client: asClient, link: asLink };

/**
 * `request`: `{ endpoint, clientPackage, body, headers, isStream }`; for the client, the body must have one operation.
 * `isStream`: whether that is a subscription.
 */
export const snippetOf = (kind, request) => KINDS[kind](request) + (kind === 'link' ? '' : '\n');
