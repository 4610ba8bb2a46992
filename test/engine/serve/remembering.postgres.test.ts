/**
 * What the service remembers of a request (its question, price, answer, and the answer's encodings) makes the same
 * request cheaper and changes nothing else: a service that remembers and one that does not answer each request alike,
 * byte for byte, and log and charge it alike.
 */
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { Plans } from '../../../adapters/http/plans.js';
import { REQUEST } from '../../../adapters/http/request-log.js';
import { PricedVariables } from '../../../src/documents/priced-variables.js';
import { AnswerCache } from '../../../src/serve/answer-cache.js';
import { Rendered } from '../../../src/serve/rendered.js';
import { MOUNTS, type Mount, startService } from '../../interfaces/graphql/service.js';
import { rawClient } from '../../interfaces/http/raw.js';
import type { TestAccount } from '../../kit/perch.js';

afterEach(() => vi.restoreAllMocks());

interface Sent {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly body?: string;
  /** Which account's key is sent; null: none. */
  readonly by?: 'rich' | 'poor' | null;
}

const DOCUMENT = 'query Timeline($user: ID!, $n: Int = 3) { timeline(user: $user, first: $n) { nodes { id text } } }';
const json = (body: object): Pick<Sent, 'method' | 'body' | 'headers'> => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});
const graphql = (body: object, sent: Partial<Sent> = {}): Sent => ({ path: '/graphql', ...json(body), ...sent });
const withHeaders = (sent: Sent, headers: Sent['headers']): Sent => ({
  ...sent,
  headers: { ...sent.headers, ...headers },
});

const READS: readonly Sent[] = [
  { path: '/v1/tweets/150' },
  { path: '/v1/users/1/tweets?count=5' },
  { path: '/v1/users/1/tweets?count=5&unknown=1' },
  { path: '/v1/users/1/followers?count=20' },
  { path: '/v1/tweets/batch?ids=101,102,no-such,103' },
  { path: '/v1/tweets/batch', ...json({ ids: ['101', '102'] }) },
  graphql({ query: DOCUMENT, variables: { user: '1' } }),
  graphql({ query: DOCUMENT, variables: { n: 3, user: '1' } }),
  graphql({ query: DOCUMENT, variables: { user: '1', n: 20 }, operationName: 'Timeline' }),
  graphql({ documentId: 'tweet', variables: { id: '150' } }),
  { path: `/graphql?query=${encodeURIComponent('{ tweet(id: "150") { text } }')}` },
  { path: `/graphql?query=${encodeURIComponent(DOCUMENT)}&variables=${encodeURIComponent('{"user":"2"}')}` },
];

