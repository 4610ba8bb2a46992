/**
 * Requests whose plan is known are answered ahead of the framework. Those refused before their call are left to the
 * framework.
 */
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failureAnswer } from '../../../adapters/http/failure.js';
import type { Plan } from '../../../adapters/http/plans.js';
import { ProcessorTime } from '../../../src/access/processor-time.js';
import { WorkSlots } from '../../../src/access/work-slots.js';
import { ServiceError } from '../../../src/domain/errors.js';
import { Memories } from '../../../src/lib/memories.js';
import { monotonic } from '../../../src/lib/monotonic.js';
import type { Soon } from '../../../src/lib/soon.js';
import type { Call, Outcome } from '../../../src/serve/call.js';
import { Rendered } from '../../../src/serve/rendered.js';
import { keptAnswer } from '../../engine/serve/kept-answer.js';
import { until } from '../../kit/time/until.js';
import { get, post, rawClient } from './raw.js';
import { type BareServer, startBareServer } from './server.js';

const KEY = 'X-Api-Key: a key\r\n';
const PATH = '/v1/known?count=5';

let server: BareServer;
/** Calls that were served ahead of the framework. */
let calls: Call[];
let serve: (call: Call) => Soon<Outcome>;
let limit = 1000;

const outcomeOf = ({ requestId }: Call, result: Outcome['result']): Outcome => ({
  ...{
    requestId,
    policy: 'account',
    rate: null,
    ageSeconds: 0,
    result,
    warnings: [],
    accountId: 'account',
    keyId: 'key',
  },
  ...{ mode: 'live', operation: 'user', upstream: { calls: 0, waitMs: 0, readMs: 0 } },
});

const ANSWER = keptAnswer(new Rendered(Buffer.from('{"data":1')));

const plan = (): Plan => ({
  call: {
    interface: 'rest',
    document: { name: 'user' },
    parse: () => ({ variables: {}, budget: null, estimate: false }),
    render: () => new Rendered(Buffer.from('')),
  },
  serve: (call) => {
    calls.push(call);
    return serve(call);
  },
  form: {
    headers: {},
    write({ result, requestId }, context) {
      if (result.kind === 'refusal') return failureAnswer(result.failure, requestId, context);
      const body = result.rendered ? { shared: result.rendered, own: Buffer.from('}') } : JSON.stringify(result.data);
      return { status: 200, headers: { 'Content-Type': 'application/json' }, body };
    },
  },
});

async function start(shared = false): Promise<void> {
  const slots = new WorkSlots({ total: 100, monotonic, deadlineMs: 1000 });
  server = await startBareServer({
    ...(shared && { shares: { slots, processor: new ProcessorTime({ monotonic }) } }),
    memories: new Memories(),
    capacity: { maxInFlight: limit },
    mount(app) {
      const handler = async () => 'by the framework';
      app.get('/v1/known', handler);
      app.post('/v1/known', handler);
      app.get('/v1/remember', async (request) => {
        const { url, method, headers, body } = request.query as Record<string, string>;
        const raw = { url, method, headers: JSON.parse(headers ?? '{}') };
        app.rememberPlan({ raw: raw as never, body: Buffer.from(body ?? '', 'latin1') }, plan());
        return 'done';
      });
    },
  });
}

const remember = async (url: string, method = 'GET', headers: object = {}, body = ''): Promise<void> => {
  const query = new URLSearchParams({ url, method, headers: JSON.stringify(headers), body });
  await fetch(`${server.url}/v1/remember?${query}`);
};

const sendRaw = async (text: string): Promise<string> => {
  const client = rawClient(server.url, text);
  return client.closed;
};
const CLOSE = 'Connection: close\r\n';

beforeEach(async () => {
  calls = [];
  limit = 1000;
  serve = async (call) => outcomeOf(call, ANSWER);
  await start();
});
afterEach(() => server.close());

