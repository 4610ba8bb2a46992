/** Test mode on the dashboard, the first steps of a new account, and the test key of a session, over a real database. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fillInvented } from '../../kit/demo.js';
import { type Answer, type Customer, type DashboardService, startDashboard } from './service.js';

let service: DashboardService;
let ada: Customer;

beforeAll(async () => {
  service = await startDashboard();
  await fillInvented(service);
});
beforeEach(async () => {
  ada = await service.customer();
});
afterAll(() => service?.close());

const placeOf = ({ headers }: Answer): string | null => headers.get('location');
const cookieOf = ({ headers }: Answer): string => /^perch-key=[^;]*/.exec(headers.get('set-cookie') ?? '')?.[0] ?? '';

describe('test mode', () => {
  const SAME = { 'sec-fetch-site': 'same-origin' };
  const MODE = /^perch-mode=[^;]*/;
  const switchTo = async (mode: string, from = '/dashboard/keys') => {
    const answer = await ada.post('/dashboard/mode', { mode, from });
    return { answer, cookie: MODE.exec(answer.headers.get('set-cookie') ?? '')?.[0] ?? '' };
  };
  const see = (path: string, cookie: string) => ada.get(path, {}, undefined, cookie);

  it('is left and entered with a button, and shows the keys of one mode at a time', async () => {
    await ada.post('/dashboard/keys', { name: 'Live one', period: 'none', amount: '' });
    const { answer, cookie } = await switchTo('test');
    expect([answer.status, placeOf(answer)]).toEqual([303, '/dashboard/keys']);
    const tests = await see('/dashboard/keys', cookie);
    expect(tests.words).toContain('Test mode Invented data, for test keys.');
    expect(tests.words).not.toContain('Live one');
    const made = await ada.post('/dashboard/keys', { name: 'For CI', period: 'none', amount: '' }, SAME, cookie);
    const shown = await ada.get(placeOf(made) ?? '', {}, undefined, `${cookie}; ${cookieOf(made)}`);
    const key = /perch_test_[0-9A-Za-z]{32}/.exec(shown.body)?.[0] ?? '';
    expect((await see('/dashboard/keys', cookie)).words).toContain('For CI');
    const live = await see('/dashboard/keys', (await switchTo('live')).cookie);
    expect([live.words.includes('Live one'), live.words.includes('For CI')]).toEqual([true, false]);
    expect(live.body).toContain('aria-checked="false"');
    expect((await fetch(`${service.url}/v1/me`, { headers: { 'x-api-key': key } })).status).toBe(200);
  });

  it.each(['/dashboard/usage', '/dashboard/receipts', '/dashboard/usage.csv'])('%s shows one mode', async (page) => {
    const { cookie } = await switchTo('test');
    expect((await see(page, cookie)).status).toBe(200);
  });

  it('shows its band and its switch on every page, and says which pages are the same in both modes', async () => {
    const { cookie } = await switchTo('test');
    const shared = ['credits', 'alerts', 'clients', 'security', 'account'];
    for (const page of ['', 'usage', 'keys', 'connect', 'receipts', ...shared]) {
      const { status, body, words } = await see(`/dashboard/${page}`.replace(/\/$/, ''), cookie);
      expect([page, status, body.includes('class="band"'), body.includes('aria-checked="true"')]).toEqual([
        ...[page, 200, true, true],
      ]);
      expect([page, words.includes('about your account and is the same in both modes')]).toEqual([
        page,
        shared.includes(page),
      ]);
    }
    expect((await ada.get('/dashboard')).body).not.toContain('class="band"');
  });

  it('returns to the page that it was switched on', async () => {
    for (const page of ['/dashboard', '/dashboard/usage', '/dashboard/credits']) {
      expect(placeOf((await switchTo('test', page)).answer)).toBe(page);
    }
  });

  it('shows the test account on the overview, and in the part that updates itself', async () => {
    const { cookie } = await switchTo('test');
    const before = await see('/dashboard', cookie);
    expect(before.words).toContain('10,000 play credits');
    expect(before.words).toContain('No requests with a test key yet.');
    expect(before.words).not.toContain('The wallet is empty.');
    const test = await ada.testKey();
    await fetch(`${service.url}/v1/users/harbor_obs`, { headers: { 'x-api-key': test } });
    for (const path of ['/dashboard', '/dashboard/live']) {
      const { words } = await see(path, cookie);
      expect(words).toMatch(/9,999(?:\.5)? play credits/);
      expect(words).toMatch(/ user Tests 1 [01] (?:1|0\.5) /);
    }
    expect((await ada.get('/dashboard/live')).words).not.toContain(' user Tests 1 ');
  });

  it('has no switch beside a key that is shown once', async () => {
    const { cookie } = await switchTo('test');
    const made = await ada.post('/dashboard/keys', { name: 'For CI' }, SAME, cookie);
    const shown = await ada.get(placeOf(made) ?? '', {}, undefined, `${cookie}; ${cookieOf(made)}`);
    expect(shown.words).toContain('Copy the key now');
    expect(shown.body).toContain('class="band"');
    expect(shown.body).not.toContain('/dashboard/mode');
  });

  it('neither shows nor changes a live key', async () => {
    await ada.post('/dashboard/keys', { name: 'Live one', period: 'none', amount: '' });
    const [record] = (await ada.account()).keys;
    const { cookie } = await switchTo('test');
    expect((await see(`/dashboard/keys/${record?.keyId}`, cookie)).status).toBe(404);
    expect((await ada.post(`/dashboard/keys/${record?.keyId}/revoke`, {}, SAME, cookie)).status).toBe(404);
  });

  it('makes a key for either mode, whichever mode the page is in, and then lists that mode', async () => {
    const { cookie } = await switchTo('live');
    const fields = { name: 'For CI', period: 'none', amount: '', mode: 'test' };
    const made = await ada.post('/dashboard/keys', fields, SAME, cookie);
    const cookies = made.headers.getSetCookie().map((text) => text.split(';', 1)[0]);
    expect(cookies).toContain('perch-mode=test');
    const shown = await ada.get(placeOf(made) ?? '', {}, undefined, cookies.join('; '));
    expect(shown.body).toMatch(/perch_test_[0-9A-Za-z]{32}/);
    expect((await ada.account()).keys).toEqual([]);
    const back = await ada.post('/dashboard/keys', { ...fields, name: 'Real', mode: 'live' }, SAME, 'perch-mode=test');
    expect(back.headers.getSetCookie().join()).toContain('perch-mode=live');
    expect((await ada.account()).keys).toMatchObject([{ name: 'Real' }]);
  });

  it('refuses a key for an unknown mode, and keeps the choice of a refused form', async () => {
    const neither = await ada.post('/dashboard/keys', { name: 'x', period: 'none', amount: '', mode: 'both' });
    expect([neither.status, neither.words.includes('A key is for live or for test mode.')]).toEqual([400, true]);
    const refused = await ada.post('/dashboard/keys', { name: '', period: 'none', amount: '', mode: 'test' });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatch(/<input type="radio" name="mode" value="test" checked/);
  });

  it('shows the remaining play credits, never the balance of the account', async () => {
    await ada.grant(321);
    const { cookie } = await switchTo('test');
    expect((await see('/dashboard/usage', cookie)).words).toContain('10,000 of 10,000 play credits left today');
    const test = await ada.testKey();
    const headers = { 'x-api-key': test };
    expect((await fetch(`${service.url}/v1/users/harbor_obs`, { headers })).status).toBe(200);
    const { words } = await see('/dashboard/usage', cookie);
    // The profile may be cached by then.
    expect(words).toMatch(/9,999(?:\.5)? of 10,000 play credits left today/);
    expect(words).not.toContain('321');
  });

  it('refuses an unknown mode, and does not redirect to another site', async () => {
    expect((await switchTo('both')).answer.status).toBe(400);
    expect(placeOf((await switchTo('live', 'https://elsewhere.example')).answer)).toBe('/dashboard');
  });
});

