/** Members of an account: invitations, roles, ownership and removal, on the dashboard over a real database and mail server. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ROLES } from '../../../../src/domain/audit.js';
import { createClient } from '../../../kit/client.js';
import { startMailServer } from '../../../kit/mail-server.js';
import { type Answer, type Customer, type DashboardService, startDashboard } from '../service.js';

const PAGE = '/dashboard/members';
let mails: Awaited<ReturnType<typeof startMailServer>>;
let service: DashboardService;
let ada: Customer;
let grace: Customer;
let address: string;
/** Addresses to which the mail server takes no mail. */
const refused = new Set<string>();

beforeAll(async () => {
  mails = await startMailServer({
    onRcptTo: (to, _session, done) => done(refused.has(to.address) ? new Error('not now') : null),
  });
  service = await startDashboard({ env: { SMTP_URL: mails.url } });
});
beforeEach(async () => {
  ada = await service.customer(addressOf('ada'));
  address = addressOf('grace');
  grace = await service.customer(address);
  await service.sql`update accounts set qps_override = 1000`;
});
afterAll(async () => {
  await service?.close();
  await mails?.close();
});

const addressOf = (name: string): string => `${name}-${randomUUID()}@harbour.example`;
const placeOf = ({ headers }: Answer): string | null => headers.get('location');

/** The path of the link in the newest mail to the address. */
async function invitedTo(to: string): Promise<string> {
  await service.mailsSent();
  const mail = mails.received.filter((one) => one.to.toLowerCase() === to.toLowerCase()).at(-1);
  return /(\/dashboard\/invitations\/[\w-]{43})/.exec(mail?.source ?? '')?.[1] ?? '';
}

async function join(who: Customer, email: string, role: string): Promise<void> {
  expect(placeOf(await ada.post(PAGE, { email, role }))).toBe(`${PAGE}?done=member-invited`);
  const answer = await who.post(`${await invitedTo(email)}/accept`);
  expect(placeOf(answer)).toBe('/dashboard?done=joined');
}

/** Creates a key on the account that the person has selected; returns the whole key. */
async function createKey(who: Customer, name = 'Crawler'): Promise<string> {
  const answer = await who.post('/dashboard/keys', { name, mode: 'live', amount: '', period: 'none' });
  const path = placeOf(answer) ?? '';
  const carried = answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
  const page = await who.get(path, {}, undefined, carried);
  return /perch_live_[0-9A-Za-z]{32}/.exec(page.body)?.[0] ?? '';
}

/** The account that the form of a page names. */
function namedIn(body: string, action: string): Record<string, string> {
  const form = body.split(`<form method="post" action="${action}"`)[1]?.split('</form>')[0] ?? '';
  const [, name, value] = /<input type="hidden" name="(shown_account)" value="([^"]+)"/.exec(form) ?? [];
  return name === undefined || value === undefined ? {} : { [name]: value };
}

const statusOf = async (key: string): Promise<number> => (await createClient(service.url, key).get('/v1/me')).status;

