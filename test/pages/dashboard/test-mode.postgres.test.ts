/** The switch of the dashboard between live and test mode, over a real database. */
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
    expect(tests.words).toContain('Test mode Test keys read an invented network with 10,000 play credits each day.');
    expect(tests.words).not.toContain('Live one');
    const made = await ada.post('/dashboard/keys', { name: 'For CI', period: 'none', amount: '' }, SAME, cookie);
    const shown = await ada.get(placeOf(made) ?? '', {}, undefined, `${cookie}; ${cookieOf(made)}`);
    const key = /perch_test_[0-9A-Za-z]{32}/.exec(shown.body)?.[0] ?? '';
    expect((await see('/dashboard/keys', cookie)).words).toContain('For CI');
    const live = await see('/dashboard/keys', (await switchTo('live')).cookie);
    expect([live.words.includes('Live one'), live.words.includes('For CI')]).toEqual([true, false]);
    expect(live.words).not.toContain('Leave test mode');
    expect((await fetch(`${service.url}/v1/me`, { headers: { 'x-api-key': key } })).status).toBe(200);
  });

  it.each(['/dashboard/usage', '/dashboard/receipts', '/dashboard/usage.csv'])('%s shows one mode', async (page) => {
    const { cookie } = await switchTo('test');
    expect((await see(page, cookie)).status).toBe(200);
  });

  it('keeps money, apps, security and the overview those of the account', async () => {
    const { cookie } = await switchTo('test');
    for (const page of ['/dashboard', '/dashboard/credits', '/dashboard/clients', '/dashboard/security']) {
      const { status, words } = await see(page, cookie);
      expect([status, words.includes('Leave test mode')]).toEqual([200, false]);
    }
  });

  it('neither shows nor changes a live key', async () => {
    await ada.post('/dashboard/keys', { name: 'Live one', period: 'none', amount: '' });
    const [record] = (await ada.account()).keys;
    const { cookie } = await switchTo('test');
    expect((await see(`/dashboard/keys/${record?.keyId}`, cookie)).status).toBe(404);
    expect((await ada.post(`/dashboard/keys/${record?.keyId}/revoke`, {}, SAME, cookie)).status).toBe(404);
  });

  it('makes a key for either mode, whichever the page is in, and lists that mode', async () => {
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
    expect((await see('/dashboard/usage', cookie)).words).toContain('Balance: 0 play credits');
    const test = await ada.testKey();
    const headers = { 'x-api-key': test };
    expect((await fetch(`${service.url}/v1/users/harbor_obs`, { headers })).status).toBe(200);
    const { words } = await see('/dashboard/usage', cookie);
    expect(words).toContain('Balance: 9,999 play credits');
    expect(words).not.toContain('321');
  });

  it('refuses any other mode, and redirects to no other page', async () => {
    expect((await switchTo('both')).answer.status).toBe(400);
    expect(placeOf((await switchTo('live', 'https://elsewhere.example')).answer)).toBe('/dashboard/keys');
  });
});
