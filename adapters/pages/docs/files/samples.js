// Writes a call as a text to copy, in each language. The service uses it to write the samples of a page, and the page
// to update them when its form changes. Samples never contain a key; they read it from PERCH_KEY.

/** Columns; a longer address is split into parts. */
const WIDTH = 76;

/** In single quotes for a shell, in which only the quote itself needs escaping. */
const inShell = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/** In single quotes, as PHP and Ruby write a string. */
const single = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** In single quotes, with JSON's escapes for line breaks and similar characters. */
const inJavaScript = (text) =>
  `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/\\(.)/g, (written, sign) => (sign === '"' ? sign : written))
    .replaceAll("'", "\\'")}'`;

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The given values of the parameters in one place (path, query or header), by name. */
const placed = ({ parameters }, values, place) =>
  Object.fromEntries(
    parameters
      .filter((each) => each.in === place && values[each.name] !== undefined)
      .map(({ name }) => [name, values[name]]),
  );

/** Leaves colons, commas and `@` unencoded: a query may contain them, and is easier to read. */
const encoded = (value) => encodeURIComponent(String(value)).replaceAll(/%(?:3A|2C|40)/g, decodeURIComponent);

/** The address of a call: what comes before the query, and the pairs of the query. */
export function addressOf(call, values) {
  const path = Object.entries(placed(call, values, 'path')).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
    call.path,
  );
  const query = Object.entries(placed(call, values, 'query'));
  return { path, query: query.map(([name, value]) => `${name}=${encoded(value)}`) };
}

/** The whole address as one string, or, if it is long, as several strings joined with `plus`. */
function quotedAddress(call, values, quote, plus) {
  const { path, query } = addressOf(call, values);
  const address = `${call.baseUrl}${path}`;
  const whole = query.length > 0 ? `${address}?${query.join('&')}` : address;
  if (whole.length <= WIDTH - 16 || query.length === 0) return quote(whole);
  return [address, ...query.map((pair, at) => `${at === 0 ? '?' : '&'}${pair}`)].map(quote).join(plus);
}

/** JSON on one line, or on several if it is long. */
const jsonOf = (value) => {
  const line = JSON.stringify(value);
  return line.length <= WIDTH ? line : JSON.stringify(value, null, 2);
};

function curl(call, values, body) {
  const { path, query } = addressOf(call, values);
  const address = `${call.baseUrl}${path}`;
  const whole = query.length > 0 ? `${address}?${query.join('&')}` : address;
  const isLong = whole.length > WIDTH;
  const parts = [
    `curl ${isLong && body === null ? '-G ' : ''}-H "x-api-key: $PERCH_KEY"`,
    ...(body === null ? [] : [`-H 'Content-Type: application/json'`, `-d ${inShell(jsonOf(body))}`]),
  ];
  if (!isLong || body !== null) return [...parts, inShell(whole)].join(' \\\n  ');
  const given = Object.entries(placed(call, values, 'query'));
  const pairs = given.map(([name, value]) => `--data-urlencode ${inShell(`${name}=${value}`)}`);
  return [...parts, inShell(address), ...pairs].join(' \\\n  ');
}

/** A literal as people write it; `words` describes how the language writes its parts. */
function literal(value, words, indent = '') {
  if (value === null) return words.none;
  if (typeof value === 'string') return words.text(value);
  if (typeof value !== 'object') return words.plain?.(value) ?? String(value);
  const deeper = `${indent}${words.indent}`;
  const parts = Array.isArray(value)
    ? value.map((each) => literal(each, words, deeper))
    : Object.entries(value).map(([name, each]) => words.pair(name, literal(each, words, deeper)));
  const [open, close] = Array.isArray(value) ? words.list : words.map;
  const inner = isObject(value) && words.spaced ? ' ' : '';
  const line = `${open}${inner}${parts.join(', ')}${inner}${close}`;
  if (parts.length === 0) return `${open}${close}`;
  if (indent.length + line.length <= WIDTH - 16) return line;
  return `${open}\n${parts.map((part) => `${deeper}${part},\n`).join('')}${indent}${close}`;
}