describe('a request that came before', () => {
  it('is answered ahead of the framework, with an id, limits and credits', async () => {
    await remember(PATH);
    const answer = await sendRaw(get(PATH, KEY + CLOSE));
    expect(calls).toHaveLength(1);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain(`x-request-id: ${calls[0]?.requestId}\r\n`);
    expect(answer).toMatch(/cache-control: private, no-store\r\n[\s\S]*x-credits-charged: [\s\S]*\{"data":1\}$/);
    expect(calls[0]?.address).toBe('127.0.0.1');
  });

  it.each([
    ['another target', get(`${PATH}0`, KEY + CLOSE)],
    ['a budget', get(PATH, `${KEY}${CLOSE}X-Max-Credits: 1\r\n`)],
    ['other media types', get(PATH, `${KEY}${CLOSE}Accept: text/html\r\n`)],
    ['no key', get(PATH, CLOSE)],
    ['a body', `GET ${PATH} HTTP/1.1\r\nHost: perch\r\n${KEY}${CLOSE}Content-Length: 2\r\n\r\n{}`],
    ['two keys', get(PATH, KEY + KEY + CLOSE)],
  ])('is left to the framework with %s', async (_what, text) => {
    await remember(PATH);
    await sendRaw(text);
    expect(calls).toEqual([]);
  });

  it('is known whatever its headers for traces and encodings', async () => {
    await remember(PATH);
    await sendRaw(get(PATH, `${KEY}${CLOSE}traceparent: 00-ab-cd-01\r\nAccept-Encoding: gzip\r\nUser-Agent: x\r\n`));
    expect(calls).toHaveLength(1);
  });

  it('is known with its body, and unknown with another body', async () => {
    const headers = { 'content-type': 'application/json' };
    await remember('/v1/known', 'POST', headers, '{"a":1}');
    const send = (body: string) => sendRaw(post('/v1/known', `${KEY}${CLOSE}Content-Length: ${body.length}\r\n`, body));
    expect(await send('{"a":1}')).toContain('{"data":1}');
    expect(await send('{"a":2}')).toContain('by the framework');
    expect(calls).toHaveLength(1);
  });

  it('is refused like any other because of its head or its bytes, and nothing is served', async () => {
    const headers = { 'content-type': 'application/json' };
    await remember('/v1/known', 'POST', headers, '{"a":1}');
    await remember('/v1/known', 'POST', headers, Buffer.from('{"a":"\u{fffd}"}').toString('latin1'));
    const encoded = `${KEY}${CLOSE}Content-Encoding: utf-8\r\nContent-Length: 7\r\n`;
    expect(await sendRaw(post('/v1/known', encoded, '{"a":1}'))).toMatch(/^HTTP\/1\.1 415 /);
    // Its bytes would be read as the text of the other.
    const client = rawClient(server.url, post('/v1/known', `${KEY}${CLOSE}Content-Length: 9\r\n`, ''));
    client.socket.write(Buffer.from('{"a":"\xff"}', 'latin1'));
    expect(await client.closed).toContain('by the framework');
    expect(calls).toEqual([]);
  });

  it('is answered with a refusal in the form of its interface', async () => {
    await remember(PATH);
    serve = async (call) => outcomeOf(call, { kind: 'refusal', failure: new ServiceError('no_credits', 'None left.') });
    const answer = await sendRaw(get(PATH, KEY + CLOSE));
    expect(answer).toMatch(/^HTTP\/1\.1 402 /);
    expect(answer).toContain(`x-request-id: ${calls[0]?.requestId}\r\n`);
    expect(answer).toMatch(/x-credits-charged: 0\r\n[\s\S]*vary: Accept\r\n[\s\S]*"code":"no_credits"/i);
  });

  it('is answered in the same turn if its outcome is known', async () => {
    await remember(PATH);
    serve = (call) => outcomeOf(call, ANSWER);
    expect(await sendRaw(get(PATH, KEY + CLOSE))).toContain('{"data":1}');
  });

  it('compresses a body that is made for it alone', async () => {
    await remember(PATH);
    const { rendered: _, ...made } = ANSWER;
    serve = (call) => outcomeOf(call, { ...made, data: { text: 'x'.repeat(2000) } });
    const answer = await sendRaw(get(PATH, `${KEY}${CLOSE}Accept-Encoding: gzip\r\n`));
    expect(answer).toMatch(/content-encoding: gzip\r\nvary: accept-encoding\r\n/);
    expect(answer.length).toBeLessThan(2000);
  });

  it.each(['now', 'later'])('closes its connection if its answer cannot be written: %s', async (when) => {
    await remember(PATH);
    // Node refuses such a header.
    const broken = (call: Call): Outcome => ({ ...outcomeOf(call, ANSWER), rate: { limit: '\n' } as never });
    serve = (call) => (when === 'now' ? broken(call) : Promise.resolve(broken(call)));
    expect(await sendRaw(get(PATH, KEY))).toBe('');
    serve = (call) => outcomeOf(call, ANSWER);
    expect(await sendRaw(get(PATH, KEY + CLOSE))).toContain('{"data":1}');
  });

  it('is not remembered if its address contains a key, or is long', async () => {
    const secret = `${PATH}&key=perch_live_a`;
    const long = `${PATH}&${'x'.repeat(5000)}`;
    for (const path of [secret, long]) {
      await remember(path);
      await sendRaw(get(path, KEY + CLOSE));
    }
    expect(calls).toEqual([]);
  });
});