describe('the first steps', () => {
  /** Whether each step is done. */
  const ticks = ({ body }: Answer): boolean[] =>
    [...body.matchAll(/id="live-step-\d" class="(tick(?: done)?)"/g)].map(([, name]) => name === 'tick done');
  const make = (fields: Record<string, string>, cookie = '') =>
    ada.post('/dashboard/keys', { name: 'One', ...fields }, { 'sec-fetch-site': 'same-origin' }, cookie);
  const read = (key: string) => fetch(`${service.url}/v1/users/harbor_obs`, { headers: { 'x-api-key': key } });

  it('ticks each step once it is done, and hides the list once live reads are possible', async () => {
    const first = await ada.get('/dashboard');
    expect(ticks(first)).toEqual([false, false, false]);
    expect(first.words).toContain('Try free: 10,000 test credits a day');
    const made = await make({ mode: 'test' });
    expect(ticks(await ada.get('/dashboard'))).toEqual([true, false, false]);
    const cookies = made.headers.getSetCookie().map((text) => text.split(';', 1)[0]);
    const shown = await ada.get(placeOf(made) ?? '', {}, undefined, cookies.join('; '));
    const [key = ''] = /perch_test_[0-9A-Za-z]{32}/.exec(shown.body) ?? [];
    expect(shown.body).toContain(`export PERCH_KEY=${key}\ncurl `);
    expect(shown.body).toContain(`${service.url}/v1/users/harbor_obs`);
    expect((await read(key)).status).toBe(200);
    expect((await ada.get('/dashboard/keys?mode=live', {}, undefined, 'perch-mode=test')).body).toMatch(
      /name="mode" value="live" checked/,
    );
    expect(ticks(await ada.get('/dashboard/live'))).toEqual([true, true, false]);
    expect(ticks(await ada.get('/dashboard', {}, undefined, 'perch-mode=test'))).toEqual([true, true, false]);
    await make({ mode: 'live' });
    expect((await ada.get('/dashboard')).words).toContain('You have a live key.');
    await ada.grant(5);
    const last = await ada.get('/dashboard');
    expect([ticks(last), last.words.includes('Get started')]).toEqual([[], false]);
  });

  it('are hidden from a customer who has read live, even without a test key or with an empty wallet', async () => {
    const { keyId } = await ada.key();
    await ada.grant(3);
    await ada.read(keyId, 3);
    expect((await ada.account()).balance).toBe(0);
    expect(ticks(await ada.get('/dashboard'))).toEqual([]);
  });

  it('can be hidden, for this account alone', async () => {
    const hidden = await ada.post('/dashboard/first-steps/hide');
    expect([hidden.status, placeOf(hidden)]).toEqual([303, '/dashboard']);
    const cookie = /^perch-steps-hidden=[^;]*/.exec(hidden.headers.get('set-cookie') ?? '')?.[0] ?? '';
    expect(ticks(await ada.get('/dashboard', {}, undefined, cookie))).toEqual([]);
    expect(ticks(await ada.get('/dashboard'))).toHaveLength(3);
    const eve = await service.customer();
    expect(ticks(await eve.get('/dashboard', {}, undefined, cookie))).toHaveLength(3);
  });
});