const CORPUS: readonly Sent[] = [
  ...READS,
  ...READS.map((sent) => withHeaders(sent, { 'accept-encoding': 'gzip, deflate, br' })),
  ...READS.map((sent) =>
    withHeaders(sent, { 'accept-encoding': 'gzip', traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01` }),
  ),
  ...READS.map((sent) => withHeaders(sent, { 'x-max-credits': '1.5' })),
  ...READS.map((sent) => withHeaders(sent, { accept: 'application/graphql-response+json' })),
  ...READS.map((sent): Sent => ({ ...sent, by: 'poor' })),
  ...READS.map((sent): Sent => ({ ...sent, by: null })),
  ...READS.map((sent) => withHeaders(sent, { 'x-api-key': 'perch_live_wrong' })),
  { path: '/v1/users/1/tweets?count=5&fresh=true' },
  { path: '/v1/users/1/tweets?count=5&estimate=true' },
  { path: '/v1/users/1/tweets?count=5&max_credits=0.5' },
  { path: '/v1/users/1/tweets?count=0' },
  { path: '/v1/users/1/tweets?limit=5' },
  { path: '/v1/users/1/tweets?cursor=made-up' },
  { path: '/v1/users/1/tweets?count=5', method: 'HEAD' },
  { path: '/v1/users/1/tweets?count=5', method: 'OPTIONS' },
  { path: '/v1/users/1/tweets?count=5', method: 'DELETE' },
  { path: '/v1/tweets/999' },
  graphql({ query: DOCUMENT, variables: { user: 1.5 } }),
  graphql({ query: DOCUMENT }),
  graphql({ query: DOCUMENT, variables: { user: '1' }, extensions: { dryRun: true } }),
  graphql({ query: DOCUMENT, variables: { user: '1' }, extensions: { maxCredits: 0.5 } }),
  graphql({ query: '{ me { balance } timeline(user: "1", first: 2) { nodes { id } } }' }),
  graphql({ query: '{ nothing }' }),
  graphql({ query: '{ __schema { queryType { name } } }' }, { by: null }),
];

const PATH = '/v1/users/1/tweets?count=5';
const POSTED = JSON.stringify({ query: DOCUMENT, variables: { user: '1' } });

/** What no client of HTTP would send. `KEY` stands for the key; the last request on each connection closes it. */
const RAW: readonly string[] = [
  `GET ${PATH} HTTP/1.1\r\nHost: a\r\nX-Api-Key: KEY\r\nX-Api-Key: KEY\r\nConnection: close\r\n\r\n`,
  `GET ${PATH} HTTP/1.1\r\nHost: a\r\nHost: b\r\nX-Api-Key: KEY\r\nConnection: close\r\n\r\n`,
  `GET ${PATH} HTTP/1.1\r\nX-Api-Key: KEY\r\nConnection: close\r\n\r\n`,
  `GET ${PATH} HTTP/1.1\r\nHost: a\r\nX-Api-Key: KEY\r\nExpect: 200-ok\r\nConnection: close\r\n\r\n`,
  `GET ${PATH} HTTP/1.1\r\nHost: a\r\nX-Api-Key: KEY\r\nX-Long: ${'x'.repeat(16 * 1024)}\r\nConnection: close\r\n\r\n`,
  `GET ${PATH} HTTP/1.1\r\nHost: a\r\nX-Api-Key: KEY\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
  `GET ${PATH} HTTP/1.0\r\nAuthorization: Bearer KEY\r\n\r\n`,
  `GET ${PATH} HTTP/1.1\r\nHost: a\r\nX-Api-Key: KEY\r\n\r\n`.repeat(3) +
    `GET ${PATH} HTTP/1.1\r\nHost: a\r\nX-Api-Key: KEY\r\nConnection: close\r\n\r\n`,
  `POST /graphql HTTP/1.1\r\nHost: a\r\nX-Api-Key: KEY\r\nContent-Type: application/json\r\nContent-Length: ${POSTED.length}\r\n\r\n${POSTED}`.repeat(
    2,
  ) +
    `POST /graphql HTTP/1.1\r\nHost: a\r\nX-Api-Key: KEY\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${POSTED.length.toString(16)}\r\n${POSTED}\r\n0\r\n\r\n`,
];

/** A head whose body follows only after the head was read. */
const LATE = [
  `POST /graphql HTTP/1.1\r\nHost: a\r\nX-Api-Key: KEY\r\nContent-Type: application/json\r\nContent-Length: ${POSTED.length}\r\nConnection: close\r\n\r\n`,
  POSTED,
] as const;

/** Headers that differ from run to run, or from moment to moment. */
const OWN_HEADERS = ['date', 'x-request-id', 'server-timing', 'ratelimit'];
const OWN_OF_RAW = /^(?:date|x-request-id|server-timing|ratelimit|content-length): .*$/i;
const OWN_OF_LOG = ['time', 'ms', 'request_id', 'account', 'queue_ms'];

/** Everything that is said about each request of the corpus, sent three times. */
interface Said {
  readonly replies: unknown[];
  readonly ledger: unknown[];
  readonly log: unknown[];
}

async function answersOf(mount: Mount): Promise<Said> {
  const log: unknown[] = [];
  const lines = new Writable({
    write(text: Buffer, _encoding, done) {
      const entry = Object.entries(JSON.parse(text.toString('utf8'))).filter(([name]) => !OWN_OF_LOG.includes(name));
      const line = Object.fromEntries(entry);
      if (line.msg === REQUEST) log.push(line);
      done();
    },
  });
  // It signs cursors, which contain the time of issue; the clock stands still.
  const service = await startService({ PERCH_SECRET: 'ab'.repeat(32) }, mount, {
    log: pino({ level: 'info', base: null }, lines),
  });
  try {
    const { perch } = service;
    const accounts: Readonly<Record<'rich' | 'poor', TestAccount>> = {
      rich: await perch.account({ credits: 10_000 }),
      poor: await perch.account({ credits: 6 }),
    };
    const replies: unknown[] = [];
    for (const { path, method = 'GET', body, headers = {}, by = 'rich' } of CORPUS) {
      for (let nth = 0; nth < 3; nth += 1) {
        const key = by === null ? {} : { 'x-api-key': accounts[by].key };
        const options = { method, headers: { ...key, ...headers }, ...(body !== undefined && { body }) };
        const response = await fetch(perch.url + path, options);
        const id = response.headers.get('x-request-id') ?? '';
        const text = (await response.text()).replaceAll(id, 'its id').replaceAll(perch.url, 'https://perch.example');
        // Compressed, the request's id takes more or fewer bytes.
        const own = response.headers.has('content-encoding') ? [...OWN_HEADERS, 'content-length'] : OWN_HEADERS;
        const shown = [...response.headers]
          .filter(([name]) => !own.includes(name))
          .map(([name, value]) => [name, value.replaceAll(perch.url, 'https://perch.example')]);
        replies.push({ request: `${method} ${path} ${body ?? ''}`, nth, status: response.status, shown, text });
      }
    }
    const raw = async (...parts: readonly string[]): Promise<void> => {
      const [first = '', ...rest] = parts.map((part) => part.replaceAll('KEY', accounts.rich.key));
      const client = rawClient(perch.url, first);
      for (const part of rest) {
        // The parts arrive separately.
        await sleep(100);
        client.socket.write(part);
      }
      const got = (await client.closed)
        .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]+/g, 'its id')
        .replaceAll(perch.url, 'https://perch.example');
      // The order of headers does not matter.
      const shown = got.split('\r\n').filter((line) => !OWN_OF_RAW.test(line));
      replies.push({ request: parts.join(), shown: shown.sort() });
    };
    for (const text of RAW) await raw(text);
    await raw(...LATE);
    const names = Object.entries(accounts).map(([name, { accountId }]) => [accountId, name] as const);
    const rows = await perch.database.sql`
      select account_id, seq, kind, amount_thousandths, balance_after, operation, items, cache_hits, lines
      from ledger_entries where kind = 'debit' order by account_id, seq`;
    const ledger = names.flatMap(([accountId, name]) =>
      rows.filter((row) => row.account_id === accountId).map((row) => ({ ...row, account_id: name })),
    );
    // A line is written when its connection is done with the answer.
    while (log.length < replies.length) await sleep(10);
    return { replies, ledger, log };
  } finally {
    await service.close();
  }
}

function rememberNothing(): void {
  vi.spyOn(Plans.prototype, 'find').mockImplementation(() => undefined);
  vi.spyOn(AnswerCache.prototype, 'find').mockImplementation(async () => undefined);
  vi.spyOn(Rendered.prototype, 'get').mockImplementation(() => undefined);
  const { of } = PricedVariables.prototype;
  vi.spyOn(PricedVariables.prototype, 'of').mockImplementation(function (this: PricedVariables, ...call) {
    return of.apply(new PricedVariables(this.checks), call);
  });
}

it.each(MOUNTS)(
  'answers, heads and charges a repeated call like the first (%s)',
  async (mount) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 22) });
    try {
      const found = vi.spyOn(Plans.prototype, 'find');
      const remembering = await answersOf(mount);
      const repeated = found.mock.results.filter(({ value }) => value !== undefined).length;
      // Mercurius runs each operation itself, so only calls by REST are repeated from memory.
      expect(repeated).toBeGreaterThan(mount === 'yoga' ? 150 : 60);
      rememberNothing();
      const forgetting = await answersOf(mount);
      expect(remembering).toEqual(forgetting);
      const charged = forgetting.ledger.length;
      expect(charged).toBeGreaterThan(150);
    } finally {
      vi.useRealTimers();
    }
  },
  120_000,
);
