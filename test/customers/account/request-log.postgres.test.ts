/** An account's log of requests: what it contains, what it omits, and its bounds. */
import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRequestLog, KEPT_REQUESTS } from '../../../adapters/postgres/figures/request-log.js';
import { QueryLimiter } from '../../../adapters/postgres/ledger/query-limiter.js';
import { MOST_ANSWERED, MOST_FAILED, RequestBook } from '../../../src/figures/request-book.js';
import type { LoggedRequest, RequestLog } from '../../../src/ports/figures.js';
import { fillSmallCorpus } from '../../interfaces/v1/small-corpus.js';
import { createClient } from '../../kit/client.js';
import { fillInvented } from '../../kit/demo.js';
import { startPerch, type TestAccount, type TestPerch } from '../../kit/perch.js';

let perch: TestPerch;
let log: RequestLog;
/** Background jobs by their interval in milliseconds. */
const polls = new Map<number, (() => Promise<void>)[]>();

beforeAll(async () => {
  perch = await startPerch({
    async prepare(database) {
      await fillSmallCorpus(database.sql);
      await fillInvented(database);
    },
    startPoll: (run, everyMs) => {
      polls.set(everyMs, [...(polls.get(everyMs) ?? []), run]);
      return { close: async () => {} };
    },
  });
  log = createRequestLog(perch.database.sql, new QueryLimiter(perch.database.sql));
});
afterAll(() => perch?.close());

const written = async (): Promise<void> => {
  for (const run of polls.get(5_000) ?? []) await run();
};
const logOf = async ({ accountId }: TestAccount, filter: Partial<Parameters<RequestLog['list']>[1]> = {}) => {
  // A request is noted only after its answer has left.
  await new Promise((resolve) => setTimeout(resolve, 50));
  await written();
  return log.list(accountId, { limit: 100, ...filter });
};

