/**
 * What the service remembers of a call (its price, its answer, the encodings of that) makes the same call cheaper and
 * changes nothing else: each request is answered alike, byte for byte, by a service that remembers and one that does not.
 */
import { afterEach, expect, it, vi } from 'vitest';
import { AnswerCache } from '../../src/serve/answer-cache.js';
import { PricedVariables } from '../../src/serve/priced-variables.js';
import { Rendered } from '../../src/serve/rendered.js';
import { MOUNTS, type Mount, startService } from '../graphql/service.js';
import type { TestAccount } from '../support/perch.js';

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

/** Of one run's own, or of one moment. */
const OWN_HEADERS = ['date', 'x-request-id', 'server-timing', 'ratelimit'];

/** What a service answers to each request of the corpus, sent three times, and what its ledger then contains. */
async function answersOf(mount: Mount): Promise<{ replies: unknown[]; ledger: unknown[] }> {
  // Cursors are signed with it, and contain when they were issued: the clock stands still.
  const service = await startService({ PERCH_SECRET: 'ab'.repeat(32) }, mount);
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
        const text = (await response.text()).replaceAll(id, 'its id');
        // Compressed, the request's id takes more or fewer bytes.
        const own = response.headers.has('content-encoding') ? [...OWN_HEADERS, 'content-length'] : OWN_HEADERS;
        const shown = [...response.headers]
          .filter(([name]) => !own.includes(name))
          .map(([name, value]) => [name, value.replaceAll(perch.url, 'https://perch.example')]);
        replies.push({ asked: `${method} ${path} ${body ?? ''}`, nth, status: response.status, shown, text });
      }
    }
    const names = Object.entries(accounts).map(([name, { accountId }]) => [accountId, name] as const);
    const rows = await perch.database.sql`
      select account_id, seq, kind, amount_thousandths, balance_after, operation, items, cache_hits, lines
      from ledger_entries where kind = 'debit' order by account_id, seq`;
    const ledger = names.flatMap(([accountId, name]) =>
      rows.filter((row) => row.account_id === accountId).map((row) => ({ ...row, account_id: name })),
    );
    return { replies, ledger };
  } finally {
    await service.close();
  }
}

function rememberNothing(): void {
  vi.spyOn(AnswerCache.prototype, 'find').mockImplementation(async () => undefined);
  vi.spyOn(Rendered.prototype, 'get').mockImplementation(() => undefined);
  const { of } = PricedVariables.prototype;
  vi.spyOn(PricedVariables.prototype, 'of').mockImplementation(function (this: PricedVariables, ...call) {
    return of.apply(new PricedVariables(this.checks), call);
  });
}

it.each(MOUNTS)('a call that was served before is answered, headed and charged like the first (%s)', async (mount) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 22) });
  try {
    const remembering = await answersOf(mount);
    rememberNothing();
    const forgetting = await answersOf(mount);
    expect(remembering).toEqual(forgetting);
    const charged = forgetting.ledger.length;
    expect(charged).toBeGreaterThan(150);
  } finally {
    vi.useRealTimers();
  }
});