it('is served while other requests send their bodies', async () => {
  await server.close();
  limit = 4;
  await start(true);
  await remember('/v1/known', 'POST', { 'content-type': 'application/json' }, '{"a":1}');
  const arrived = once(server.app.server, 'request');
  const slow = rawClient(server.url, post('/v1/known', `${KEY}Content-Length: 7\r\n`, '{"a"'));
  await arrived;
  const send = (body: string) => sendRaw(post('/v1/known', `${KEY}${CLOSE}Content-Length: 7\r\n`, body));
  expect(await send('{"a":2}')).toMatch(/^HTTP\/1\.1 503 /);
  serve = async (call) => outcomeOf(call, { kind: 'refusal', failure: new ServiceError('no_credits', 'None left.') });
  expect(await send('{"a":1}')).toMatch(/^HTTP\/1\.1 402 /);
  slow.socket.destroy();
});

it('aborts its call when the client leaves, and frees its slot', async () => {
  await remember(PATH);
  let left = false;
  serve = async (call) => {
    await until('it is aborted', () => call.signal.aborted);
    left = true;
    return outcomeOf(call, ANSWER);
  };
  const client = rawClient(server.url, get(PATH, KEY));
  await expect.poll(() => server.app.pressure.inFlight).toBe(1);
  client.socket.destroy();
  await expect.poll(() => [left, server.app.pressure.inFlight]).toEqual([true, 0]);
});

it('is refused by the framework beyond capacity', async () => {
  await server.close();
  limit = 1;
  await start();
  await remember(PATH);
  let answer = (): void => {};
  serve = (call) => new Promise((resolve) => (answer = () => resolve(outcomeOf(call, ANSWER))));
  const first = sendRaw(get(PATH, KEY + CLOSE));
  await expect.poll(() => server.app.pressure.inFlight).toBe(1);
  expect(await sendRaw(get(PATH, KEY + CLOSE))).toMatch(/^HTTP\/1\.1 503 /);
  answer();
  expect(await first).toContain('{"data":1}');
});

it('asks clients to close the connection while the process stops', async () => {
  await remember(PATH);
  server.app.stopping = true;
  expect(await sendRaw(get(PATH, KEY))).toMatch(/connection: close[\s\S]*\{"data":1\}/i);
});
