/** What customers do on the dashboard, over a real database, and that no one else can do it in their place. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/lib/durations.js';
import { type Answer, type Customer, type DashboardService, startDashboard } from './service.js';

let service: DashboardService;
let ada: Customer;

beforeAll(async () => {
  service = await startDashboard();
});
beforeEach(async () => {
  ada = await service.customer('ada@harbour.example');
});
afterAll(() => service?.close());

const placeOf = ({ headers }: Answer): string | null => headers.get('location');

describe('a visitor who is not signed in', () => {
  it.each([
    ['/dashboard', '/dashboard'],
    ['/dashboard/usage?from=2026-11-01', '/dashboard/usage?from=2026-11-01'],
    ['/dashboard/usage.csv?group=key', '/dashboard/usage?group=key'],
    ['/dashboard/live', '/dashboard'],
    [`/dashboard/keys/${randomUUID()}`, null],
    ['/dashboard/security', '/dashboard/security'],
  ])('is sent from %s to sign in, and returns', async (path, next) => {
    const answer = await service.request(path, {});
    expect(answer.status).toBe(303);
    expect(placeOf(answer)).toBe(`/sign-in?next=${encodeURIComponent(next ?? path)}`);
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    expect(answer.body).toBe('');
  });

  it.each([
    ['/dashboard/keys', '/dashboard/keys'],
    [`/dashboard/keys/${randomUUID()}/revoke`, '/dashboard/keys'],
    ['/dashboard/credits/buy', '/dashboard/credits'],
    ['/dashboard/security/end-others', '/dashboard/security'],
  ])('cannot send a form to %s', async (path, next) => {
    const answer = await service.request(path, { method: 'POST', body: new URLSearchParams({ name: 'x' }) });
    expect([answer.status, placeOf(answer)]).toEqual([303, `/sign-in?next=${encodeURIComponent(next)}`]);
  });
});

describe('credits', () => {
  const buy = async (pack: string, page?: string) => {
    const answer = await ada.post('/dashboard/credits/buy', page === undefined ? { pack } : { pack, page });
    const session = placeOf(answer)?.split('/').at(-1) ?? '';
    return { answer, session };
  };

  it('redirects to the processor for a pack, and returns paid (W2)', async () => {
    const { answer, session } = await buy('starter');
    expect(answer.status).toBe(303);
    expect(placeOf(answer)?.startsWith(`${service.stripe.url}/`)).toBe(true);
    expect((await ada.get('/dashboard/credits')).words).toContain('Not paid yet');
    service.stripe.pay(session);
    const back = await ada.get(`/dashboard/credits?session_id=${session}`);
    expect([back.status, placeOf(back)]).toEqual([303, `/dashboard/credits?paid=${session}`]);
    expect((await ada.get(placeOf(back) ?? '')).words).toContain('Paid. 10,000 credits added to your wallet.');
    await ada.get(`/dashboard/credits?session_id=${session}`);
    expect(await ada.account()).toMatchObject({ balance: 10_000_000, paidUsd: 10 });
  });

  it('opens one checkout for two clicks of a button, and another for another button or after a reload (H12)', async () => {
    const pageKey = async () =>
      /name="page" value="([^"]+)"/.exec((await ada.get('/dashboard/credits')).body)?.[1] ?? '';
    const key = await pageKey();
    const [first, second] = await Promise.all([buy('starter', key), buy('starter', key)]);
    expect(first.session).not.toBe('');
    expect(second.session).toBe(first.session);
    const [other, anew] = [await buy('builder', key), await buy('starter', await pageKey())];
    expect(new Set([first.session, other.session, anew.session]).size).toBe(3);
  });

  it('hides the buttons from a frozen account, and refuses its form (W8)', async () => {
    expect((await ada.get('/dashboard/credits')).body).toContain('/dashboard/credits/buy');
    await service.sql`update accounts set frozen_at = now() where account_id = ${ada.accountId}`;
    const page = await ada.get('/dashboard/credits');
    expect(page.body).not.toContain('/dashboard/credits/buy');
    expect(page.words).toContain('A frozen account cannot buy credits.');
    const { answer } = await buy('starter');
    expect(answer.status).toBe(403);
    expect(answer.words).toContain('cannot buy credits');
  });

  it('opens a checkout for a key of the customer, not for a key of a client (A14)', async () => {
    await ada.allow('Lantern');
    const own = await ada.key();
    const client = (await ada.account()).keys.find(({ grantId }) => grantId !== null);
    const deskOf = (keyPrefix = '') =>
      service.billing.forCaller({ accountId: ada.accountId, keyPrefix, mode: 'live' }, null);
    await expect(deskOf(client?.prefix).checkout('starter', null)).rejects.toMatchObject({
      ...{ code: 'access_denied', detail: { reason: 'read_only' } },
    });
    expect((await deskOf(own.prefix).checkout('starter', null)).usd).toBe(10);
  });

  it('says that a purchase is not paid yet', async () => {
    const { session } = await buy('builder');
    const back = await ada.get(`/dashboard/credits?session_id=${session}`);
    expect((await ada.get(placeOf(back) ?? '')).words).toContain('Almost there.');
  });

  it("reveals and changes nothing for another account's checkout", async () => {
    const { session } = await buy('starter');
    service.stripe.pay(session);
    const eve = await service.customer();
    const back = await eve.get(`/dashboard/credits?session_id=${session}`);
    expect((await eve.get(placeOf(back) ?? '')).words).toContain('See purchases for the status of your payment');
    expect([(await eve.account()).balance, (await ada.account()).balance]).toEqual([0, 0]);
  });

  it('refuses an unknown pack', async () => {
    const { answer } = await buy('everything');
    expect(answer.status).toBe(400);
    expect(answer.words).toContain('Unknown pack');
  });

  it('lists added credits on the statement and spent ones in the receipts', async () => {
    await ada.grant(100);
    const { keyId } = await ada.key();
    const from = new Date().toISOString().slice(0, 10);
    const requestId = await ada.read(keyId, 7);
    service.clock.catchUp();
    expect((await ada.get('/dashboard/credits')).words).toContain('Granted welcome +100 100');
    expect((await ada.get(`/dashboard/receipts?request_id=${requestId}`)).words).toContain('7 credits for 7 items');
    expect((await ada.get('/dashboard/usage')).words).toContain('Total 1 7 7 0 7');
    const hours = await ada.get(`/dashboard/usage?from=${from}&group=hour&group=key`);
    expect(hours.words).toMatch(/\d{4}-\d\d-\d\d \d\d:00 perch_live_/);
    expect((await ada.get('/dashboard/usage.csv?group=endpoint')).body).toBe(
      'endpoint,requests,items,cache_hits,credits\r\nuser-tweets,1,7,0,7\r\n',
    );
  });
});

describe('without checkout', () => {
  it('answers a purchase with an explanation (S1, W9)', async () => {
    const closed = await startDashboard({ billed: false });
    const bob = await closed.customer();
    const answer = await bob.post('/dashboard/credits/buy', { pack: 'starter' });
    await closed.close();
    expect(answer.status).toBe(503);
    expect(answer.words).toContain('Card checkout is not available');
  });
});

describe('clients and sessions', () => {
  it('revokes the key of a disconnected client', async () => {
    const grantId = await ada.allow('Lantern');
    expect((await ada.get('/dashboard/clients')).words).toContain('Lantern');
    const answer = await ada.post(`/dashboard/clients/${grantId}/revoke`);
    expect([answer.status, placeOf(answer)]).toEqual([303, '/dashboard/clients?done=client-revoked']);
    expect((await ada.get('/dashboard/clients')).words).toContain('1 app no longer connected');
    expect((await ada.account()).keys[0]?.revokedAt).not.toBeNull();
  });

  it('ends one session or all others, and keeps the current one', async () => {
    const [one, two, three] = [await ada.otherSession(), await ada.otherSession(), await ada.otherSession()];
    expect((await ada.post(`/dashboard/security/sessions/${one}/end`)).status).toBe(303);
    const { body } = await ada.get('/dashboard/security');
    expect([one, two, three].map((id) => body.includes(id))).toEqual([false, true, true]);
    const answer = await ada.post('/dashboard/security/end-others');
    expect([answer.status, placeOf(answer)]).toEqual([303, '/dashboard/security?done=others-ended']);
    const after = await ada.get('/dashboard/security');
    expect(after.status).toBe(200);
    expect([two, three].some((id) => after.body.includes(id))).toBe(false);
    expect(after.words).toMatch(/Signed out by link; sessions \d/);
  });

  it('lists this session and the 99 used last, and ends all others with one entry in the log', async () => {
    const bob = await crowded(1500);
    const page = await bob.get('/dashboard/security');
    expect([page.body.match(/>Passkey</g)?.length, page.words.includes('1,401 more')]).toEqual([99, true]);
    expect(page.body).toContain('This session');
    await bob.post('/dashboard/security/end-others');
    const after = await bob.get('/dashboard/security');
    expect([after.body.match(/>Passkey</g), after.words.includes('more Sign out')]).toEqual([null, false]);
    expect((await bob.log()).filter((what) => what === 'session.ended')).toHaveLength(1);
  });

  it('ends a session that is not listed', async () => {
    const bob = await crowded(100);
    const other = await bob.otherSession();
    expect((await bob.get('/dashboard/security')).body).not.toContain(other);
    expect((await bob.post(`/dashboard/security/sessions/${other}/end`)).status).toBe(303);
    expect((await bob.post(`/dashboard/security/sessions/${other}/end`)).status).toBe(404);
  });

  it('shows the log in pages of 100, the newest first', async () => {
    await service.sql`
      insert into audit_log (account_id, what, who, detail)
      select ${ada.accountId}, 'account.renamed', 'customer', jsonb_build_object('name', 'name ' || n)
      from generate_series(1, 150) n`;
    const namesOn = ({ words }: Answer) => [...words.matchAll(/“name (\d+)”/g)].map(([, n]) => Number(n));
    const first = await ada.get('/dashboard/security');
    const path = /href="(\/dashboard\/security\?before=\d+)#log"/.exec(first.body)?.[1] ?? '';
    const second = await ada.get(path);
    const all = Array.from({ length: 150 }, (_, n) => 150 - n);
    expect([namesOn(first), namesOn(second)]).toEqual([all.slice(0, 100), all.slice(100)]);
    expect([second.words.includes('Account created'), second.body.includes('Older changes')]).toEqual([true, false]);
    for (const wrong of ['x', '', '9'.repeat(30)]) {
      expect(namesOn(await ada.get(`/dashboard/security?before=${wrong}`))).toEqual(all.slice(0, 100));
    }
  });

  /** A customer with more sessions, which were used after the customer's own. */
  async function crowded(sessions: number): Promise<Customer> {
    const bob = await service.customer(`${randomUUID()}@harbour.example`);
    const [seen, ends] = [60_000, DAY_MS].map((ms) => new Date(service.clock.now() + ms));
    await service.sql`
      insert into sessions (person_id, hash, method, seen_at, expires_at)
      select ${bob.personId}, sha256((gen_random_uuid()::text)::bytea), 'passkey', ${seen ?? null}, ${ends ?? null}
      from generate_series(1, ${sessions}::int)`;
    return bob;
  }
});

