/** Whatever is sent at an edge takes time linear in its length, and gets an answer of bounded length. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPerch, type TestPerch } from '../kit/perch.js';
import { asForm, asJson, inHeader, inPath, inQuery, KEYED, KEYLESS, type Sent, sendTo, tool } from './edges.js';

/** Sent at once; if an edge takes quadratic time, these need a second and more. */
const CROWD = 12;
const MOST_PROBE_MS = 300;
/**
 * For answers to what is not a document: the longest message has 2,000 characters, and MCP and problem+json repeat it.
 */
const MOST_BYTES = 16 * 1024;
const SEARCH_MS = 12_000;
/** Processor time of one request. 64 KB take some 5 ms, and 60 or more if an edge takes quadratic time. */
const MOST_MS = 40;
/**
 * A measurement is the best of three, or of ten before it counts as a fault, because it includes other work of this
 * process.
 */
const isEnough = (round: number, isLow: boolean, isFault: boolean): boolean =>
  isLow || round >= 10 || (round >= 3 && !isFault);

let perch: TestPerch;
let key: string;

beforeAll(async () => {
  perch = await startPerch({ env: { PERCH_TRUST_PROXY: '127.0.0.1' } });
  ({ key } = await perch.account({ credits: 100 }));
});
afterAll(() => perch?.close());

interface Cost {
  /** Processor time of one request, including the work of this process to send it. */
  readonly cpuMs: number;
  /** How long /healthz took meanwhile, less what the machine gave to others. */
  readonly probeMs: number;
}

async function costOf(send: () => Promise<unknown>): Promise<Cost> {
  let best: Cost = { cpuMs: Number.POSITIVE_INFINITY, probeMs: Number.POSITIVE_INFINITY };
  const isLow = () => best.cpuMs <= MOST_MS / 3 && best.probeMs <= MOST_PROBE_MS / 2;
  const isFault = () => best.cpuMs >= MOST_MS || best.probeMs >= MOST_PROBE_MS;
  for (let round = 0; !isEnough(round, isLow(), isFault()); round += 1) {
    const [startedAt, before] = [performance.now(), process.cpuUsage()];
    const crowd = Promise.all(Array.from({ length: CROWD }, send));
    const { ms } = await sendTo(perch, { path: '/healthz' });
    await crowd;
    const { user, system } = process.cpuUsage(before);
    const cpuMs = (user + system) / 1000;
    const share = Math.min(1, cpuMs / (performance.now() - startedAt));
    best = { cpuMs: Math.min(best.cpuMs, cpuMs / CROWD), probeMs: Math.min(best.probeMs, ms * share) };
  }
  return best;
}

describe.each([
  ['without a key', KEYLESS, () => undefined],
  ['with a key', KEYED, () => key],
])('%s', (_, table, keyOf) => {
  test.each(Object.entries(table))('%s', async (name, sent) => {
    const { status, bytes } = await sendTo(perch, sent, keyOf());
    expect(status).toBeLessThan(500);
    if (!name.includes('Accept-Encoding')) expect(bytes).toBeLessThan(MOST_BYTES);
    const { cpuMs, probeMs } = await costOf(() => sendTo(perch, sent, keyOf()));
    expect(cpuMs).toBeLessThan(MOST_MS);
    expect(probeMs).toBeLessThan(MOST_PROBE_MS);
  });
});

describe('texts quoted by a refusal', () => {
  const long = 'x'.repeat(3000);
  test.each<[string, Sent, number]>([
    ['a handle', { path: `/v1/users/${long}` }, 404],
    ['an id', { path: `/v1/tweets/${long}` }, 404],
    ['a count', { path: `/v1/users/jack/tweets?count=${long}` }, 400],
    ['a date', { path: `/v1/usage?from=${long}` }, 400],
    ['a group', { path: `/v1/usage?group=${long}` }, 400],
    ['a pack', asJson('/v1/billing/checkout', `{"pack":"${long}"}`), 400],
    ['a path', { path: `/${long}` }, 404],
    ['an operator of a search', { path: `/v1/tweets/search?q=${'x'.repeat(400)}:y` }, 400],
  ])('of %s are cut to what helps to recognise them', async (_, sent, status) => {
    const answer = await sendTo(perch, sent, key);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text).error.message.length).toBeLessThan(700);
  });

  test('in warnings name ten parameters and count the others', async () => {
    const names = Array.from({ length: 500 }, (_, n) => `p${n}=`).join('&');
    const { status, text } = await sendTo(perch, { path: `/v1/me?${'y'.repeat(2000)}=&${names}` }, key);
    const { warnings } = JSON.parse(text);
    expect(status).toBe(200);
    expect(warnings).toHaveLength(11);
    expect(warnings[0]).toBe(`Unknown parameter ${'y'.repeat(60)}… was ignored.`);
    expect(warnings[10]).toBe('491 more unknown parameters were ignored.');
  });

  test('show that a key in the query is seen under any name, however long the query', async () => {
    const { text } = await sendTo(perch, { path: `/v1/me?${'&'.repeat(5000)}x=perch_live_abc` });
    expect(JSON.parse(text).error).toMatchObject({ code: 'missing_key', message: expect.stringContaining('Rotate') });
  });

  test.each([
    ['1000 values', `{"handles":[${Array(1000).fill('""').join()}]}`],
    ['32 levels deep', `{"handle":${'['.repeat(31)}${']'.repeat(31)}}`],
  ])('refuse a message to MCP with more than %s, once its key is known', async (bound, given) => {
    const sent = tool('get_users', given);
    const { status, text } = await sendTo(perch, sent, key);
    expect([status, JSON.parse(text).error.message]).toEqual([400, expect.stringContaining(`more than ${bound}`)]);
    expect((await sendTo(perch, sent)).status).toBe(401);
    expect((await sendTo(perch, tool('get_user', '{"handle":"jack"}'), key)).status).toBe(200);
  });

  test('refuse a search with more than 30 marks on one character', async () => {
    const search = (marks: number) =>
      sendTo(perch, { path: `/v1/tweets/search?q=a${'%CC%81'.repeat(marks)}` }, key).then(({ status }) => status);
    expect([await search(30), await search(31)]).toEqual([200, 400]);
  });
});