describe('an invitation', () => {
  it('makes the person who has its address a member, with its role, and shows them the account', async () => {
    await ada.grant(12);
    await join(grace, address, 'developer');
    expect((await grace.get('/dashboard?done=joined')).words).toContain('You are now a member of this account.');
    expect((await grace.get('/dashboard')).words).toMatch(/\b12\b/);
    expect((await ada.get(PAGE)).words).toContain(address);
    expect((await ada.log()).slice(-2)).toEqual(['member.invited', 'member.joined']);
    const log = (await ada.get('/dashboard/security')).words;
    expect(log).toContain(`Member joined role Developer; email ${address} ${address}`);
  });

  it('works once, and says that it was used', async () => {
    await join(grace, address, 'reader');
    const path = await invitedTo(address);
    const again = await grace.post(`${path}/accept`);
    expect([again.status, again.words.includes('has already been accepted')]).toEqual([400, true]);
    expect((await grace.get(path)).words).toContain('has already been accepted');
  });

  it('refuses another person who knows the link, and still works for the person invited', async () => {
    await ada.post(PAGE, { email: address, role: 'reader' });
    const path = await invitedTo(address);
    const eve = await service.customer(addressOf('eve'));
    expect((await eve.get(path)).words).toContain('for another email address than yours');
    const answer = await eve.post(`${path}/accept`);
    expect([answer.status, answer.words.includes('for another email address')]).toEqual([400, true]);
    expect((await eve.get('/dashboard/accounts')).body).not.toContain(ada.accountId);
    expect(placeOf(await grace.post(`${path}/accept`))).toBe('/dashboard?done=joined');
  });

  it('expires after 7 days, and says so', async () => {
    await ada.post(PAGE, { email: address, role: 'reader' });
    const path = await invitedTo(address);
    await service.sql`update invitations set expires_at = expires_at - interval '7 days' where email = ${address}`;
    const answer = await grace.post(`${path}/accept`);
    expect([answer.status, answer.words.includes('This invitation has expired')]).toEqual([400, true]);
    expect((await ada.get(PAGE)).words).toContain('Expired');
  });

  it('is replaced by a newer one, and can be withdrawn', async () => {
    await ada.post(PAGE, { email: address, role: 'reader' });
    const first = await invitedTo(address);
    await ada.post(PAGE, { email: address.toUpperCase(), role: 'developer' });
    expect((await grace.post(`${first}/accept`)).words).toContain('withdrawn, or replaced by a newer one');
    const action = /\/dashboard\/members\/invitations\/[\w-]+\/withdraw/.exec((await ada.get(PAGE)).body)?.[0] ?? '';
    expect(placeOf(await ada.post(action))).toBe(`${PAGE}?done=invitation-withdrawn`);
    const second = await invitedTo(address.toUpperCase());
    expect((await grace.post(`${second}/accept`)).words).toContain('withdrawn, or replaced by a newer one');
  });

  it('refuses a member, an invalid address or an unknown role, and keeps what was typed', async () => {
    await join(grace, address, 'reader');
    for (const [fields, says] of [
      [{ email: address, role: 'billing' }, 'already a member of this account'],
      [{ email: 'no address', role: 'billing' }, 'Invalid email address'],
      [{ email: addressOf('mary'), role: 'owner' }, 'Choose a role'],
    ] as const) {
      const answer = await ada.post(PAGE, fields);
      expect([answer.status, answer.words.includes(says)]).toEqual([400, true]);
      expect(answer.body).toContain(`value="${fields.email}"`);
    }
  });

  it('is mailed although a stranger has used up the sign-in links of its address', async () => {
    const headers = { 'sec-fetch-site': 'same-origin' };
    for (let nth = 0; nth < 5; nth++) {
      await service.request('/sign-in/mail', {
        method: 'POST',
        headers,
        body: new URLSearchParams({ email: address }),
      });
    }
    await service.mailsSent();
    await join(grace, address, 'reader');
  });

  it('stays open if its mail cannot be sent, and says how to send it again', async () => {
    refused.add(address);
    const answer = await ada.post(PAGE, { email: address, role: 'reader' });
    expect([answer.status, answer.words.includes('its mail could not be sent')]).toEqual([503, true]);
    expect(answer.body).toContain(`value="${address}"`);
    expect(answer.body).toContain(`Withdraw the invitation of ${address}`);
    refused.clear();
    await join(grace, address, 'reader');
  });

  it('is refused after five to one address in a quarter of an hour, and the fifth still works', async () => {
    for (let nth = 0; nth < 5; nth++) await ada.post(PAGE, { email: address, role: 'reader' });
    const answer = await ada.post(PAGE, { email: address, role: 'reader' });
    expect([answer.status, answer.words.includes('Try again in 3 minutes.')]).toEqual([429, true]);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(placeOf(await grace.post(`${await invitedTo(address)}/accept`))).toBe('/dashboard?done=joined');
  });

  it('is found by the hash of its secret only', async () => {
    await ada.post(PAGE, { email: address, role: 'reader' });
    const secret = (await invitedTo(address)).split('/').at(-1) ?? '';
    const rows = await service.sql`select row_to_json(invitations)::text as text from invitations`;
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect((await grace.get(`/dashboard/invitations/${'x'.repeat(43)}`)).status).toBe(404);
  });
});