describe('the log of an account', () => {
  it('has answers and failures of each interface, with key, status, time, address and credits', async () => {
    const account = await perch.account();
    const { key, keyId } = account;
    const client = createClient(perch.url, key);
    await client.get('/v1/users/Aurora_Obs/tweets?count=5');
    await client.get('/v1/users/nobody_here');
    await client.get('/v1/users/Aurora_Obs/tweets?count=x');
    await client.post('/graphql', { query: 'query Mine { timeline(user: "1", first: 2) { nodes { id } } }' });
    const rows = await logOf(account);
    expect(rows.map(({ status, code, operation, interface: through }) => [through, operation, status, code])).toEqual([
      ['graphql', 'Mine', 200, null],
      ['rest', 'user-tweets', 400, 'bad_request'],
      ['rest', 'user', 404, 'not_found'],
      ['rest', 'user-tweets', 200, null],
    ]);
    expect(rows.every((row) => row.keyId === keyId && row.ms >= 0)).toBe(true);
    expect(rows[3]).toMatchObject({
      requestLine: 'GET /v1/users/Aurora_Obs/tweets?count=5',
      charged: 5_000,
      message: null,
    });
    expect(rows[2]).toMatchObject({ charged: 0, message: expect.stringContaining('No such user') });
    expect(JSON.stringify(rows)).not.toContain('timeline(');
  });

  it('has the operation of a request that is over the rate limit', async () => {
    const account = await perch.account({ qps: 1 });
    const client = createClient(perch.url, account.key);
    await Promise.all([client.get('/v1/me'), client.get('/v1/me')]);
    expect((await logOf(account, { status: 429 })).map(({ operation }) => operation)).toEqual(['me']);
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_account', arguments: {} } };
    const threeCalls = () => Promise.all([1, 2, 3].map(() => client.post('/mcp', message)));
    await threeCalls();
    await threeCalls();
    const refused = (await logOf(account)).filter((row) => row.interface === 'mcp' && row.code === 'rate_limited');
    expect(refused.length).toBeGreaterThanOrEqual(4);
    expect(new Set(refused.map(({ operation }) => operation))).toEqual(new Set(['me']));
  });

  it('has the interface that a test key came through', async () => {
    const account = await perch.testKey(await perch.account());
    await createClient(perch.url, account.key).get('/v1/me');
    expect((await logOf(account)).map(({ interface: through }) => through)).toEqual(['rest']);
  });

  it('has answers that were sent ahead of the framework', async () => {
    const account = await perch.account();
    const client = createClient(perch.url, account.key);
    for (let nth = 0; nth < 4; nth++) await client.get('/v1/tweets/50001');
    expect((await logOf(account)).map(({ operation, status }) => [operation, status])).toEqual(
      Array.from({ length: 4 }, () => ['tweet', 200]),
    );
  });

  it('never contains a key, nor anything in an address that looks like a secret', async () => {
    const account = await perch.account();
    const client = createClient(perch.url, account.key);
    await client.get(`/v1/users/${account.key}?token=verysecret&fresh=${account.key}`);
    await client.post('/graphql', { query: `query ${account.key} { me { customerId } }` });
    const text = JSON.stringify(await logOf(account));
    expect(text).not.toContain(account.key.slice(20));
    expect(text).not.toContain('verysecret');
  });

  it('omits requests without a valid key', async () => {
    const before = await perch.database.sql`select count(*)::int as count from request_log`;
    await createClient(perch.url, 'perch_live_nonsense').get('/v1/me');
    await fetch(`${perch.url}/v1/me`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await written();
    expect(await perch.database.sql`select count(*)::int as count from request_log`).toEqual(before);
  });

  it('is filtered by key, status and operation, page by page', async () => {
    const account = await perch.account();
    const second = createClient(perch.url, await perch.secondKey(account));
    const first = createClient(perch.url, account.key);
    await first.get('/v1/tweets/50001');
    await second.get('/v1/tweets/50001');
    await second.get('/v1/tweets/1');
    const all = await logOf(account);
    expect(all).toHaveLength(3);
    expect(await logOf(account, { keyId: account.keyId })).toEqual([all[2]]);
    expect(await logOf(account, { status: 'failed' })).toEqual([all[0]]);
    expect(await logOf(account, { status: 200 })).toEqual([all[1], all[2]]);
    expect(await logOf(account, { operation: 'user' })).toEqual([]);
    expect(await logOf(account, { before: all[1]?.requestId })).toEqual([all[2]]);
    expect(await log.operations(account.accountId)).toEqual(['tweet']);
  });
});

const request = (accountId: string, nth: number): LoggedRequest => ({
  ...{ accountId, requestId: v7({ msecs: 1_750_000_000_000 + nth }), at: 1_750_000_000_000 + nth, keyId: null },
  ...{ interface: 'rest', operation: 'x'.repeat(100), status: 200, code: null, message: 'm'.repeat(1000) },
  ...{ requestLine: 'a'.repeat(1000), ms: 1.4, charged: 500 },
});

describe('a batch of requests', () => {
  it('has its texts cut, is written once if repeated, and leaves the newest 1,000 of an account', async () => {
    const [{ accountId }, other] = [await perch.account(), await perch.account()];
    const rows = Array.from({ length: KEPT_REQUESTS + 20 }, (_, nth) => request(accountId, nth));
    await log.write([...rows.slice(0, 600), request(other.accountId, 0)]);
    await log.write(rows.slice(0, 600));
    await log.write(rows.slice(600));
    const kept = await log.list(accountId, { limit: 5_000 });
    expect(kept).toHaveLength(KEPT_REQUESTS);
    expect(kept.at(-1)?.requestId).toBe(rows[20]?.requestId);
    expect(kept[0]).toMatchObject({
      operation: 'x'.repeat(64),
      message: 'm'.repeat(300),
      requestLine: 'a'.repeat(500),
      ms: 1,
    });
    expect(await log.list(other.accountId, { limit: 10 })).toHaveLength(1);
  });

  it('is written without requests of a deleted account', async () => {
    const { accountId } = await perch.account();
    await perch.database.sql`update accounts set deleted_at = now() where account_id = ${accountId}`;
    await log.write([request(accountId, 0)]);
    expect(await log.list(accountId, { limit: 10 })).toEqual([]);
  });

  it('is deleted when it is too old', async () => {
    const { accountId } = await perch.account();
    await log.write([request(accountId, 0), request(accountId, 10)]);
    await log.forget(new Date(1_750_000_000_005));
    expect(await log.list(accountId, { limit: 10 })).toHaveLength(1);
  });
});

describe('the book of requests', () => {
  const open = () => {
    const batches: (readonly LoggedRequest[])[] = [];
    const store = { fails: false };
    const book = new RequestBook({
      write: async (rows) => {
        if (store.fails) throw new Error('no database');
        batches.push(rows);
      },
    });
    return { book, batches, store };
  };

  it('keeps some answers and some failures of each account, and drops the rest', async () => {
    const { book, batches } = open();
    let made = 0;
    const note = (accountId: string, isFailure: boolean) =>
      book.note(accountId, isFailure, () => {
        made += 1;
        return request(accountId, made);
      });
    for (let nth = 0; nth < 1000; nth++) {
      note('busy', nth % 2 === 0);
      if (nth < 3) note('quiet', false);
    }
    await book.flush();
    expect(made).toBe(MOST_ANSWERED + MOST_FAILED + 3);
    expect(batches[0]).toHaveLength(made);
    note('busy', false);
    await book.flush();
    expect(batches[1]).toHaveLength(1);
  });

  it('is bounded over all accounts, and keeps requests that could not be written', async () => {
    const { book, batches, store } = open();
    store.fails = true;
    for (let nth = 0; nth < 3_000; nth++) book.note(randomUUID(), true, () => request('a', nth));
    await expect(book.flush()).rejects.toThrow('no database');
    for (let nth = 0; nth < 9_000; nth++) book.note(randomUUID(), true, () => request('b', nth));
    store.fails = false;
    await book.flush();
    expect(batches.map(({ length }) => length)).toEqual([5_000]);
  });
});
