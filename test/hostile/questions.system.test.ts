/**
 * Questions about the past are free. Many of them, slow ones and abandoned ones must take nothing from anybody else.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { QUERY_CONNECTIONS, QueryLimiter } from '../../adapters/postgres/ledger/query-limiter.js';
import { connect, type Sql } from '../../adapters/postgres/sql.js';
import { ServiceError } from '../../src/domain/errors.js';
import { post } from '../interfaces/graphql/client.js';
import { type Service, startService } from '../interfaces/graphql/service.js';
import { createClient, rows } from '../kit/client.js';
import type { TestAccount } from '../kit/perch.js';
import { addPastDebits } from '../kit/postgres/past-debits.js';
import { until } from '../kit/time/until.js';

/** A year of charges. */
const CHARGES = 20_000;

let service: Service;
let account: TestAccount;
let reader: TestAccount;
let sql: Sql;

beforeAll(async () => {
  service = await startService();
  sql = service.perch.database.sql;
  account = await service.perch.account({ credits: CHARGES + 1_000 });
  reader = await service.perch.account({ credits: 10_000 });
  await addPastDebits(sql, account, { count: CHARGES, days: 360, amount: 1000 });
});
afterAll(() => service.close());

const client = (account: TestAccount) => createClient(service.perch.url, account.key);

/** All days of the year before, grouped by everything: the largest answer there is. */
const LARGEST = `/v1/usage?group=day,endpoint,key&from=${new Date(Date.now() - 365 * 86_400_000).toISOString().slice(0, 10)}`;

/** Makes every question slow: a table that only questions read is locked, and paid reads do not need it. */
async function whileSlow(work: () => Promise<void>): Promise<void> {
  const locker = await sql.reserve();
  try {
    await locker`begin`;
    await locker`lock table usage_days in access exclusive mode`;
    await work();
  } finally {
    await locker`rollback`;
    locker.release();
  }
}

const atWork = async (): Promise<number> => {
  const [row] = await sql<{ count: number }[]>`
    select count(*) from pg_stat_activity
    where datname = current_database() and application_name = 'perch history' and state = 'active'
      and query like '%usage_days%'`;
  return row?.count ?? 0;
};

describe('many questions of one account', () => {
  /** Processor time that the test before used is forgotten after a second without other accounts. */
  beforeEach(() => sleep(1_100));

  it('run 2 at a time while 16 wait and the rest is refused at once, beside paid reads of others', async () => {
    const requests: Promise<{ status: number; body: { error: { code: string; reason: string } }; headers: Headers }>[] =
      [];
    await whileSlow(async () => {
      for (let nth = 0; nth < 40; nth += 1) requests.push(client(account).get(LARGEST));
      await until('one is at work', async () => (await atWork()) > 0);
      for (let nth = 0; nth < 30; nth += 1) {
        const began = performance.now();
        expect((await client(reader).get('/v1/users/user1')).status).toBe(200);
        expect(performance.now() - began).toBeLessThan(2_000);
      }
      expect(await atWork()).toBeLessThanOrEqual(2);
    });
    const replies = await Promise.all(requests);
    const refused = replies.filter(({ body }) => body.error?.reason === 'questions');
    // 22, if all of them arrive before the first has ended.
    expect(refused.length).toBeGreaterThanOrEqual(15);
    for (const { status, body, headers } of refused) {
      expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'upstream_rate_limited', '1']);
    }
    // The waiting queries are answered, unless this machine was so slow that the time limit came first.
    for (const { status } of replies) expect([200, 503]).toContain(status);
  });

  it('in one GraphQL document count as that many', async () => {
    const fields = Array.from({ length: 10 }, (_, nth) => `q${nth}: usage { requests }`).join(' ');
    await whileSlow(async () => {
      const requests = [1, 2, 3].map(() => post(service.perch, account, `{ ${fields} }`));
      await until('one is at work', async () => (await atWork()) > 0);
      expect((await client(reader).get('/v1/users/user2')).status).toBe(200);
      const bodies = (await Promise.all(requests)).map(({ body }) => body);
      const reasons = bodies.flatMap(({ errors = [] }) => errors.map(({ extensions }) => extensions.reason));
      expect(reasons.filter((reason) => reason === 'questions').length).toBeGreaterThanOrEqual(6);
    });
  });

  it('in one GraphQL document share the rows of one answer', async () => {
    const from = new Date(Date.now() - 365 * 86_400_000).toISOString().slice(0, 10);
    const page = (name: string, first: number) =>
      `${name}: usagePage(from: "${from}", group: "day,endpoint", first: ${first}) { nodes { requests } }`;
    const fits = await post(service.perch, account, `{ ${page('a', 500)} ${page('b', 500)} }`);
    const data = fits.body.data as Record<string, { nodes: unknown[] }>;
    expect(Object.values(data).map(({ nodes }) => nodes.length)).toEqual([500, 500]);
    const { status, body } = await post(
      service.perch,
      account,
      `{ ${page('a', 501)} ${page('b', 500)} ${page('c', 1)} }`,
    );
    expect(status).toBe(200);
    expect(Object.values(body.data ?? {}).filter((one) => one === null).length).toBeGreaterThan(0);
    for (const { message, extensions } of body.errors) {
      expect([extensions.code, message]).toEqual(['bad_request', expect.stringContaining('1,000 rows of usage')]);
    }
  });

  it('with too many rows are refused with what to use instead', async () => {
    const from = new Date(Date.now() - 365 * 86_400_000).toISOString().slice(0, 10);
    const usage = `usage(from: "${from}", group: "day,endpoint") { requests }`;
    for (const query of [`{ ${usage} }`, `{ me { ${usage} } }`]) {
      const { body } = await post(service.perch, account, query);
      const [error] = body.errors;
      expect([error?.extensions.code, error?.message]).toEqual([
        'bad_request',
        expect.stringMatching(/more than 1,000 rows: use usagePage/),
      ]);
      expect(JSON.stringify(body.data)).not.toContain('requests');
    }
  });

  it('do not stop that of another account, which is answered', async () => {
    await client(reader).get('/v1/users/user3');
    const many = Array.from({ length: 40 }, () => client(account).get(LARGEST));
    const other = await client(reader).get('/v1/usage');
    expect([other.status, rows(other).length]).toEqual([200, 1]);
    const statuses = new Set((await Promise.all(many)).map(({ status }) => status));
    expect([...statuses].every((status) => status === 200 || status === 503)).toBe(true);
  });
});

