/** Keys on the dashboard, over a real database: made, changed, rotated, revoked. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SCOPES } from '../../../src/domain/lists.js';
import { type Answer, type Customer, type DashboardService, startDashboard } from './service.js';

let service: DashboardService;
let ada: Customer;

beforeAll(async () => {
  service = await startDashboard();
});
beforeEach(async () => {
  ada = await service.customer();
});
afterAll(() => service?.close());

/** The whole key on a page. */
const keyOn = ({ body }: Answer): string => /perch_live_[0-9A-Za-z]{32}/.exec(body)?.[0] ?? '';
const placeOf = ({ headers }: Answer): string | null => headers.get('location');

/** Follows the redirect after a form as a browser does, with the cookie that it was given. */
async function followed(answer: Answer): Promise<Answer> {
  expect(answer.status).toBe(303);
  return ada.get(placeOf(answer) ?? '', {}, undefined, cookieOf(answer));
}
const cookieOf = ({ headers }: Answer): string => /^perch-key=[^;]*/.exec(headers.get('set-cookie') ?? '')?.[0] ?? '';

describe('keys', () => {
  it('shows a new key once, with a command to try it', async () => {
    const sent = await ada.post('/dashboard/keys', { name: ' Nightly ', period: 'day', amount: '12.5' });
    const answer = await followed(sent);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    const key = keyOn(answer);
    const line = `export PERCH_KEY=${key}\ncurl -H "x-api-key: $PERCH_KEY" \\\n  ${service.url}/v1/me`;
    expect(answer.body.replaceAll('&quot;', '"')).toContain(line);
    const [record] = (await ada.account()).keys;
    expect(record).toMatchObject({
      name: 'Nightly',
      prefix: key.slice(0, 17),
      cap: { amount: 12_500, period: 'day', spent: 0 },
    });
    for (const path of ['/dashboard/keys', `/dashboard/keys/${record?.keyId}`, '/dashboard', '/dashboard/security']) {
      expect((await ada.get(path)).body).not.toContain(key);
    }
    expect(sent.body).not.toContain(key);
  });

  it('makes no second key on a reload, and shows none', async () => {
    const sent = await ada.post('/dashboard/keys', { name: 'Nightly', period: 'none', amount: '' });
    const { keyId = '' } = (await ada.account()).keys[0] ?? {};
    expect(placeOf(sent)).toBe(`/dashboard/keys/${keyId}/new`);
    const attributes = sent.headers.get('set-cookie') ?? '';
    for (const part of [`Path=/dashboard/keys/${keyId}/new`, 'HttpOnly', 'SameSite=Strict', 'Max-Age=60']) {
      expect(attributes).toContain(part);
    }
    const shown = await followed(sent);
    expect(shown.headers.get('set-cookie')).toMatch(/^perch-key=; Max-Age=0;/);
    const again = await ada.get(`/dashboard/keys/${keyId}/new`);
    expect([again.status, placeOf(again)]).toEqual([303, `/dashboard/keys/${keyId}?done=key-shown`]);
    expect((await ada.get(placeOf(again) ?? '')).words).toContain('A key is shown only once');
    expect((await ada.account()).keys).toHaveLength(1);
  });

  it.each([
    [
      'another account’s key',
      Buffer.from(JSON.stringify({ key: `perch_live_${'A'.repeat(32)}` })).toString('base64url'),
    ],
    ['what is no key', Buffer.from('[1]').toString('base64url')],
    ['no JSON', '%%%'],
  ])('shows nothing for a cookie with %s', async (_what, value) => {
    const { keyId } = await ada.key();
    const answer = await ada.get(`/dashboard/keys/${keyId}/new`, {}, undefined, `perch-key=${value}`);
    expect([answer.status, placeOf(answer)]).toEqual([303, `/dashboard/keys/${keyId}?done=key-shown`]);
  });

  it.each([
    [{ name: '', period: 'none', amount: '' }, 'Enter a name for the key'],
    [{ name: 'x'.repeat(101), period: 'none', amount: '' }, 'at most 100 characters'],
    [{ name: 'a\u202eb', period: 'none', amount: '' }, 'must not contain control characters'],
    [{ name: 'x', period: 'day', amount: 'lots' }, 'The cap must be a number of credits'],
    [{ name: 'x', period: 'day', amount: '0' }, 'greater than zero'],
    [{ name: 'x', period: 'total', amount: '1.2345' }, 'three decimals'],
    [{ name: 'x', period: 'none', amount: '5' }, 'Choose a period for the cap: per day, per month, or in total.'],
    [{ name: 'x', period: 'week', amount: '5' }, 'must be a day, a month, or the total'],
  ])('refuses %j with an error beside the form, and keeps what was typed', async (fields, why) => {
    const answer = await ada.post('/dashboard/keys', fields);
    expect(answer.status).toBe(400);
    expect(answer.words).toContain(why);
    for (const typed of [fields.name, fields.amount]) {
      if (typed !== '') expect(answer.body).toContain(`value="${typed}"`);
    }
    expect((await ada.account()).keys).toEqual([]);
  });

  const NEW = { name: 'Narrow', period: 'none', amount: '', mode: 'live' };

  it('makes a key with the limits of its form, and one without limits if none are chosen', async () => {
    expect((await ada.get('/dashboard/keys')).body).toContain('<details class="folded"><summary');
    const limits = { 'read-profiles': '1', allowed_from: '192.0.2.7', expires: '2027-03-31' };
    expect((await ada.post('/dashboard/keys', { ...NEW, ...limits })).status).toBe(303);
    const all = Object.fromEntries(SCOPES.map((scope) => [`read-${scope}`, '1']));
    expect((await ada.post('/dashboard/keys', { ...NEW, ...all, allowed_from: '', expires: '' })).status).toBe(303);
    const made = (await ada.account()).keys.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    expect(made).toMatchObject([
      { scopes: ['profiles'], allowedFrom: ['192.0.2.7/32'], expiresAt: '2027-03-31T23:59:59.999Z' },
      { scopes: null, allowedFrom: null, expiresAt: null },
    ]);
  });

  it.each([
    [{ allowed_from: '', expires: '' }, 'scopes', 'Choose at least one kind of read.'],
    [
      { 'read-search': '1', allowed_from: '10.1', expires: '' },
      'allowed_from',
      'is neither an IP address nor a network',
    ],
    [{ 'read-search': '1', allowed_from: '', expires: 'soon' }, 'expires', 'The last day must be a date'],
    [{ 'read-search': '1', allowed_from: '', expires: '2020-01-01' }, 'expires', 'has passed'],
  ])(
    'refuses a new key with the limits %j, shows the error beside its field, unfolded, and keeps the rest',
    async (limits, field, why) => {
      const answer = await ada.post('/dashboard/keys', { ...NEW, ...limits });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatch(new RegExp(`<p class="form-error" id="${field}-error"[^>]*>[^<]*${why}`));
      expect(answer.body).toContain(`aria-describedby="${field}-error"`);
      expect(answer.body).toContain('<details class="folded" open><summary');
      expect(answer.body).toContain('value="Narrow"');
      if (limits.allowed_from !== '') expect(answer.body).toContain(`value="${limits.allowed_from}"`);
      if (limits.expires !== '') expect(answer.body).toContain(`value="${limits.expires}"`);
      expect(answer.body).toMatch(/name="read-profiles" value="1"(?! checked)/);
      expect((await ada.account()).keys).toEqual([]);
    },
  );

  it('changes name and cap, and redirects afterwards', async () => {
    const { keyId } = await ada.key();
    const answer = await ada.post(`/dashboard/keys/${keyId}/change`, {
      name: 'Crawl',
      period: 'month',
      amount: '1,000',
    });
    expect([answer.status, placeOf(answer)]).toEqual([303, `/dashboard/keys/${keyId}?done=key-changed`]);
    expect((await ada.account()).keys[0]).toMatchObject({ name: 'Crawl', cap: { amount: 1_000_000, period: 'month' } });
    expect((await ada.get(placeOf(answer) ?? '')).words).toContain('Key saved.');
    await ada.post(`/dashboard/keys/${keyId}/change`, { name: 'Crawl', period: 'none', amount: '' });
    expect((await ada.account()).keys[0]?.cap).toBeNull();
  });

  it('refuses a cap below what was spent under it (U6)', async () => {
    const { keyId } = await ada.key();
    await ada.grant(100);
    await ada.post(`/dashboard/keys/${keyId}/change`, { name: 'Reader', period: 'total', amount: '50' });
    await ada.read(keyId, 20);
    const answer = await ada.post(`/dashboard/keys/${keyId}/change`, { name: 'Reader', period: 'total', amount: '10' });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatch(/role="alert"/);
    expect(answer.body).toMatch(/id="amount"[^>]*value="10"/);
  });

  it.each([
    ['now', 0],
    ['1h', 3_600_000],
    ['24h', 86_400_000],
    ['7d', 7 * 86_400_000],
    ['30d', 30 * 86_400_000],
  ])('rotates with an overlap of %s, and shows the new key once (A10)', async (overlap, ms) => {
    const old = await ada.key();
    const answer = await followed(await ada.post(`/dashboard/keys/${old.keyId}/rotate`, { overlap }));
    expect(answer.status).toBe(200);
    expect(answer.words).toContain(ms === 0 ? 'The old key has been revoked' : 'The old key works until');
    expect(keyOn(answer)).not.toBe(old.key);
    const now = (await ada.account()).keys;
    const before = now.find(({ keyId }) => keyId === old.keyId);
    if (ms === 0) expect(before?.revokedAt).not.toBeNull();
    else expect(before?.expiresAt).toBe(new Date(service.clock.now() + ms).toISOString());
    expect(now.map(({ prefix }) => prefix)).toContain(keyOn(answer).slice(0, 17));
    expect((await ada.get('/dashboard/keys')).body).not.toContain(keyOn(answer));
  });

  it('shows the end that a key already had, if it is before that of the overlap', async () => {
    const { keyId } = await ada.key();
    const lastDay = new Date(service.clock.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    const limits = { 'read-tweets': '1', allowed_from: '', expires: lastDay };
    expect((await ada.post(`/dashboard/keys/${keyId}/limits`, limits)).status).toBe(303);
    const answer = await followed(await ada.post(`/dashboard/keys/${keyId}/rotate`, { overlap: '30d' }));
    expect(answer.body).toContain(`works until <time datetime="${lastDay}T23:59:59.999Z"`);
    const [logged] = await service.sql<{ detail: object }[]>`
      select detail from audit_log where account_id = ${ada.accountId} and what = 'key.rotated'`;
    expect(logged?.detail).toMatchObject({ old_ends_at: `${lastDay}T23:59:59.999Z` });
  });

  it('refuses an overlap that is not offered, and a second rotation', async () => {
    const { keyId } = await ada.key();
    expect((await ada.post(`/dashboard/keys/${keyId}/rotate`, { overlap: '400d' })).status).toBe(400);
    await ada.post(`/dashboard/keys/${keyId}/rotate`, { overlap: '24h' });
    const again = await ada.post(`/dashboard/keys/${keyId}/rotate`, { overlap: '24h' });
    expect(again.status).toBe(400);
    expect((await ada.account()).keys).toHaveLength(2);
  });

  it('lists a client’s key as active until a newer one replaces it (A14)', async () => {
    await ada.allow('Lantern');
    const states = async () =>
      (await ada.get('/dashboard/keys')).words.match(/ (?:Active|Expiring) (?!keys )/g)?.map((one) => one.trim());
    expect(await states()).toEqual(['Active']);
    await service.sql`
      insert into key_directory (account_id, hash)
      select account_id, sha256(hash) from keys where account_id = ${ada.accountId}`;
    await service.sql`
      insert into keys (account_id, wallet_id, hash, prefix, name, cap_id, grant_id, created_at, expires_at)
      select account_id, wallet_id, sha256(hash), 'perch_live_others', name, cap_id, grant_id,
        created_at + interval '1 second', expires_at
      from keys where account_id = ${ada.accountId}`;
    expect(await states()).toEqual(['Active', 'Expiring']);
  });

  it('lists live keys first, then the newest fifty that ended, and says so', async () => {
    const { prefix } = await ada.key('Working');
    const { accountId, walletId } = await ada.account();
    await service.sql`
      insert into key_directory (account_id, hash)
      select ${accountId}, sha256(('gone' || ${accountId} || n)::bytea) from generate_series(1, 5000) n`;
    await service.sql`
      insert into keys (account_id, wallet_id, hash, prefix, name, created_at, revoked_at)
      select ${accountId}, ${walletId}, sha256(('gone' || ${accountId} || n)::bytea), 'perch_live_' || lpad(n::text, 6, '0'),
        'gone', now() + n * interval '1 second', now() from generate_series(1, 5000) n`;
    const { body, words } = await ada.get('/dashboard/keys');
    expect(words.indexOf(prefix)).toBeLessThan(words.indexOf('The newest 50 inactive keys'));
    expect(words).toContain('Older ones are not listed');
    expect(body.match(/perch_live_00[0-9]{4}…/g)).toHaveLength(50);
    expect(body).toContain('perch_live_005000…');
    expect(body.length).toBeLessThan(100_000);
  });

  it('refuses more than a hundred live keys, also by rotation with an overlap', async () => {
    const { keyId } = await ada.key();
    for (let made = 1; made < 100; made += 1) await ada.key();
    const answer = await ada.post('/dashboard/keys', { name: 'One more', period: 'none', amount: '' });
    expect(answer.status).toBe(400);
    expect(answer.words).toContain('This account has 100 active keys');
    expect((await ada.post(`/dashboard/keys/${keyId}/rotate`, { overlap: '24h' })).status).toBe(400);
    expect((await ada.post(`/dashboard/keys/${keyId}/rotate`, { overlap: 'now' })).status).toBe(303);
  });

  it('lists, shows and revokes the account’s own keys beside more than 200 newer ones of clients', async () => {
    const { keyId } = await ada.key('Own');
    const { accountId, walletId } = await ada.account();
    const grantId = await ada.allow('Lantern');
    await service.sql`
      insert into key_directory (account_id, hash)
      select ${accountId}, sha256(('client' || ${accountId} || n)::bytea) from generate_series(1, 250) n`;
    await service.sql`
      insert into keys (account_id, wallet_id, hash, prefix, name, grant_id, created_at, expires_at)
      select ${accountId}, ${walletId}, sha256(('client' || ${accountId} || n)::bytea), 'perch_live_client', 'Lantern',
        ${grantId}, now() + n * interval '1 second', now() + interval '1 day' from generate_series(1, 250) n`;
    expect((await ada.get('/dashboard/keys')).body).toContain(`href="/dashboard/keys/${keyId}"`);
    expect((await ada.get(`/dashboard/keys/${keyId}`)).status).toBe(200);
    for (let made = 1; made < 100; made += 1) await ada.key();
    const answer = await ada.post('/dashboard/keys', { name: 'One more', period: 'none', amount: '' });
    expect([answer.status, answer.words.includes('This account has 100 active keys')]).toEqual([400, true]);
    await ada.post(`/dashboard/keys/${keyId}/revoke`);
    expect((await ada.post('/dashboard/keys', { name: 'Another', period: 'none', amount: '' })).status).toBe(303);
  });

  it('shows an ended key by its address, however many ended after it', async () => {
    const { keyId } = await ada.key('Old');
    await ada.post(`/dashboard/keys/${keyId}/revoke`);
    const { accountId, walletId } = await ada.account();
    await service.sql`
      insert into key_directory (account_id, hash)
      select ${accountId}, sha256(('later' || ${accountId} || n)::bytea) from generate_series(1, 250) n`;
    await service.sql`
      insert into keys (account_id, wallet_id, hash, prefix, name, created_at, revoked_at)
      select ${accountId}, ${walletId}, sha256(('later' || ${accountId} || n)::bytea), 'perch_live_later', 'later',
        now() + n * interval '1 second', now() from generate_series(1, 250) n`;
    const answer = await ada.get(`/dashboard/keys/${keyId}`);
    expect([answer.status, answer.words.includes('Old')]).toEqual([200, true]);
  });

  it('revokes a key at once, and says so on the next page', async () => {
    const { keyId } = await ada.key();
    const answer = await ada.post(`/dashboard/keys/${keyId}/revoke`);
    expect([answer.status, placeOf(answer)]).toEqual([303, '/dashboard/keys?done=key-revoked']);
    expect((await ada.account()).keys[0]?.revokedAt).not.toBeNull();
    expect(await ada.log()).toEqual(expect.arrayContaining(['key.created', 'key.revoked']));
  });

  it('names the key of a client after it, and does not manage it here (A14)', async () => {
    await ada.allow('Lantern');
    const [record] = (await ada.account()).keys;
    expect((await ada.get('/dashboard/keys')).words).toContain('app Lantern');
    expect((await ada.get(`/dashboard/keys/${record?.keyId}`)).status).toBe(404);
    expect((await ada.post(`/dashboard/keys/${record?.keyId}/revoke`)).status).toBe(404);
    expect((await ada.account()).keys[0]?.revokedAt).toBeNull();
  });
});

/** A watch of Ada's that was paused because its key pays no more; returns its page. */
async function pausedWatch(keyId: string): Promise<string> {
  const [watch] = await service.sql<{ id: string }[]>`
    insert into watches (account_id, watch_id, key_id, kind, subject, subject_id, count, webhook_url, state, reason, state_at,
      position, created_at)
    values (${ada.accountId}, gen_random_uuid(), ${keyId}, 'timeline', 'ada', '7', 20, 'https://example.com/hook',
      'paused', 'key', now(), 'x', now())
    returning watch_id as id`;
  await ada.post(`/dashboard/keys/${keyId}/revoke`);
  return `/dashboard/watches/${watch?.id}`;
}

it('resumes a watch whose key was revoked, with the key that is chosen', async () => {
  const [gone, other] = [await ada.key('Gone'), await ada.key('Other')];
  const path = await pausedWatch(gone.keyId);
  const { body } = await ada.get(path);
  const form = body.split(`action="${path}/resume"`)[1]?.split('</form>')[0] ?? '';
  expect([...form.matchAll(/<option value="([^"]+)"/g)].map(([, keyId]) => keyId)).toEqual([other.keyId]);
  expect((await ada.post(`${path}/resume`, { key: gone.keyId })).status).toBe(400);
  expect(placeOf(await ada.post(`${path}/resume`, { key: other.keyId }))).toBe(`${path}?done=watch-resumed`);
  const { words } = await ada.get(path);
  expect(words).toMatch(/State Active .* Paid by/);
  expect(words).toContain(`Paid by ${other.prefix}…`);
  await ada.post(`${path}/end`);
});

it('offers no key for a watch to an account without one', async () => {
  const path = await pausedWatch((await ada.key()).keyId);
  const { words, body } = await ada.get(path);
  expect(words).toContain('Create one first.');
  expect(body).not.toContain('/resume"');
});