describe('of another account', () => {
  it('answers 404 to reads and changes', async () => {
    const eve = await service.customer();
    const { keyId } = await ada.key();
    const grantId = await ada.allow('Lantern');
    await ada.grant(10);
    const requestId = await ada.read(keyId, 1);
    const before = [await ada.account(), await ada.log()];
    const tries: Promise<Answer>[] = [
      eve.get(`/dashboard/keys/${keyId}`),
      eve.post(`/dashboard/keys/${keyId}/change`, { name: 'Mine', period: 'none', amount: '' }),
      eve.post(`/dashboard/keys/${keyId}/rotate`, { overlap: 'now' }),
      eve.post(`/dashboard/keys/${keyId}/revoke`),
      eve.post(`/dashboard/clients/${grantId}/revoke`),
      eve.post(`/dashboard/security/sessions/${ada.sessionId}/end`),
      eve.get(`/dashboard/receipts?request_id=${requestId}`),
    ];
    expect((await Promise.all(tries)).map(({ status }) => status)).toEqual(tries.map(() => 404));
    await eve.post('/dashboard/security/end-others');
    expect([await ada.account(), await ada.log()]).toEqual(before);
    expect((await ada.get('/dashboard')).status).toBe(200);
  });

  it.each(['nonsense', randomUUID(), '..%2f..', '%00', "'; drop table keys; --"])(
    'answers an id like %j with an error',
    async (id) => {
      const path = encodeURIComponent(decodeURIComponent(id));
      const tries = [
        ada.get(`/dashboard/keys/${path}`),
        ada.post(`/dashboard/keys/${path}/revoke`),
        ada.post(`/dashboard/clients/${path}/revoke`),
        ada.post(`/dashboard/security/sessions/${path}/end`),
      ];
      expect((await Promise.all(tries)).map(({ status }) => status)).toEqual(tries.map(() => 404));
      const receipt = await ada.get(`/dashboard/receipts?request_id=${path}`);
      expect(receipt.status).toBe(id === '%00' ? 400 : 404);
    },
  );
});

