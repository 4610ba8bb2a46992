/** A path is the same path however its target is written: as an address with a host, or with needless escapes. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answered, interfaceFromUrl } from '../../../adapters/http/answered.js';
import { usualTarget } from '../../../adapters/http/request-head.js';
import { get, rawClient } from './raw.js';
import { type BareServer, startBareServer } from './server.js';

describe('the target of a request', () => {
  it.each([
    ['/v1/me?x=%20', '/v1/me?x=%20'],
    ['http://perch/v1/me', '/v1/me'],
    ['HTTPS://perch:4000/v1/me?x=1', '/v1/me?x=1'],
    ['http://perch', '/'],
    ['http://perch?x=1', '/?x=1'],
    ['/%761/m%65?%6Bey=1', '/v1/me?key=1'],
    ['http://perch/%76%31/%7e%2D%5F%2e', '/v1/~-_.'],
    // Reserved and other characters keep their escapes.
    ['/v1/users/a%2Fb%3F%23%25%41%C3%A9', '/v1/users/a%2Fb%3F%23%25A%C3%A9'],
    // What is not an escape does not become one, and no escape is decoded twice.
    ['/%zz/%761', '/%zz/v1'],
    ['/%%341%4%31%2541', '/%%341%4%31%2541'],
    ['*', '*'],
    ['ftp://perch/v1/me', 'ftp://perch/v1/me'],
  ])('%s is read as %s', (target, usual) => {
    expect(usualTarget(target)).toBe(usual);
  });
});

describe('the interface of a request', () => {
  it.each([
    ['POST', '/graphql', 'graphql'],
    ['GET', '/graphql?query={me{name}}', 'graphql'],
    ['GET', '/graphql', 'site'],
    ['GET', '/graphql/assets/graphiql.js', 'site'],
    ['GET', '/v1/me', 'rest'],
    ['POST', '/mcp', 'mcp'],
    ['GET', '/', 'site'],
    ['GET', '/graphqls', 'site'],
  ] as const)('of %s %s is %s', (method, url, name) => {
    expect(interfaceFromUrl({ id: '1', method, url })).toBe(name);
  });
});

describe('under /v1, however it is written', () => {
  const DEPRECATION = 'Wed, 01 Jan 2031 00:00:00 GMT';
  let server: BareServer;
  let over: Answered[];
  beforeEach(async () => {
    over = [];
    server = await startBareServer({
      versionHeaders: { Deprecation: DEPRECATION },
      mount: (app) => app.onAnswered((answered) => over.push(answered)),
    });
  });
  afterEach(() => server?.close());

  const targets = ['/v1/soon', 'http://perch/v1/soon', '/%761/soon', '/v%31/soon', 'http://other/%76%31/so%6Fn'];
  it.each([
    ...targets.map((target) => ['GET', target, 200] as const),
    ...targets.map((target) => ['POST', target, 405] as const),
    ...targets.map((target) => ['GET', target.replace('so', 'not-so'), 404] as const),
    ['GET', '/%761/%zz', 404],
    ['GET', '/v1#soon', 404],
  ] as const)('%s %s is answered with %i, the headers of /v1 and JSON', async (method, target, status) => {
    const text = get(target, 'Accept: text/html\r\nConnection: close\r\n').replace('GET', method);
    const answer = await rawClient(server.url, text).closed;
    expect(Number(answer.split(' ')[1])).toBe(status);
    expect(answer).toMatch(/^cache-control: private, no-store\r$/im);
    expect(answer).toMatch(/^ratelimit-policy: account;/im);
    expect(answer).toMatch(new RegExp(`^deprecation: ${DEPRECATION}\r$`, 'im'));
    expect(answer).toMatch(/^content-type: application\/json/im);
    expect(over.map(({ request }) => interfaceFromUrl(request))).toEqual(['rest']);
  });
});