describe('a role', () => {
  it('refuses a form, and disables its controls, with the same reason', async () => {
    await join(grace, address, 'reader');
    const why =
      'Your role on this account is read only. Only the owner and developers can create, change and revoke keys.';
    const page = await grace.get('/dashboard/keys');
    expect(page.body).toMatch(/<form method="post" action="\/dashboard\/keys"[^>]*><fieldset class="locked" disabled>/);
    expect(page.words).toContain(why);
    const answer = await grace.post('/dashboard/keys', { name: 'x', mode: 'live', amount: '', period: 'none' });
    expect([answer.status, answer.words.includes(why)]).toEqual([403, true]);
    expect((await ada.account()).keys).toEqual([]);
  });

  it.each([
    ['billing', '/dashboard/keys', 403],
    ['developer', '/dashboard/credits/buy', 403],
    ['developer', '/dashboard/account/name', 403],
    ['developer', PAGE, 403],
    ['reader', '/dashboard/alerts', 403],
    ['reader', '/dashboard/account/delete', 403],
    ['reader', '/dashboard/account/export', 403],
    ['billing', '/dashboard/alerts', 400],
    ['reader', '/dashboard/security/end-others', 303],
  ] as const)('answers a form that a %s sends to %s with %i', async (role, path, status) => {
    await join(grace, address, role);
    expect((await grace.post(path)).status).toBe(status);
  });

  it('can be changed by the owner, and takes effect with the next request', async () => {
    await join(grace, address, 'reader');
    const answer = await ada.post(`${PAGE}/${grace.accountId}/role`, { role: 'developer' });
    expect(placeOf(answer)).toBe(`${PAGE}?done=role-changed`);
    expect(await createKey(grace)).toMatch(/^perch_live_/);
    expect((await ada.post(`${PAGE}/${ada.accountId}/role`, { role: 'reader' })).status).toBe(400);
    expect((await ada.post(`${PAGE}/${randomUUID()}/role`, { role: 'reader' })).status).toBe(404);
  });

  it('is named on the page of members, with what it may do', async () => {
    const { words } = await ada.get(PAGE);
    for (const { name, can } of Object.values(ROLES)) expect(words).toContain(`${name} ${can}`);
  });
});

describe('several accounts', () => {
  it('are switched between, each with its own role', async () => {
    await join(grace, address, 'reader');
    const list = await grace.get('/dashboard/accounts');
    expect(list.body).toContain(ada.accountId);
    expect(list.body).toContain(grace.accountId);
    expect(placeOf(await grace.post('/dashboard/accounts/switch', { account: grace.accountId }))).toBe(
      '/dashboard?done=switched',
    );
    const key = await createKey(grace);
    expect((await grace.account()).keys.some(({ prefix }) => key.startsWith(prefix))).toBe(true);
    expect((await ada.account()).keys).toEqual([]);
  });

  it('are not changed by a form of a page that showed the other one', async () => {
    await join(grace, address, 'developer');
    const keysOf = async (who: Customer) => (await who.account()).keys.map(({ name }) => name);
    const fields = { name: 'From a tab', mode: 'live', amount: '', period: 'none' };
    const create = (body: string) => grace.post('/dashboard/keys', { ...fields, ...namedIn(body, '/dashboard/keys') });
    const { body } = await grace.get('/dashboard/keys');
    await grace.post('/dashboard/accounts/switch', { account: grace.accountId });
    const answer = await create(body);
    expect([answer.status, answer.words.includes('You now see another account')]).toEqual([409, true]);
    expect([await keysOf(ada), await keysOf(grace)]).toEqual([[], []]);
    expect((await create((await grace.get('/dashboard/keys')).body)).status).toBe(303);
    expect([await keysOf(ada), await keysOf(grace)]).toEqual([[], ['From a tab']]);
  });

  it('are not left by a form of a page that showed the other one', async () => {
    await join(grace, address, 'reader');
    const { body } = await grace.get(PAGE);
    await service.sql`delete from members where account_id = ${ada.accountId} and person_id = ${grace.personId}`;
    await service.sql`update members set role = 'developer' where account_id = ${grace.accountId}`;
    expect((await grace.post(`${PAGE}/leave`, namedIn(body, `${PAGE}/leave`))).status).toBe(409);
    expect((await grace.get('/dashboard/accounts')).body).toContain(grace.accountId);
  });

  it('never include an account of which the person is not a member', async () => {
    expect((await grace.post('/dashboard/accounts/switch', { account: ada.accountId })).status).toBe(400);
    await service.sql`update sessions set account_id = ${ada.accountId} where session_id = ${grace.sessionId}`;
    expect((await grace.get('/dashboard/account')).body).not.toContain(ada.accountId);
    await createKey(grace);
    expect((await ada.account()).keys).toEqual([]);
  });

  it('give an app that asks for consent the selected account, and only if the role may allow it', async () => {
    await join(grace, address, 'reader');
    const [row] = await service.sql<{ count: number }[]>`
      select count(*)::int as count from oauth_grants where account_id = ${ada.accountId}`;
    expect(row?.count).toBe(0);
  });
});

