import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attack, flood, keyOf, mcp, mcpTool, type Stage, withAndWithoutKey } from '../support/attack.js';

/** Connections are kept busy for this long. */
const LAST_MS = 2000;

/** Opens this many connections from the attacker's address; the service closes those it refuses. */
function open({ service, from }: Stage, count: number, begin: (socket: Socket) => void): Socket[] {
  const { hostname, port } = new URL(service.url);
  return Array.from({ length: count }, () => {
    const socket = connect({ host: hostname, port: Number(port), localAddress: from });
    socket.on('error', () => {});
    socket.once('connect', () => begin(socket));
    return socket;
  });
}

const raw = (
  name: string,
  count: number,
  begin: (socket: Socket) => void,
  drip?: (socket: Socket) => void,
): Attack => ({
  name,
  over: 'HTTP',
  keyed: false,
  strike: async (stage) => {
    const sockets = open(stage, count, begin);
    const timer = setInterval(() => {
      for (const socket of sockets) if (socket.writable) drip?.(socket);
    }, 250);
    await sleep(LAST_MS);
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
    return [];
  },
  expected: { statuses: [], free: true },
  memoryMb: 20,
});

const HEAD = 'GET /v1/me HTTP/1.1\r\nHost: perch\r\n';
const BODY =
  'POST /graphql HTTP/1.1\r\nHost: perch\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{';
const REQUEST = 'GET /healthz HTTP/1.1\r\nHost: perch\r\n\r\n';
/** What Node reports by events other than `request`, and what is answered while its chunk is still parsed. */
const UNUSUAL = {
  'that expect what there is not': 'GET /healthz HTTP/1.1\r\nHost: perch\r\nExpect: much\r\n\r\n',
  'that wait for 100 Continue': 'GET /healthz HTTP/1.1\r\nHost: perch\r\nExpect: 100-continue\r\n\r\n',
  'that ask for another protocol':
    'GET /healthz HTTP/1.1\r\nHost: perch\r\nConnection: upgrade\r\nUpgrade: much\r\n\r\n',
  'without a host': 'GET /healthz HTTP/1.1\r\n\r\n',
  'of bodies in chunks':
    'POST /healthz HTTP/1.1\r\nHost: perch\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
};
const LARGE = 'GET /openapi.yaml HTTP/1.1\r\nHost: perch\r\nAccept-Encoding: identity\r\n\r\n';
const CHUNKED =
  'POST /mcp HTTP/1.1\r\nHost: perch\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';

const messages = (name: string, total: number, message: (n: number) => ReturnType<typeof mcp>): Attack[] =>
  withAndWithoutKey((keyed) => ({
    name: `${total} times ${name}, ${keyed ? 'by key' : 'without a key'}`,
    over: 'MCP',
    keyed,
    strike: (stage) => flood(stage, { total, width: 20 }, (n) => ({ ...message(n), ...keyOf(stage, keyed) })),
    expected: { statuses: keyed ? [200, 400, 404, 429] : [200, 400, 401, 404, 429], halfWithinMs: 400, free: true },
    memoryMb: 20,
  }));

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'hostile', version: '1' },
};

const forms = (name: string, path: string, body: (n: number) => object): Attack => ({
  name: `${name}, 120 times without a key`,
  over: 'HTTP',
  keyed: false,
  strike: (stage) => flood(stage, { total: 120, width: 10 }, (n) => ({ path, body: body(n) })),
  expected: { statuses: [200, 201, 303, 400, 401, 403, 413, 415, 422, 429], halfWithinMs: 250, free: true },
  memoryMb: 10,
});

/** Connections that come often, slowly, or all at once. */
export const CONNECTIONS: readonly Attack[] = [
  raw(
    '400 heads that arrive a byte at a time',
    400,
    (socket) => socket.write(HEAD),
    (socket) => socket.write('a'),
  ),
  raw(
    '400 bodies that arrive a byte at a time',
    400,
    (socket) => socket.write(BODY),
    (socket) => socket.write(' '),
  ),
  raw(
    '400 chunked bodies of one byte each',
    400,
    (socket) => socket.write(CHUNKED),
    (socket) => socket.write('1\r\n[\r\n'),
  ),
  raw('1,500 connections that say nothing', 1500, () => {}),
  raw('40 connections that pipeline 2,000 requests', 40, (socket) => socket.resume().write(REQUEST.repeat(2000))),
  ...Object.entries(UNUSUAL).map(([what, request]) =>
    raw(`40 connections that pipeline 2,000 requests ${what}`, 40, (socket) =>
      socket.resume().write(request.repeat(2000)),
    ),
  ),
  raw('100 connections that ask for much and read nothing', 100, (socket) => socket.pause().write(LARGE.repeat(20))),
  raw('connections opened and closed at once', 300, (socket) => socket.end(REQUEST)),
  ...messages('initialize', 300, (n) => mcp('initialize', INITIALIZE, n)),
  ...messages('tools/list', 300, (n) => mcp('tools/list', {}, n)),
  ...messages('a call of a tool that there is not', 300, (n) => mcpTool(`tool_${n}`, {})),
  ...messages('an id of 50 KB', 60, () => mcp('ping', {}, 'i'.repeat(50_000))),
  {
    name: '400 keys that there are not',
    over: 'REST',
    keyed: false,
    strike: (stage) =>
      flood(stage, { total: 400, width: 20 }, (n) => ({
        path: '/v1/me',
        key: `perch_live_${String(n).padStart(32, 'x')}`,
      })),
    expected: { statuses: [401, 429], halfWithinMs: 250, free: true },
    memoryMb: 10,
  },
  forms('registrations of clients', '/api/oauth/register', (n) => ({
    client_name: `client ${n}`,
    redirect_uris: [`https://client.example/${n}`],
  })),
  forms('registrations with a thousand addresses', '/api/oauth/register', (n) => ({
    client_name: 'c'.repeat(20_000),
    redirect_uris: Array.from({ length: 1000 }, (_, index) => `https://client.example/${n}/${index}`),
  })),
  forms('exchanges of codes that there are not', '/api/oauth/token', () => ({
    grant_type: 'authorization_code',
    code: 'x'.repeat(20_000),
  })),
  forms('requests for sign-in links', '/sign-in/mail', (n) => ({ email: `somebody${n}@example.org` })),
];
