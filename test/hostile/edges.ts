/** What strangers and customers may send at each edge, at its longest. */
import type { TestPerch } from '../kit/perch.js';

export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const URL_BYTES = 8100;
const HEADER_BYTES = 14_000;
const BODY_BYTES = 64_000;

/** Repeats a piece to fill the bytes; `#` becomes its number, so that no two are the same. */
function filled(piece: string, bytes: number): string {
  const pieces: string[] = [];
  for (let length = 0, n = 0; ; n += 1) {
    const next = piece.replace('#', n.toString(36));
    length += Buffer.byteLength(next);
    if (length > bytes) return pieces.join('');
    pieces.push(next);
  }
}

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

export const inQuery = (path: string, piece: string): Sent => ({ path: `${path}?${filled(piece, URL_BYTES)}` });
export const inPath = (path: string, piece: string): Sent => ({ path: path + filled(piece, URL_BYTES) });
export const inHeader = (name: string, piece: string, path = '/nowhere'): Sent => ({
  path,
  headers: { [name]: filled(piece, HEADER_BYTES) },
});
export const asForm = (path: string, piece: string): Sent => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: filled(piece, BODY_BYTES),
});
export const asJson = (path: string, body: string): Sent => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body,
});

const rpc = (method: string, params: string): Sent =>
  asJson('/mcp', `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`);
/** A tool's call; `given` is JSON. */
export const tool = (name: string, given: string): Sent => rpc('tools/call', `{"name":"${name}","arguments":${given}}`);
const members = (piece: string): string => `{${filled(piece, BODY_BYTES - 300).replace(/,$/, '')}}`;

/** Without a key. */
export const KEYLESS: Readonly<Record<string, Sent>> = {
  'row 6: separators in the query': inQuery('/v1/me', '&'),
  'question marks in the query': inQuery('/v1/me', '?a'),
  'thousands of parameters': inQuery('/v1/users/jack', 'a#=&'),
  'percent-encodings': inQuery('/v1/me', '%26'),
  'half of keys': inQuery('/v1/me', '&key'),
  'a long path': inPath('/nowhere/', 'a'),
  'a path of slashes': inPath('/v1/', '/'),
  'the name of a problem': inPath('/problems/', '%22'),
  'commas in Accept': inHeader('accept', ','),
  'media types in Accept': inHeader('accept', 'a/b#;q=1,'),
  'parameters in Accept': inHeader('accept', ';q= '),
  'commas in Accept-Encoding': inHeader('accept-encoding', 'br;q=0.#,', '/openapi.yaml'),
  'spaces before a key': { path: '/v1/me', headers: { authorization: `Bearer${' \t'.repeat(7000)}x` } },
  cookies: inHeader('cookie', 'a#=b; ', '/dashboard'),
  'a chain of proxies': inHeader('x-forwarded-for', '1.1.1.1, ', '/healthz'),
  'an address that is none': { path: '/healthz', headers: { 'x-forwarded-for': '1:'.repeat(7000) } },
  'a form of sign-in': asForm('/sign-in/mail', 'a#=&'),
  'an OAuth form': asForm('/api/oauth/token', 'a#=&'),
  'a mail address': { ...asForm('/sign-in/mail', 'a'), body: `email=${'a.'.repeat(30_000)}@a` },
  'where to after sign-in': inQuery('/sign-in', 'next=/&'),
  'redirect addresses': asJson(
    '/api/oauth/register',
    `{"redirect_uris":[${filled('"https://#.example",', 60_000)}"x"]}`,
  ),
  'a redirect address': asJson('/api/oauth/register', `{"redirect_uris":["${'\\"'.repeat(30_000)}"]}`),
  'lists in lists at registration': asJson('/api/oauth/register', nested(32_000)),
  'a passkey of lists': asJson('/sign-in/passkey', `{"response":${nested(30_000)}}`),
  'a passkey': asJson('/sign-in/passkey', `{"response":{"id":"${'a'.repeat(60_000)}"}}`),
  'a message without a key': rpc('tools/list', nested(30_000)),
  'a batch of messages without a key': asJson('/mcp', `[${filled('{"id":#},', 60_000)}1]`),
  'lists in lists for GraphQL': asJson('/graphql', nested(32_000)),
  'an address to be let in': inQuery('/oauth/authorize', 'client_id=https://#.example/&'),
};