describe('the removal of a member', () => {
  it('ends their access at once, and revokes the keys that they created, no others', async () => {
    await join(grace, address, 'developer');
    const [hers, own] = [await createKey(grace, 'Hers'), await createKey(ada, 'Own')];
    expect(await Promise.all([hers, own].map(statusOf))).toEqual([200, 200]);
    expect((await ada.get(PAGE)).words).toContain('1 active key that they created');
    const answer = await ada.post(`${PAGE}/${grace.accountId}/remove`, { keys: 'revoke' });
    expect(placeOf(answer)).toBe(`${PAGE}?done=member-removed`);
    await expect.poll(() => Promise.all([hers, own].map(statusOf))).toEqual([401, 200]);
    expect((await grace.get('/dashboard/accounts')).body).not.toContain(ada.accountId);
    expect((await ada.log()).slice(-2)).toEqual(['key.revoked', 'member.removed']);
  });

  it('names the hosts of webhooks that stay', async () => {
    await join(grace, address, 'developer');
    expect((await ada.get(PAGE)).words).not.toContain('Webhooks stay: watches and alerts send to');
    const { keyId } = await ada.key();
    const watch = (host: string, state: string, reason: string | null = null) => service.sql`
      insert into watches (account_id, watch_id, key_id, kind, subject, subject_id, count, webhook_url, state, reason, state_at,
        position, created_at)
      values (${ada.accountId}, gen_random_uuid(), ${keyId}, 'timeline', 'ada', '7', 20, ${`https://${host}/hook`}, ${state},
        ${reason}, now(), 'x', now())`;
    await Promise.all([watch('hers.example', 'active'), watch('paused.example:8443', 'paused', 'by_hand')]);
    await watch('gone.example', 'ended');
    await service.sql`
      insert into alerts (account_id, kind, amount_thousandths, by_mail, webhook_url)
      values (${ada.accountId}, 'balance_below', 5000, false, 'https://alerts.example/hook')`;
    const { words } = await ada.get(PAGE);
    expect(words).toContain(
      'Webhooks stay: watches and alerts send to alerts.example, hers.example, paused.example:8443 .',
    );
    for (let nth = 10; nth < 20; nth++) await watch(`${nth}.example`, 'active');
    expect((await ada.get(PAGE)).words).toContain('19.example and 3 other hosts.');
  });

  it('keeps the keys working if the owner chooses so', async () => {
    await join(grace, address, 'developer');
    const hers = await createKey(grace);
    await ada.post(`${PAGE}/${grace.accountId}/remove`, { keys: 'keep' });
    expect(await statusOf(hers)).toBe(200);
    expect((await ada.post(`${PAGE}/${grace.accountId}/remove`, { keys: 'keep' })).status).toBe(404);
  });

  it('asks what happens to the keys, and is refused for the owner', async () => {
    await join(grace, address, 'developer');
    expect((await ada.post(`${PAGE}/${grace.accountId}/remove`)).status).toBe(400);
    expect((await ada.post(`${PAGE}/${ada.accountId}/remove`, { keys: 'keep' })).status).toBe(400);
  });

  it('also happens when a member leaves, and gives a person without an account an empty one', async () => {
    const mary = addressOf('mary');
    const guest = await service.customer(mary);
    await join(guest, mary, 'developer');
    expect(placeOf(await guest.post(`${PAGE}/leave`))).toBe('/dashboard/accounts?done=left');
    expect((await ada.log()).at(-1)).toBe('member.left');
    await service.sql`delete from members where person_id = ${guest.accountId}`;
    expect((await guest.get('/dashboard')).status).toBe(200);
    const own = await service.sql`select role from members where person_id = ${guest.accountId}`;
    expect(own).toEqual([{ role: 'owner' }]);
  });
});

describe('the ownership', () => {
  it('is transferred to a member, after a new sign-in only', async () => {
    await join(grace, address, 'reader');
    service.clock.advance(10 * 60_000 + 1);
    const late = await ada.post(`${PAGE}/${grace.accountId}/transfer`);
    expect([late.status, late.words.includes('Sign in again')]).toEqual([403, true]);
    service.clock.advance(-(10 * 60_000 + 1));
    expect(placeOf(await ada.post(`${PAGE}/${grace.accountId}/transfer`))).toBe(`${PAGE}?done=transferred`);
    const roles = await service.sql`
      select person_id as id, role from members where account_id = ${ada.accountId} order by role`;
    expect(roles).toEqual([
      { id: ada.accountId, role: 'developer' },
      { id: grace.accountId, role: 'owner' },
    ]);
    expect((await ada.account()).email).toBe(address);
    expect((await ada.post(PAGE, { email: 'x@example.org', role: 'reader' })).status).toBe(403);
    expect((await ada.log()).at(-1)).toBe('account.transferred');
  });
});

describe('the deletion of an account', () => {
  it('revokes keys, removes members and deletes people, and keeps the books', async () => {
    await ada.grant(100);
    await join(grace, address, 'developer');
    const key = await createKey(grace);
    const record = (await ada.account()).keys[0];
    await ada.read(record?.keyId ?? '', 3);
    await ada.post('/dashboard/alerts', { kind: 'balance_below', amount: '5', mail: '1' });
    const before =
      await service.sql`select count(*)::int as count from ledger_entries where account_id = ${ada.accountId}`;
    const wrong = await ada.post('/dashboard/account/delete', { name: 'ada' });
    expect([wrong.status, wrong.words.includes('Type the name of the account, Ada, exactly as it is.')]).toEqual([
      400,
      true,
    ]);
    expect(wrong.body).toContain('value="ada"');
    const gone = await ada.post('/dashboard/account/delete', { name: 'Ada' });
    expect([placeOf(gone), gone.headers.getSetCookie()[0]]).toEqual([
      '/sign-in?deleted=1',
      expect.stringMatching(/^perch=; .*Expires=Thu, 01 Jan 1970/),
    ]);
    const page = await service.request('/sign-in?deleted=1', { headers: { accept: 'text/html' } });
    expect(page.words).toContain('Your account was deleted.');
    await expect.poll(() => statusOf(key)).toBe(401);
    expect(placeOf(await ada.get('/dashboard'))).toBe('/sign-in?next=%2Fdashboard');
    expect((await grace.get('/dashboard/accounts')).body).not.toContain(ada.accountId);
    const after =
      await service.sql`select count(*)::int as count from ledger_entries where account_id = ${ada.accountId}`;
    expect(after).toEqual(before);
    const [left] = await service.sql`
      select name, deleted_at is not null as deleted, (select count(*)::int from alerts where account_id = a.account_id) as alerts,
        (select count(*)::int from people where person_id = a.account_id) as people,
        (select count(*)::int from sessions where person_id = a.account_id) as sessions,
        (select string_agg(name, ',') = string_agg(prefix, ',') from keys where account_id = a.account_id) as nameless
      from accounts a where account_id = ${ada.accountId}`;
    expect(left).toEqual({ name: 'Deleted account', deleted: true, alerts: 0, people: 0, sessions: 0, nameless: true });
    expect((await ada.log()).at(-1)).toBe('account.deleted');
    await expect(ada.account()).rejects.toThrow('no account');
  });

  it('is refused while a checkout can still be paid', async () => {
    await ada.post('/dashboard/credits/buy', { pack: 'starter' });
    const answer = await ada.post('/dashboard/account/delete', { name: 'Ada' });
    expect([answer.status, answer.words.includes('can still be paid')]).toEqual([400, true]);
  });

  it('keeps members who belong to another account signed in', async () => {
    await join(grace, address, 'developer');
    await grace.post('/dashboard/accounts/switch', { account: grace.accountId });
    const gone = await grace.post('/dashboard/account/delete', { name: 'Ada' });
    expect([placeOf(gone), gone.headers.getSetCookie()]).toEqual(['/dashboard?done=deleted', []]);
    expect((await grace.get('/dashboard/accounts')).body).toContain(ada.accountId);
    expect((await grace.get('/dashboard/account')).body).toContain(`value="Ada"`);
  });
});

describe('the export', () => {
  it('has a line for everything that is kept, and a last line that says that it is complete', async () => {
    await ada.grant(100);
    await ada.testKey();
    await join(grace, address, 'developer');
    await createKey(ada);
    await ada.read((await ada.account()).keys[0]?.keyId ?? '', 3);
    await ada.post('/dashboard/alerts', { kind: 'balance_below', amount: '5', mail: '1' });
    const answer = await ada.post('/dashboard/account/export');
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toContain(`perch-${ada.accountId}.ndjson`);
    const lines = answer.body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
    const kinds = new Set(lines.map(({ type }) => type));
    for (const kind of ['account', 'key', 'member', 'alert', 'change', 'entry', 'usage', 'receipt']) {
      expect(kinds).toContain(kind);
    }
    expect(lines.at(-1)).toEqual({ type: 'end', left_out: [] });
    expect(lines).toContainEqual(expect.objectContaining({ type: 'receipt', operation: 'user-tweets', amount: 3 }));
    expect(answer.body).not.toMatch(/perch_(?:live|test)_[0-9A-Za-z]{32}/);
    expect((await ada.log()).at(-1)).toBe('account.exported');
  });

  it('has every key, purchase and watch, however many of them have ended', async () => {
    const { keyId } = await ada.key();
    const { accountId } = ada;
    await service.sql`
      insert into key_directory (hash, account_id)
      select sha256((${accountId} || n::text)::bytea), ${accountId} from generate_series(1, 250) n`;
    await service.sql`
      insert into keys (account_id, wallet_id, hash, prefix, name, revoked_at)
      select account_id, wallet_id, sha256((${accountId} || n::text)::bytea), 'perch_live_' || n, 'old', now()
      from wallets, generate_series(1, 250) n where account_id = ${accountId}`;
    await service.sql`
      insert into watches (account_id, watch_id, key_id, kind, subject, subject_id, count, webhook_url, state, state_at,
        position, created_at)
      select ${accountId}, gen_random_uuid(), ${keyId}, 'timeline', 'ada', '7', 20, 'https://example.org/hook', 'ended', now(),
        'x', now()
      from generate_series(1, 150) n`;
    await service.sql`
      insert into sales (account_id, session_id, pack, usd, credits_thousandths, state)
      select ${accountId}, ${accountId} || n::text, 'starter', 10, 10000000, 'expired' from generate_series(1, 220) n`;
    const { body } = await ada.post('/dashboard/account/export');
    const lines = body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; spent: number });
    const count = (kind: string) => lines.filter(({ type }) => type === kind).length;
    expect([count('key'), count('purchase'), count('watch')]).toEqual([251, 220, 150]);
    expect(lines.at(-1)).toEqual({ type: 'end', left_out: [] });
    expect(lines).toContainEqual(
      expect.objectContaining({ type: 'watch', mode: 'live', subject: 'ada', spent: 0, dailyLimit: null }),
    );
  });

  it('is limited to five an hour', async () => {
    for (let nth = 0; nth < 5; nth++) expect((await ada.post('/dashboard/account/export')).status).toBe(200);
    expect((await ada.post('/dashboard/account/export')).status).toBe(429);
  });
});
