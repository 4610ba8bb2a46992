import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../kit/client.js';
import { range } from '../../kit/networks/scripted-network.js';
import { attributesOf, type Collector, type OtlpSpan, startCollector } from './collector.js';
import { startWatched, type Watched } from './service.js';

const OF = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

describe('traces go to the collector that is configured', () => {
  let collector: Collector;
  let watched: Watched;
  beforeEach(async () => {
    collector = await startCollector();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, PERCH_PACE_FAST: '4' };
    watched = await startWatched({ env });
  });
  afterEach(() => collector.close());

  /** Closes the service, which sends all spans, and returns them. */
  async function spans(): Promise<OtlpSpan[]> {
    await watched.perch.close();
    return collector.spans();
  }
  const named = (all: readonly OtlpSpan[], name: string): OtlpSpan[] => all.filter((span) => span.name === name);
  const childOf = (all: readonly OtlpSpan[], parent: OtlpSpan | undefined, name: string): OtlpSpan => {
    const [child, ...more] = named(all, name).filter(({ parentSpanId }) => parentSpanId === parent?.spanId);
    if (child === undefined || more.length > 0) throw new Error(`${1 + more.length} ${name}`);
    return child;
  };

  it('makes a request a span of its trace, with operation, upstream call and ledger post below it', async () => {
    const reply = await watched.client.get('/v1/users/user1', { traceparent: `00-${OF}-${PARENT}-01` });
    const all = await spans();
    expect(collector.received.map(({ path }) => path)).toEqual(['/v1/traces']);
    expect(collector.received[0]?.body).toContain('{"key":"service.name","value":{"stringValue":"perch"}}');
    expect(all.every(({ traceId }) => traceId === OF)).toBe(true);
    const [request] = named(all, 'GET /v1/users/:handle');
    expect(request).toMatchObject({ parentSpanId: PARENT, kind: 2 });
    expect(attributesOf(request as OtlpSpan)).toEqual({
      'http.request.method': 'GET',
      'http.route': '/v1/users/:handle',
      'http.response.status_code': 200,
      'perch.request_id': reply.headers.get('x-request-id'),
      'perch.cache': 'miss',
    });
    const operation = childOf(all, request, 'operation');
    expect(attributesOf(operation)).toEqual({ 'perch.interface': 'rest', 'perch.operation': 'user' });
    expect(attributesOf(childOf(all, operation, 'upstream call'))).toEqual({
      'perch.session': 'only',
      'perch.kind': 'users',
      'perch.batch_size': 1,
    });
    childOf(all, operation, 'ledger post');
    expect(all).toHaveLength(4);
  });

  it('traces GraphQL by POST, too', async () => {
    await watched.client.post('/graphql', { query: 'query Mine { user(handle: "user1") { id } }' });
    const all = await spans();
    const operation = childOf(all, named(all, 'POST /graphql')[0], 'operation');
    expect(attributesOf(operation)).toEqual({ 'perch.interface': 'graphql', 'perch.operation': 'ad hoc' });
    childOf(all, operation, 'upstream call');
  });

  it('makes a shared upstream call a child of the first request, linked to the others', async () => {
    // Three requests share a call if they arrive soon after another one. On a busy machine they may be late: try often.
    watched.net.users(range(40));
    for (let first = 1; first < 40 && !watched.net.calls.some(({ of }) => of.length === 3); first += 4) {
      await watched.client.get(`/v1/users/user${first}`);
      await Promise.all([1, 2, 3].map((nth) => watched.client.get(`/v1/users/user${first + nth}`)));
    }
    const all = await spans();
    const [together] = named(all, 'upstream call').filter((span) => attributesOf(span)['perch.batch_size'] === 3);
    const operations = new Map(named(all, 'operation').map((span) => [span.spanId, span.traceId]));
    const parent = operations.get(together?.parentSpanId ?? '');
    const linked = together?.links?.map(({ spanId }) => operations.get(spanId)) ?? [];
    expect(parent).toBe(together?.traceId);
    expect(new Set([parent, ...linked]).size).toBe(3);
    expect(linked).toHaveLength(2);
  });

  it('marks a failure with its code', async () => {
    watched.net.fail(new Error('broken, and says what was asked for'));
    await watched.client.get('/v1/users/user5');
    const all = await spans();
    const [request] = named(all, 'GET /v1/users/:handle');
    expect(request?.status.code).toBe(2);
    for (const span of [request, ...named(all, 'operation'), ...named(all, 'upstream call')]) {
      expect(attributesOf(span as OtlpSpan)['error.type']).toBe('upstream_error');
    }
  });

  it('contains nothing of a caller: no key, no query, no handle', async () => {
    const { client, account, perch } = watched;
    const { key } = account;
    await client.get('/v1/tweets/search?query=a-private-matter');
    await client.get(`/v1/users/${key}?key=${key}`, { traceparent: key, tracestate: `a=${key}` });
    await client.get(`/${key}`);
    await client.get('/v1/users/user7');
    await client.post('/graphql', { query: `query ${key} { user(handle: "user8") { id } }` });
    await createClient(perch.url, `${key}x`).get('/v1/me', { authorization: `Bearer ${key}` });
    const all = await spans();
    expect(all.length).toBeGreaterThan(10);
    const text = collector.received.map(({ body }) => body).join('');
    for (const sensitive of [key, 'private', 'user7', 'user8', account.accountId])
      expect(text).not.toContain(sensitive);
  });

  it.each(['', 'nonsense', `ff-${OF}-${PARENT}-01`, `00-${'0'.repeat(32)}-${PARENT}-01`, `00-${OF}-${PARENT}-01-more`])(
    'ignores an invalid traceparent: %j',
    async (traceparent) => {
      await watched.client.get('/healthz', { traceparent });
      const [request] = await spans();
      expect(request?.traceId).not.toBe(OF);
      expect(request?.parentSpanId ?? '').toBe('');
    },
  );
});

it('delays no answer for a collector that does not answer, and the shutdown only by seconds', async () => {
  const collector = await startCollector({ silent: true });
  const watched = await startWatched({ env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces` } });
  expect((await watched.client.get('/v1/users/user1')).status).toBe(200);
  const startedAt = performance.now();
  await watched.perch.close();
  expect(performance.now() - startedAt).toBeLessThan(8000);
  expect(collector.received).toHaveLength(1);
  expect(watched.log.lines.join('')).toContain('The last traces could not be exported in time and were lost');
  await collector.close();
});

it('logs once that traces were lost', async () => {
  const collector = await startCollector({ status: 400 });
  const watched = await startWatched({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  await watched.client.get('/healthz');
  await watched.perch.close();
  await collector.close();
  expect(watched.log.lines.filter((line) => /traces could not be exported/i.test(line))).toHaveLength(1);
});