/** With a key. */
export const KEYED: Readonly<Record<string, Sent>> = {
  'unknown parameters': inQuery('/v1/me', 'a#=&'),
  'a parameter given often': inQuery('/v1/users/jack', 'fresh=1&'),
  'a list given often': inQuery('/v1/users/batch', 'handles=#&'),
  'a list of commas': { path: `/v1/users/batch?handles=${','.repeat(8000)}` },
  'a handle': inPath('/v1/users/', 'a'),
  'an id': inPath('/v1/tweets/', '9'),
  'groups of usage': { path: `/v1/usage?group=${'day,'.repeat(2000)}x` },
  'a date': { path: `/v1/usage?from=${'2'.repeat(8000)}` },
  'a cursor': { path: `/v1/users/jack/tweets?cursor=${'A'.repeat(8000)}` },
  'the id of a receipt': inPath('/v1/usage/', 'a'),
  'a pack': asJson('/v1/billing/checkout', `{"pack":"${'x'.repeat(60_000)}"}`),
  'handles without end': asJson('/v1/users/batch', `{"handles":[${filled('"#",', 60_000)}"x"]}`),
  'long ids': asJson(
    '/v1/tweets/batch',
    `{"ids":[${Array(100)
      .fill(`"${'9'.repeat(600)}"`)
      .join()}]}`,
  ),
  'members without end': asJson('/v1/users/batch', members('"a#":1,')),
  'lists in lists': asJson('/v1/users/batch', `{"handles":${nested(30_000)}}`),
  'marks in a search': { path: `/v1/tweets/search?q=${'%CC%81%CC%96'.repeat(650)}` },
  'marks in a search by a tool': tool('search_tweets', `{"q":"a${'\u0301\u0316'.repeat(15_000)}"}`),
  'marks in a search by GraphQL': asJson(
    '/graphql',
    `{"query":"query($q:String!){search(q:$q){nodes{id}}}","variables":{"q":"a${'\u0301\u0316'.repeat(15_000)}"}}`,
  ),
  'a tool that there is not': tool('x'.repeat(60_000), '{}'),
  'unknown arguments': tool('get_user', members('"a#":1,')),
  'an argument of lists': tool('get_user', `{"handle":${nested(30_000)}}`),
  'an unknown resource': rpc('resources/read', `{"uri":"perch://${'x'.repeat(60_000)}"}`),
  'a method that there is not': rpc('x'.repeat(60_000), '{}'),
  'a batch of messages': asJson('/mcp', `[${filled('{"jsonrpc":"2.0","id":#,"method":"ping"},', 60_000)}1]`),
};

let strangers = 0;

/** Each stranger has an address of its own, so that the work is measured, not the limit of one address. */
export async function sendTo(perch: TestPerch, { method = 'GET', path, headers, body }: Sent, key?: string) {
  strangers += 1;
  const from = `203.${(strangers >> 16) & 255}.${(strangers >> 8) & 255}.${strangers & 255}`;
  const forwarded = [headers?.['x-forwarded-for'], from].filter((each) => each !== undefined).join(', ');
  const startedAt = performance.now();
  const answer = await fetch(perch.url + path, {
    method,
    headers: { ...headers, 'x-forwarded-for': forwarded, ...(key !== undefined && { 'x-api-key': key }) },
    ...(body !== undefined && { body }),
    redirect: 'manual',
  });
  const text = await answer.text();
  return { status: answer.status, bytes: Buffer.byteLength(text), text, ms: performance.now() - startedAt };
}