describe('a generator of requests', () => {
  const piece = fc.oneof(
    fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom(...'&=?%;,:"\\ \t/#[{(-@.a9é\u0301') }),
    fc.constantFrom('&a#=', '%26', '%CC%81', '"#",', '"a#":[', '((', '-(', '" "', ' OR ', 'key=', 'perch_live_', '@#'),
  );
  const safe = (text: string) => encodeURI(text).replaceAll('#', '').replaceAll('%25', '%') || '&';
  const inHeaders = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '~').padStart(2, 'a');
  const inJson = (text: string) => `${JSON.stringify(text).slice(1, -1)}`;
  const sent = fc.oneof(
    fc
      .tuple(fc.constantFrom('/v1/me', '/v1/tweets/search', '/v1/usage', '/sign-in', '/'), piece)
      .map(([path, text]) => inQuery(path, safe(text))),
    fc
      .tuple(fc.constantFrom('/v1/users/', '/v1/tweets/', '/problems/', '/x'), piece)
      .map(([path, text]) => inPath(path, safe(text).replaceAll('?', ''))),
    fc.tuple(fc.constantFrom('q', 'cursor', 'fresh', 'product', 'max_credits'), piece).map(
      ([name, text]): Sent => ({
        path: `/v1/tweets/search?${name}=${encodeURIComponent(text).repeat(400)}`.slice(0, 8100).replace(/%.?$/, ''),
      }),
    ),
    fc
      .tuple(
        fc.constantFrom(
          'accept',
          'cookie',
          'authorization',
          'accept-encoding',
          'x-max-credits',
          'content-type',
          'traceparent',
        ),
        piece,
      )
      .map(([name, text]) => inHeader(name, inHeaders(text), '/v1/me')),
    fc.tuple(fc.constantFrom('/sign-in/mail', '/api/oauth/token'), piece).map(([path, text]) => asForm(path, text)),
    fc
      .tuple(fc.constantFrom('/v1/users/batch', '/api/oauth/register', '/mcp', '/sign-in/passkey'), piece)
      .map(([path, text]) => asJson(path, asForm(path, text).body ?? '')),
    fc
      .tuple(
        fc.constantFrom('search_tweets', 'get_user', 'get_users', 'price'),
        fc.constantFrom('q', 'handle', 'handles', 'tool'),
        piece,
      )
      .map(([tool, name, text]) =>
        asJson(
          '/mcp',
          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":{"${name}":"${inJson(text).repeat(60_000 / (inJson(text).length * 3))}"}}}`,
        ),
      ),
  );

  test('finds none that is slow for its length, or has too long an answer', async () => {
    const endsAt = performance.now() + SEARCH_MS;
    let slowest: { ms: number; sent: Sent } = { ms: 0, sent: { path: '' } };
    for (const one of fc.sample(sent, { seed: 12, numRuns: 1500 })) {
      if (performance.now() > endsAt) break;
      let best = Number.POSITIVE_INFINITY;
      for (let round = 0; !isEnough(round, best <= MOST_MS / 3, best >= MOST_MS); round += 1) {
        const before = process.cpuUsage();
        const { status, bytes } = await sendTo(perch, one, key);
        const { user, system } = process.cpuUsage(before);
        best = Math.min(best, (user + system) / 1000);
        expect(status, JSON.stringify(one).slice(0, 300)).not.toBe(500);
        if (status >= 400) expect(bytes, JSON.stringify(one).slice(0, 300)).toBeLessThan(MOST_BYTES);
      }
      if (best > slowest.ms) slowest = { ms: best, sent: one };
    }
    expect(slowest.ms, JSON.stringify(slowest.sent).slice(0, 300)).toBeLessThan(MOST_MS);
  });
});