const isName = (name) => /^[A-Za-z_]\w*$/.test(name);

const TYPESCRIPT = {
  ...{ none: 'null', text: inJavaScript, list: '[]', map: '{}', spaced: true, indent: '  ' },
  pair: (name, value) => `${isName(name) ? name : inJavaScript(name)}: ${value}`,
};

/** The client takes the parameters of an estimate in its query, even those of a batch's body. */
function typescript(call, values, body) {
  const { estimate, ...given } = values;
  const query = { ...placed(call, given, 'query'), ...(estimate === true && body) };
  const path = placed(call, values, 'path');
  const options = {
    ...(Object.keys(path).length > 0 && { path }),
    ...(Object.keys(query).length > 0 && { query }),
    ...(body !== null && estimate !== true && { body }),
  };
  const input = Object.keys(options).length > 0 ? `, ${literal(options, TYPESCRIPT)}` : '';
  const method = estimate === true ? 'estimate' : call.method.toLowerCase();
  return [
    "import { createPerch } from '@perch/client';",
    '',
    'const perch = createPerch({',
    `  baseUrl: ${inJavaScript(call.baseUrl)},`,
    '  key: process.env.PERCH_KEY!,',
    '});',
    `const answer = await perch.${method}(${inJavaScript(call.path)}${input});`,
    'console.log(answer);',
  ].join('\n');
}

/** The Python client names its methods after the operations, and their arguments after the parameters. */
const pythonName = (id) => id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const PYTHON = {
  ...{ none: 'None', text: JSON.stringify, list: '[]', map: '{}', indent: '    ' },
  plain: (value) => (value === true ? 'True' : value === false ? 'False' : String(value)),
  pair: (name, value) => `${JSON.stringify(name)}: ${value}`,
};

function python(call, values, body) {
  const given = { ...placed(call, values, 'path'), ...placed(call, values, 'query'), ...body };
  const isRequired = (name) => call.parameters.some((each) => each.name === name && each.required);
  const required = Object.entries(given).filter(([name]) => isRequired(name));
  const optional = Object.entries(given).filter(([name]) => !isRequired(name));
  const args = [...required, ...optional].map(([name, value]) => {
    const text = literal(value, PYTHON, '    ');
    return isRequired(name) ? text : `${name === 'from' ? 'from_' : name}=${text}`;
  });
  const line = `answer = perch.${pythonName(call.id)}(${args.join(', ')})`;
  return [
    'import os',
    'from perch_client import Perch',
    '',
    `perch = Perch(${JSON.stringify(call.baseUrl)}, os.environ["PERCH_KEY"])`,
    line.length <= WIDTH
      ? line
      : `answer = perch.${pythonName(call.id)}(\n${args.map((arg) => `    ${arg},\n`).join('')})`,
    'print(answer)',
  ].join('\n');
}

/** A Go string; a raw one if that is possible and saves escapes. */
const inGo = (text) => (text.includes('"') && !text.includes('`') ? `\`${text}\`` : JSON.stringify(text));

function go(call, values, body) {
  const content = body === null ? 'nil' : 'content';
  const packages = ['fmt', 'io', 'net/http', 'os', ...(body === null ? [] : ['strings'])];
  return [
    'package main',
    '',
    'import (',
    ...packages.map((name) => `\t"${name}"`),
    ')',
    '',
    'func main() {',
    `\taddress := ${quotedAddress(call, values, inGo, ' +\n\t\t')}`,
    ...(body === null ? [] : [`\tcontent := strings.NewReader(${inGo(jsonOf(body))})`]),
    `\trequest, err := http.NewRequest("${call.method}", address, ${content})`,
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    '\trequest.Header.Set("x-api-key", os.Getenv("PERCH_KEY"))',
    ...(body === null ? [] : ['\trequest.Header.Set("Content-Type", "application/json")']),
    '\tresponse, err := http.DefaultClient.Do(request)',
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    '\tdefer response.Body.Close()',
    '\tanswer, err := io.ReadAll(response.Body)',
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    '\tfmt.Println(response.Status, string(answer))',
    '}',
  ].join('\n');
}

