/** A database of the released 0.3.0 is upgraded at the first start: books are exact, keys work, tweets are found. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { IMPORT_LOCK } from '../../adapters/networks/corpus/import/sql.js';
import type { Sql } from '../../adapters/postgres/sql.js';
import { toThousandths } from '../../src/domain/credits.js';
import { createClient } from '../kit/client.js';
import { startPerch, type TestPerch } from '../kit/perch.js';
import { loadReleased, recordedState } from './released.js';

const RECORDED = recordedState();
const ACCOUNTS = [...RECORDED.accounts, ...RECORDED.frozen].map(({ accountId }) => accountId);

let perch: TestPerch;
beforeAll(async () => {
  perch = await startPerch({ prepare: loadReleased, env: { PERCH_SECRET: RECORDED.secret, PERCH_PACE_SLOW: '100' } });
});
afterAll(() => perch?.close());

const as = (key: string) => createClient(perch.url, key);
const getBody = async (key: string, path: string) => {
  const { request_id: _, ...body } = (await as(key).get(path)).body;
  return body;
};

/** What the service says of an account now, for comparison with what 0.3.0 said. */
async function saidOf({ key, receipts }: (typeof RECORDED.accounts)[number]) {
  const me = await getBody(key, '/v1/me');
  const usage = await getBody(key, '/v1/usage?group=day,endpoint,key&from=2026-11-01&to=2026-12-31');
  const said = [];
  // One after the other, because an account may run few history queries at once.
  for (const { data } of receipts) said.push(await getBody(key, `/v1/usage/${data.request_id}`));
  return { me, usage, receipts: said };
}

async function expectBooksAsRecorded(): Promise<void> {
  for (const account of RECORDED.accounts) {
    const { me, usage, receipts } = account;
    expect(await saidOf(account), account.name).toMatchObject({ me, usage, receipts });
  }
  for (const { walletId, shown } of RECORDED.frozen) {
    const [row] = await perch.database.sql<{ balance: number }[]>`
      select balance_thousandths as balance from wallets where wallet_id = ${walletId}`;
    expect(Number(row?.balance)).toBe(toThousandths(shown.balance));
  }
  const rows = await perch.database.sql<{ id: string; charged: number }[]>`
    select request_id as id, amount_thousandths as charged from ledger_entries
    where kind = 'debit' and account_id = any(${ACCOUNTS})`;
  const charges = RECORDED.charges.map(({ id, charged }) => [id, toThousandths(charged)] as const);
  expect(new Map(rows.map(({ id, charged }) => [id, Number(charged)]))).toEqual(new Map(charges));
  expect((await perch.ledger.check()).faults).toEqual([]);
}

/** Makes a read for each account, and checks that its wallet falls by exactly the charge. */
async function readOnce(): Promise<void> {
  const path = Object.keys(RECORDED.corpus)[0] ?? '';
  for (const { key, walletId, me } of RECORDED.accounts) {
    const { status, body } = await as(key).get(path);
    expect(status).toBe(200);
    expect(body.credits_charged).toBeGreaterThan(0);
    expect(toThousandths(body.balance_remaining)).toBe(toThousandths(me.balance) - toThousandths(body.credits_charged));
    const [row] = await perch.database.sql<{ balance: number }[]>`
      select balance_thousandths as balance from wallets where wallet_id = ${walletId}`;
    expect(Number(row?.balance)).toBe(toThousandths(body.balance_remaining));
  }
  expect((await perch.ledger.check()).faults).toEqual([]);
}

test('keeps balances, usage and every receipt of 0.3.0, before and after maintenance', async () => {
  await expectBooksAsRecorded();
  await perch.ledger.runMaintenance();
  await expectBooksAsRecorded();
  await readOnce();
});

test('reads and searches the stored network data as before, once it is indexed', async () => {
  const { key } = await perch.account();
  await expect.poll(async () => (await perch.database.sql`select from search_index where not complete`).length).toBe(0);
  for (const [path, data] of Object.entries(RECORDED.corpus)) {
    if (path.includes('cursor=')) continue;
    const reply = await as(key).get(path);
    expect([path, reply.status, reply.body.data]).toEqual([path, 200, data]);
  }
});

test('lets a hosted client use its refresh token under the cap that its customer set', async () => {
  const { clientId, refreshToken } = RECORDED.oauth;
  const fields = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken };
  const response = await fetch(`${perch.url}/api/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) });
  expect(response.status).toBe(200);
  const { access_token: key } = (await response.json()) as { access_token: string };
  expect((await as(key).get('/v1/me')).status).toBe(200);
  const accounts = await Promise.all(ACCOUNTS.map((id) => perch.stores.accounts.get(id)));
  const caps = accounts.flatMap((account) => account?.keys ?? []).filter(({ prefix }) => key.startsWith(prefix));
  expect(caps).toMatchObject([{ cap: { amount: 40_000, period: 'total', spent: expect.any(Number) } }]);
  expect(caps[0]?.cap?.spent).toBeGreaterThan(0);
});

test('keeps a revoked key revoked, a frozen account frozen, and a spent cap spent', async () => {
  for (const key of [RECORDED.revoked, ...RECORDED.frozen.map((account) => account.key)]) {
    expect((await as(key).get('/v1/me')).status).toBe(401);
  }
  const [{ otherKeys: [capped = ''] = [] } = {}] = RECORDED.accounts;
  const reply = await as(capped).get('/v1/users/nobody_yet_read?fresh=true');
  expect([reply.status, reply.body.error.code]).toEqual([402, 'no_credits']);
});

test('refuses searches, free of charge, until the tweets of 0.3.0 are indexed, and serves all other reads', async () => {
  let indexing: Awaited<ReturnType<Sql['reserve']>> | undefined;
  const node = await startPerch({
    env: { PERCH_SECRET: RECORDED.secret },
    async prepare(database) {
      await loadReleased(database);
      indexing = await database.sql.reserve();
      await indexing`select pg_advisory_lock(${IMPORT_LOCK})`;
    },
  });
  try {
    const account = await node.account();
    const get = (path: string) => createClient(node.url, account.key).get(path);
    const paths = Object.keys(RECORDED.corpus).filter((path) => !path.includes('cursor='));
    const searches = paths.filter((path) => path.includes('/search'));
    expect(searches.length).toBeGreaterThan(0);
    for (const path of searches) {
      const { status, body, headers } = await get(path);
      expect([status, body.error.code, body.error.reason]).toEqual([503, 'upstream_rate_limited', 'indexing']);
      expect(headers.get('retry-after')).toBe('60');
    }
    expect(await node.balance(account)).toBe(1000);
    const others = paths.filter((path) => !searches.includes(path));
    expect(others.length).toBeGreaterThan(0);
    for (const path of others) expect([path, (await get(path)).status]).toEqual([path, 200]);
    await indexing?.unsafe('select pg_advisory_unlock_all()');
    await expect.poll(async () => (await get(searches[0] ?? '')).status).toBe(200);
  } finally {
    indexing?.release();
    await node.close();
  }
});