describe('the test key of a session', () => {
  const requestKey = (customer = ada) =>
    customer.post('/dashboard/test-key', {}, { 'sec-fetch-site': 'same-origin', accept: 'application/json' });
  const keyIn = ({ body }: Answer): string => JSON.parse(body).key;
  const me = async (key: string) => (await fetch(`${service.url}/v1/me`, { headers: { 'x-api-key': key } })).status;

  it('reads invented data with play credits, and spends nothing live', async () => {
    await ada.grant(10);
    const answer = await requestKey();
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    const read = await fetch(`${service.url}/v1/users/harbor_obs`, { headers: { 'x-api-key': keyIn(answer) } });
    expect(read.status).toBe(200);
    // The profile may be cached.
    expect([9999, 9999.5]).toContain((await read.json()).balance_remaining);
    expect((await ada.account()).balance).toBe(10_000);
  });

  it('is the same however often a session asks, and each session has its own', async () => {
    const keys = await Promise.all([requestKey(), requestKey(), requestKey()]);
    expect(new Set(keys.map(keyIn)).size).toBe(1);
    const eve = await service.customer();
    expect(keyIn(await requestKey(eve))).not.toBe(keyIn(await requestKey()));
    const listed = await ada.get('/dashboard/keys', {}, undefined, 'perch-mode=test');
    expect(listed.body.split('GraphiQL and API reference')).toHaveLength(1 + 2);
    expect(listed.words).toContain('Expiring');
  });

  it('expires within two hours', async () => {
    const { expires_at } = JSON.parse((await requestKey()).body);
    const hours = (Date.parse(expires_at) - service.clock.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(1);
    expect(hours).toBeLessThanOrEqual(2);
  });

  it('ends with the session', async () => {
    const key = keyIn(await requestKey());
    expect(await me(key)).toBe(200);
    await ada.post(`/dashboard/security/sessions/${ada.sessionId}/end`);
    await expect.poll(() => me(key)).toBe(401);
  });

  it('is not replaced within the hour after its owner revokes it', async () => {
    const key = keyIn(await requestKey());
    const { body } = await ada.get('/dashboard/keys', {}, undefined, 'perch-mode=test');
    const [, keyId = ''] = /href="\/dashboard\/keys\/([0-9a-f-]{36})"/.exec(body) ?? [];
    await ada.post(`/dashboard/keys/${keyId}/revoke`, {}, { 'sec-fetch-site': 'same-origin' }, 'perch-mode=test');
    const again = await requestKey();
    expect(again.status).toBe(400);
    expect(JSON.parse(again.body).error.message).toMatch(
      /^You revoked this browser's test key\. It gets another one in \d+ minutes?;/,
    );
    await expect.poll(() => me(key)).toBe(401);
  });

  it('refuses a visitor who is not signed in, and a request from another site', async () => {
    const stranger = await fetch(`${service.url}/dashboard/test-key`, { method: 'POST', redirect: 'manual' });
    expect([stranger.status, stranger.headers.get('location')]).toEqual([303, '/sign-in?next=%2Fdashboard%2Fkeys']);
    for (const site of ['cross-site', 'same-site']) {
      const answer = await ada.post('/dashboard/test-key', {}, { 'sec-fetch-site': site, accept: 'application/json' });
      expect(answer.status).toBe(403);
      expect(answer.body).not.toContain('perch_test_');
    }
  });
});