describe('questions of many accounts', () => {
  const sleep = (seconds: number) => (on: Sql) => on<object[]>`select pg_sleep(${seconds})`;
  let pool: Sql;
  beforeAll(() => {
    pool = connect(service.perch.database.target, { max: QUERY_CONNECTIONS });
  });
  afterAll(() => pool.end({ timeout: 1 }));

  it('share the places: an account that comes when others have filled them finds one', async () => {
    const questions = new QueryLimiter(pool, { total: 20 });
    const runs = ['a', 'b', 'c'].flatMap((account) =>
      Array.from({ length: 18 }, () => questions.run(account, sleep(0.05)).catch((error: unknown) => error)),
    );
    await expect(questions.run('newcomer', sleep(0))).resolves.toHaveLength(1);
    const refused = (await Promise.all(runs)).filter((one) => one instanceof ServiceError);
    expect(refused.length).toBeGreaterThan(20);
    expect(new Set(refused.map((one) => (one as ServiceError).detail.reason))).toEqual(new Set(['questions']));
  });

  it('begin a second one of an account only if a connection is free', async () => {
    const questions = new QueryLimiter(pool);
    const done: string[] = [];
    const run = (account: string) => questions.run(account, sleep(0.3)).then(() => done.push(account));
    const runs = ['a', 'b', 'c', 'd'].flatMap((account) => [run(account), run(account), run(account)]);
    await run('newcomer');
    expect(done.length).toBeLessThanOrEqual(8);
    await Promise.all(runs);
  });

  it('keep their place until the database is done, even if the caller left', async () => {
    let begun = 0;
    let finish: () => void = () => {};
    const stuck = {
      begin: () => {
        begun += 1;
        return new Promise<object[]>((resolve) => {
          finish = () => resolve([]);
        });
      },
    };
    const questions = new QueryLimiter(stuck as unknown as Sql, { perAccount: 1, totalMs: 300 });
    const leaving = new AbortController();
    const left = questions.run('a', sleep(0), leaving.signal);
    const next = questions.run('a', sleep(0));
    const late = expect(next).rejects.toThrow('did not finish within 0.3 s');
    await until('the first has begun', () => begun === 1);
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    await late;
    expect(begun).toBe(1);
    finish();
    const last = questions.run('a', sleep(0));
    await until('the last has begun', () => begun === 2);
    finish();
    await expect(last).resolves.toEqual([]);
  });
});

describe('a slow question', () => {
  it('is cancelled in the database when its caller leaves', async () => {
    await whileSlow(async () => {
      // On a crowded machine the time limit may pass before the query is seen at work; then this is repeated.
      let left = false;
      for (let tries = 0; !left && tries < 5; tries += 1) {
        const leaving = new AbortController();
        const pending = fetch(`${service.perch.url}${LARGEST}`, {
          headers: { 'x-api-key': account.key },
          signal: leaving.signal,
        }).catch(() => 'left');
        await until('it is at work', async () => (await atWork()) === 1);
        leaving.abort();
        left = (await pending) === 'left';
      }
      expect(left).toBe(true);
      // Well before the time limit of the database would have ended it.
      const began = performance.now();
      await until('none is at work', async () => (await atWork()) === 0);
      expect(performance.now() - began).toBeLessThan(2_500);
    });
  });

  it('is ended after 3 s: 503, free, and the next one is answered', async () => {
    await whileSlow(async () => {
      const { status, body, headers } = await client(account).get(LARGEST);
      expect([status, body.error.code, body.error.reason]).toEqual([503, 'upstream_error', 'question_time']);
      expect(headers.get('retry-after')).toBe('5');
      await until('none is at work', async () => (await atWork()) === 0);
    });
    expect((await client(account).get('/v1/usage')).status).toBe(200);
  });
});

it('answers a large question in pages: every row once, and the sum is what was spent', async () => {
  let path = LARGEST;
  let requests = 0;
  let pages = 0;
  for (;;) {
    const reply = await client(account).get(path);
    expect(reply.status).toBe(200);
    const page = rows(reply);
    expect(page.length).toBeLessThanOrEqual(1_000);
    requests += page.reduce((sum, row) => sum + Number(row.requests), 0);
    pages += 1;
    if (reply.body.next_cursor === undefined) break;
    path = `${LARGEST}&cursor=${reply.body.next_cursor}`;
  }
  expect([requests, pages > 5]).toEqual([CHARGES, true]);
});