const PHP = {
  ...{ none: 'null', text: single, list: '[]', map: '[]', indent: '    ' },
  pair: (name, value) => `${single(name)} => ${value}`,
};

function php(call, values, body) {
  return [
    '<?php',
    `$address = ${quotedAddress(call, values, single, '\n    . ')};`,
    "$options = ['http' => [",
    `    'method' => '${call.method}',`,
    "    'header' => [",
    "        'x-api-key: ' . getenv('PERCH_KEY'),",
    ...(body === null ? [] : ["        'Content-Type: application/json',"]),
    '    ],',
    ...(body === null ? [] : [`    'content' => json_encode(${literal(body, PHP, '    ')}),`]),
    "    'ignore_errors' => true,",
    ']];',
    '$answer = file_get_contents($address, false, stream_context_create($options));',
    'print_r(json_decode($answer, true));',
  ].join('\n');
}

const RUBY = {
  ...{ none: 'nil', text: single, list: '[]', map: '{}', spaced: true, indent: '  ' },
  pair: (name, value) => `${isName(name) ? `${name}:` : `${single(name)} =>`} ${value}`,
};

function ruby(call, values, body) {
  return [
    "require 'json'",
    "require 'net/http'",
    '',
    `address = URI(${quotedAddress(call, values, single, ' \\\n              ')})`,
    ...(body === null
      ? ["headers = { 'x-api-key' => ENV.fetch('PERCH_KEY') }"]
      : ['headers = {', "  'x-api-key' => ENV.fetch('PERCH_KEY'),", "  'Content-Type' => 'application/json',", '}']),
    ...(body === null
      ? ['response = Net::HTTP.get_response(address, headers)']
      : [`body = ${literal(body, RUBY)}`, 'response = Net::HTTP.post(address, body.to_json, headers)']),
    'puts response.code, JSON.pretty_generate(JSON.parse(response.body))',
  ].join('\n');
}

/** The arguments of the persisted operation and of the tool, from both parameters and body. */
function argumentsOf(call, values, body) {
  const {
    estimate,
    max_credits: maxCredits,
    ...given
  } = {
    ...placed(call, values, 'path'),
    ...placed(call, values, 'query'),
    ...body,
  };
  return { given, estimate: estimate === true, maxCredits };
}

function graphql(call, values, body) {
  const { given, estimate, maxCredits } = argumentsOf(call, values, body);
  const extensions = { ...(estimate && { dryRun: true }), ...(maxCredits !== undefined && { maxCredits }) };
  const comment = (name, value) => (Object.keys(value).length > 0 ? `# ${name}: ${JSON.stringify(value)}\n` : '');
  return `${comment('Variables', given)}${comment('Extensions', extensions)}${call.query.trim()}`;
}

/** Every tool calls a single user `user`, and one tool prices calls of the others. */
function mcp(call, values, body) {
  const { given, estimate, maxCredits } = argumentsOf(call, values, body);
  const { handle, ...others } = given;
  const args = {
    ...(handle !== undefined && { user: handle }),
    ...others,
    ...(maxCredits !== undefined && { max_credits: maxCredits }),
  };
  const params = estimate
    ? { name: 'price', arguments: { tool: call.tool, arguments: args } }
    : { name: call.tool, arguments: args };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, null, 2);
}

const WRITERS = [
  { label: 'curl', language: 'sh', write: curl },
  { label: 'TypeScript', language: 'ts', write: typescript },
  { label: 'Python', language: 'python', write: python },
  { label: 'Go', language: 'go', write: go },
  { label: 'PHP', language: 'php', write: php },
  { label: 'Ruby', language: 'ruby', write: ruby },
  { label: 'GraphQL', language: 'graphql', write: graphql },
  { label: 'MCP', language: 'json', write: mcp },
];

/**
 * The samples of a call. `values` are the given parameters by name; `body` is an object or null. A call without a tool
 * has no sample for MCP.
 */
export const samplesOf = (call, values, body) =>
  WRITERS.filter(({ write }) => write !== mcp || call.tool !== undefined).map(({ label, language, write }) => ({
    label,
    language,
    text: write(call, values, body),
  }));