describe('impossible requests', () => {
  it.each([
    '/dashboard/credits?session_id=%00',
    '/dashboard/credits?paid=%00',
    '/dashboard/receipts?request_id=%00',
    '/dashboard/usage?to=9999-12-31',
    '/dashboard/usage?to=0000-01-05',
    '/dashboard/usage.csv?to=9999-12-31',
    '/dashboard/usage.csv?to=0000-01-05',
    '/dashboard/usage.csv?from=%00',
  ])('%s: answers 400 with a page', async (path) => {
    const { status, headers } = await ada.get(path);
    expect([status, headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
  });

  it('are refused in a form as well', async () => {
    expect((await ada.post('/dashboard/credits/buy', 'pack=starter&page=%00')).status).toBe(400);
  });

  it.each([
    ['/dashboard/nothing', 404, 'Page not found'],
    ['/dashboard/credits/buy', 405, 'Something went wrong'],
  ])('%s: answers browsers with a page and programs with JSON', async (path, status, title) => {
    const page = await ada.get(path);
    expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.words).toContain(title);
    const { headers } = await service.request(path, { headers: { accept: 'application/json' } });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('answers too many requests with a page that says when to retry', async () => {
    const fromOne = { 'x-forwarded-for': '192.0.2.1' };
    for (let n = 0; n < 50; n += 1) expect((await ada.get('/dashboard', fromOne)).status).toBe(200);
    const page = await ada.get('/dashboard', fromOne);
    expect([page.status, page.headers.get('retry-after')]).toEqual([429, '1']);
    expect(page.words).toContain('Too many requests');
    expect((await service.request('/v1/elsewhere', { headers: { accept: 'text/html' } })).body).toMatch(/^{"error"/);
  });
});

describe('forms', () => {
  it.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ])('refuse other origins: %j', async (headers) => {
    const { keyId } = await ada.key();
    const forms = [
      '/dashboard/keys',
      `/dashboard/keys/${keyId}/revoke`,
      '/dashboard/credits/buy',
      '/dashboard/security/end-others',
    ];
    for (const path of forms) {
      const answer = await ada.post(path, { name: 'x', period: 'none', amount: '', pack: 'starter' }, { ...headers });
      expect(answer.status).toBe(403);
      expect(answer.words).toContain('This form was submitted from another site.');
    }
    expect((await ada.account()).keys).toHaveLength(1);
    expect((await ada.account()).keys[0]?.revokedAt).toBeNull();
  });

  it('refuse a body of another media type', async () => {
    const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
    expect((await ada.post('/dashboard/keys', { name: 'x' }, headers)).status).toBe(400);
  });

  it('refuse a repeated field', async () => {
    const twice = await ada.post('/dashboard/keys', 'name=a&name=b');
    expect(twice.status).toBe(400);
  });
});
