/** What operators do on their pages, over a real database, and that no one else can do it. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, type Customer, type DashboardService, startDashboard } from '../dashboard/service.js';

let service: DashboardService;
let olga: Customer;
let ada: Customer;

beforeAll(async () => {
  service = await startDashboard({ env: { PERCH_OPERATORS: 'Olga@Perch.example, oskar@perch.example' } });
});
beforeEach(async () => {
  olga = await service.customer('olga@perch.example');
  ada = await service.customer('ada@harbour.example');
});
afterAll(() => service?.close());

const placeOf = ({ headers }: Answer): string | null => headers.get('location');
const pathOf = (customer: Customer): string => `/operator/accounts/${customer.accountId}`;
const logOf = async (customer: Customer) =>
  service.sql`select what, who, address, person_id as "operatorId", detail from audit_log
    where account_id = ${customer.accountId} order by event_id desc limit 1`.then(([row]) => row);
/** The hidden id that makes a grant of the page's form unique. */
const grantIdIn = ({ body }: Answer): string => /name="grant" value="([^"]+)"/.exec(body)?.[1] ?? '';

describe('for accounts that are not operators', () => {
  const PATHS = [
    '/operator',
    '/operator/accounts',
    '/operator/accounts.csv',
    '/operator/actions',
    `/operator/accounts/${randomUUID()}`,
  ];
  const asUnknown = async (path: string, headers: Record<string, string>) => {
    const [here, nowhere] = await Promise.all([
      service.request(path, { headers }),
      service.request('/nowhere-at-all', { headers }),
    ]);
    expect(here.status).toBe(404);
    expect(here.headers.get('cache-control')).toBe(nowhere.headers.get('cache-control'));
    return { here, nowhere };
  };

  it.each(PATHS)('%s does not exist without a session', async (path) => {
    const { here, nowhere } = await asUnknown(path, {});
    expect(JSON.parse(here.body)).toMatchObject({ error: { code: JSON.parse(nowhere.body).error.code } });
    expect((await service.request(path, { headers: { accept: 'text/html' } })).words).toContain('Page not found');
  });

  it.each(PATHS)('%s does not exist for a customer', async (path) => {
    expect((await ada.get(path)).status).toBe(404);
    expect((await ada.get(path)).words).toContain('Page not found');
  });

  it('refuses an API key of an operator', async () => {
    const { key } = await olga.key();
    for (const headers of [{ 'x-api-key': key }, { authorization: `Bearer ${key}` }]) {
      for (const path of PATHS) expect((await service.request(path, { headers })).status).toBe(404);
      const body = new URLSearchParams({ credits: '5', reason: 'x', step: 'confirmed' });
      const answer = await service.request(`${pathOf(ada)}/grant`, { method: 'POST', body, headers });
      expect(answer.status).toBe(404);
    }
    expect((await ada.account()).balance).toBe(0);
  });

  it('refuses every action of a customer, on others and on themselves', async () => {
    for (const what of ['freeze', 'thaw', 'grant', 'link', 'limits', 'note']) {
      const fields = { credits: '5', reason: 'mine', step: 'confirmed' };
      expect((await ada.post(`${pathOf(ada)}/${what}`, fields)).status).toBe(404);
    }
    expect(await ada.account()).toMatchObject({ balance: 0, frozen: false });
  });

  it('links to the pages from the dashboard for operators only', async () => {
    expect((await ada.get('/dashboard')).body).not.toContain('/operator');
    expect((await olga.get('/dashboard')).body).toContain('href="/operator"');
  });
});

describe('accounts', () => {
  it('are found by a part of their address, their id, or the end of a key prefix', async () => {
    const { prefix } = await ada.key();
    for (const text of ['ADA@harb', ada.accountId, prefix.slice(-6)]) {
      const { status, body } = await olga.get(`/operator/accounts?q=${encodeURIComponent(text)}`);
      expect(status).toBe(200);
      expect(body).toContain(`href="${pathOf(ada)}"`);
      expect(body).not.toContain(`href="${pathOf(olga)}"`);
    }
    expect((await olga.get('/operator/accounts?q=nobody-has-this')).words).toContain('No account matches.');
  });

  it('are listed once each over several pages, and the last page has no next one', async () => {
    const many = await Promise.all(Array.from({ length: 60 }, (_, i) => service.customer(`paged-${i}@x.example`)));
    const seen: string[] = [];
    let path: string | undefined = '/operator/accounts?q=paged-';
    while (path !== undefined) {
      const { body }: Answer = await olga.get(path);
      seen.push(...[...body.matchAll(/href="\/operator\/accounts\/([^"]+)"/g)].map(([, id = '']) => id));
      path = /href="(\/operator\/accounts\?[^"]*after=[^"]*)"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
    }
    expect(seen.length).toBe(60);
    expect(new Set(seen)).toEqual(new Set(many.map(({ accountId }) => accountId)));
  });

  it('show an invalid search with the error beside its field', async () => {
    const { status, words, body } = await olga.get(`/operator/accounts?q=${'x'.repeat(300)}`);
    expect([status, words]).toEqual([400, expect.stringContaining('Enter at most 254 characters.')]);
    expect(body).toMatch(/aria-describedby="q-error"/);
  });

  it('show balance, keys without secrets, requests and log', async () => {
    await ada.grant(100);
    const key = await ada.key('Reader');
    const requestId = await ada.read(key.keyId, 20);
    const { status, words, body } = await olga.get(pathOf(ada));
    expect(status).toBe(200);
    expect(words).toContain('80 credits');
    expect(words).toContain(`${key.prefix}…`);
    expect(body).not.toContain(key.key);
    expect(words).toContain(requestId);
    expect(words).toContain('Key created');
  });

  it('show the keys of test mode beside the others', async () => {
    const key = await ada.testKey();
    const { words } = await olga.get(pathOf(ada));
    expect(words).toContain(`${key.slice(0, 'perch_test_'.length + 6)}…`);
  });

  it('list every key that works, however many newer ones have ended', async () => {
    const { prefix } = await ada.key();
    expect((await olga.get(pathOf(ada))).words).not.toContain('are listed');
    await service.sql`
      with ended as (select sha256((${ada.accountId} || n)::bytea) as hash from generate_series(1, 150) n),
        listed as (insert into key_directory (account_id, hash) select ${ada.accountId}, hash from ended)
      insert into keys (account_id, wallet_id, hash, prefix, name, revoked_at)
      select account_id, wallet_id, hash, 'perch_live_ended0', 'ended', now()
      from ended cross join wallets where account_id = ${ada.accountId}`;
    const { body, words } = await olga.get(pathOf(ada));
    expect(body).toContain(`<code>${prefix}…</code>`);
    expect(words.split('perch_live_ended0…')).toHaveLength(100);
    expect(words).toContain('At most 100 live and 100 test keys are listed; ended ones are left out first.');
  });

  it.each(['nonsense', randomUUID()])('answers 404 for the account %s', async (id) => {
    const { status, words } = await olga.get(`/operator/accounts/${id}`);
    expect([status, words]).toEqual([404, expect.stringContaining('There is no such account.')]);
  });
});

describe('freezing', () => {
  it("stops the account's keys until it is thawed, and logs who froze and thawed it", async () => {
    const { key } = await ada.key();
    const me = () => {
      // The account may send one request a second.
      service.clock.advance(1000);
      return service.request('/v1/me', { headers: { 'x-api-key': key } });
    };
    expect((await me()).status).toBe(200);
    const answer = await olga.post(`${pathOf(ada)}/freeze`);
    expect([answer.status, placeOf(answer)]).toEqual([303, `${pathOf(ada)}?done=frozen`]);
    expect(await logOf(ada)).toMatchObject({ what: 'account.frozen', who: 'operator', operatorId: olga.personId });
    await expect.poll(async () => (await me()).status, { timeout: 10_000 }).toBe(401);
    expect(JSON.parse((await me()).body)).toMatchObject({ error: { code: 'invalid_key', reason: 'frozen' } });
    expect((await olga.get(pathOf(ada))).words).toContain('This account is frozen.');

    await olga.post(`${pathOf(ada)}/thaw`);
    expect(await logOf(ada)).toMatchObject({ what: 'account.thawed', operatorId: olga.personId });
    await expect.poll(async () => (await me()).status, { timeout: 10_000 }).toBe(200);
  });

  it('changes and logs nothing for a second click', async () => {
    await olga.post(`${pathOf(ada)}/freeze`);
    await olga.post(`${pathOf(ada)}/freeze`);
    expect((await ada.log()).filter((what) => what === 'account.frozen')).toHaveLength(1);
  });
});

describe('granting', () => {
  const grant = async (fields: Record<string, string>) => olga.post(`${pathOf(ada)}/grant`, fields);

  it('asks for confirmation, then grants once however often the form is sent', async () => {
    const id = grantIdIn(await olga.get(pathOf(ada)));
    const first = await grant({ grant: id, credits: '1,250.5', reason: 'beta tester' });
    expect(first.status).toBe(200);
    expect(first.words).toContain('Grant 1,250.5 credits?');
    expect((await ada.account()).balance).toBe(0);

    const confirmed = { grant: grantIdIn(first), credits: '1,250.5', reason: 'beta tester', step: 'confirmed' };
    const answers = await Promise.all([grant(confirmed), grant(confirmed), grant(confirmed)]);
    for (const answer of answers) {
      expect([answer.status, placeOf(answer)]).toEqual([303, `${pathOf(ada)}?done=granted`]);
    }
    expect((await ada.account()).balance).toBe(1_250_500);
    expect(await logOf(ada)).toMatchObject({
      ...{ what: 'credits.granted', who: 'operator', operatorId: olga.personId },
      detail: { credits: 1250.5, reason: 'beta tester' },
    });
    const { words } = await olga.get(`${pathOf(ada)}?done=granted`);
    expect(words).toContain('Credits granted.');
    expect(words).toContain('beta tester');
  });

  it('refuses another amount under the same form', async () => {
    const id = grantIdIn(await olga.get(pathOf(ada)));
    await grant({ grant: id, credits: '5', reason: 'one', step: 'confirmed' });
    const again = await grant({ grant: id, credits: '7', reason: 'one', step: 'confirmed' });
    expect([again.status, again.words]).toEqual([400, expect.stringContaining('already used')]);
    expect((await ada.account()).balance).toBe(5_000);
  });

  it.each([
    ['credits', { credits: 'lots', reason: 'because' }, 'Enter a number of credits'],
    ['credits', { credits: '0', reason: 'because' }, 'Enter a number of credits'],
    ['credits', { credits: '1.2345', reason: 'because' }, 'Enter a number of credits'],
    ['credits', { credits: '10000001', reason: 'because' }, 'up to 10,000,000'],
    ['reason', { credits: '5', reason: '  ' }, 'Enter a reason'],
    ['reason', { credits: '5', reason: 'a\u202eb' }, 'invisible'],
    ['reason', { credits: '5', reason: 'x'.repeat(101) }, 'at most 100'],
  ])('shows the error beside %s, and keeps what was typed: %o', async (field, fields, says) => {
    const { status, body, words } = await grant({ ...fields, step: 'confirmed' });
    expect(status).toBe(400);
    expect(words).toContain(says);
    expect(body).toMatch(new RegExp(`id="${field}"[^>]*aria-describedby="${field}-error"`));
    expect(body).toContain(`value="${fields.credits}"`);
    expect((await ada.account()).balance).toBe(0);
  });

  it('returns to the form with what was typed', async () => {
    const { status, body } = await grant({ credits: '5', reason: 'a change of mind', step: 'change' });
    expect([status, body]).toEqual([200, expect.stringContaining('value="a change of mind"')]);
  });
});

describe('a sign-in link', () => {
  it('is shown once, signs the owner in, and is in the log without its secret', async () => {
    const { status, body, headers } = await olga.post(`${pathOf(ada)}/link`);
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    const token = /\/sign-in#([\w-]+)/.exec(body)?.[1] ?? '';
    expect((await olga.get(pathOf(ada))).body).not.toContain(token);
    const signedIn = await service.request('/sign-in', {
      method: 'POST',
      body: new URLSearchParams({ token, seen: '1' }),
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    expect([signedIn.status, placeOf(signedIn)]).toEqual([303, '/dashboard']);
    expect(await ada.log()).toContain('account.link_created');
    const rows = await service.sql`select detail::text from audit_log where account_id = ${ada.accountId}`;
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it('is refused for a test account, whose page leads to the account that it belongs to', async () => {
    await ada.testKey();
    const [test] = await service.sql<{ id: string }[]>`
      select account_id as id from accounts where test_of = ${ada.accountId}`;
    const { status, words, body } = await olga.post(`/operator/accounts/${test?.id}/link`);
    expect([status, words]).toEqual([400, expect.stringContaining('You cannot sign in to a test account')]);
    expect(body).not.toContain('/sign-in#');
    expect(body).toContain(`href="${pathOf(ada)}"`);
  });
});

describe('the rate limit', () => {
  const change = (fields: Record<string, string>) => olga.post(`${pathOf(ada)}/limits`, fields);

  it('is set for an account, and follows its tier again, within seconds on every key', async () => {
    const { key } = await ada.key();
    const limit = async () => {
      service.clock.advance(1000);
      const { headers } = await service.request('/v1/me', { headers: { 'x-api-key': key } });
      return /limit=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1];
    };
    expect(await limit()).toBe('1');
    const answer = await change({ qps: '1,500', paid: '0' });
    expect([answer.status, placeOf(answer)]).toEqual([303, `${pathOf(ada)}?done=limits`]);
    expect(await ada.account()).toMatchObject({ qps: 1500, paidUsd: 0 });
    await expect.poll(limit, { timeout: 10_000 }).toBe('1500');
    expect(await logOf(ada)).toMatchObject({
      ...{ what: 'account.limits_changed', who: 'operator', operatorId: olga.personId },
      detail: { requests_per_second: 1500 },
    });
    await change({ qps: '', paid: '200' });
    expect(await ada.account()).toMatchObject({ qps: 100, paidUsd: 200 });
    expect((await ada.get('/dashboard/security')).words).toContain('$200 counts as paid; now the rate of its tier');
  });

  /** Buys the pack for $50. */
  async function buy(): Promise<void> {
    const { headers } = await ada.post('/dashboard/credits/buy', { pack: 'builder' });
    const session = headers.get('location')?.split('/').at(-1) ?? '';
    service.stripe.pay(session);
    await ada.get(`/dashboard/credits?session_id=${session}`);
  }

  it('leaves what counts as paid to a sale made since the page was opened, and refuses to replace it', async () => {
    await change({ qps: '', paid: '300' });
    const { body } = await olga.get(pathOf(ada));
    const paid_shown = /name="paid_shown" value="(\d+)"/.exec(body)?.[1] ?? '';
    await buy();
    const mistyped = await change({ qps: 'many', paid: '300', paid_shown });
    expect(mistyped.body).toContain('name="paid_shown" value="300"');
    await change({ qps: '7', paid: '300', paid_shown });
    expect(await ada.account()).toMatchObject({ qps: 7, paidUsd: 350 });
    const { status, words } = await change({ qps: '9', paid: '400', paid_shown });
    expect([status, words]).toEqual([400, expect.stringContaining('$350 counts as paid now, no longer $300.')]);
    expect(await ada.account()).toMatchObject({ qps: 7, paidUsd: 350 });
    await change({ qps: '9', paid: '400', paid_shown: '350' });
    expect(await ada.account()).toMatchObject({ qps: 9, paidUsd: 400 });
  });

  it('is not replaced by a form that shows an earlier one, which still changes what it shows correctly', async () => {
    await change({ qps: '7', paid: '0', qps_shown: '', paid_shown: '0' });
    const { status, words, body } = await change({ qps: '9', paid: '0', qps_shown: '', paid_shown: '0' });
    expect([status, words]).toEqual([400, expect.stringContaining('The rate is 7 now: it was changed since')]);
    expect(body).toMatch(/id="qps"[^>]*aria-describedby="qps-error/);
    await change({ qps: '', paid: '20', qps_shown: '', paid_shown: '0' });
    expect(await ada.account()).toMatchObject({ qps: 7, paidUsd: 20 });
    expect((await olga.get(pathOf(ada))).body).toContain('name="qps_shown" value="7"');
    await change({ qps: '9', paid: '20', qps_shown: '7', paid_shown: '20' });
    expect(await ada.account()).toMatchObject({ qps: 9 });
  });

  it('never counts less as paid than the packs cost', async () => {
    await buy();
    const { status, words, body } = await change({ qps: '', paid: '49' });
    expect([status, words]).toEqual([400, expect.stringContaining('At least $50 must count as paid')]);
    expect(body).toMatch(/id="paid"[^>]*aria-describedby="paid-error/);
    expect(await ada.account()).toMatchObject({ paidUsd: 50 });
  });

  it.each([
    ['qps', { qps: '0', paid: '0' }, 'from 1 to 100,000'],
    ['qps', { qps: 'many', paid: '0' }, 'from 1 to 100,000'],
    ['paid', { qps: '', paid: '9.99' }, 'whole US dollars'],
    ['paid', { qps: '', paid: '-1' }, 'whole US dollars'],
  ])('shows the error beside %s, and keeps the input: %o', async (field, fields, says) => {
    const { status, body, words } = await change(fields);
    expect([status, words]).toEqual([400, expect.stringContaining(says)]);
    expect(body).toMatch(new RegExp(`id="${field}"[^>]*aria-describedby="${field}-error`));
    expect(body).toContain(`value="${fields[field as 'qps' | 'paid']}"`);
    expect(await ada.account()).toMatchObject({ qps: 1, paidUsd: 0 });
  });
});

describe('a note', () => {
  const write = (note: string) => olga.post(`${pathOf(ada)}/note`, { note });

  it('is shown to operators, can be removed, and is never shown to the customer', async () => {
    const answer = await write('Invoiced by hand.\r\n<b>Ask Olga</b>');
    expect([answer.status, placeOf(answer)]).toEqual([303, `${pathOf(ada)}?done=noted`]);
    expect((await olga.get(pathOf(ada))).body).toContain('Invoiced by hand.\n&lt;b>Ask Olga&lt;/b></textarea>');
    expect(await logOf(ada)).toMatchObject({ what: 'account.noted', operatorId: olga.personId, detail: {} });
    expect((await olga.get('/operator/actions')).words).toContain('Note changed');
    const { words } = await ada.get('/dashboard/security');
    expect(words).not.toMatch(/Note changed|Invoiced/);
    await write('  ');
    expect((await olga.get(pathOf(ada))).body).not.toContain('Invoiced');
  });

  it('is not replaced by a form that shows an earlier one', async () => {
    await write('Ask Olga.\r\nOr Oskar.');
    const { body } = await olga.get(pathOf(ada));
    expect(body).toContain('name="note_shown" value="Ask Olga.\nOr Oskar."');
    const stale = { note: 'Mine', note_shown: '' };
    const { status, words } = await olga.post(`${pathOf(ada)}/note`, stale);
    expect([status, words]).toEqual([400, expect.stringContaining('The note was changed since you opened this page')]);
    await olga.post(`${pathOf(ada)}/note`, { note: 'Mine', note_shown: 'Ask Olga.\r\nOr Oskar.' });
    expect((await olga.get(pathOf(ada))).body).toContain('>Mine</textarea>');
  });

  it('is refused beside the field when it is too long', async () => {
    const { status, words } = await write('x'.repeat(2001));
    expect([status, words]).toEqual([400, expect.stringContaining('at most 2,000 characters')]);
  });
});

describe('the page of an account', () => {
  it('asks for a recent sign-in before anything is typed, and says how long changes are possible', async () => {
    expect((await olga.get(pathOf(ada))).words).toContain('You can change this account until');
    await service.sql`update sessions set created_at = created_at - interval '11 minutes'
      where account_id = ${olga.accountId}`;
    const { words, body } = await olga.get(pathOf(ada));
    expect(words).toContain('Sign in again before you change anything.');
    expect(body).toContain(`href="/sign-in?next=${encodeURIComponent(pathOf(ada))}&amp;again=1"`);
  });
});

describe('files', () => {
  it('have the same rows as the pages, with names that no spreadsheet runs', async () => {
    await service.sql`update accounts set name = '=1+1' where account_id = ${ada.accountId}`;
    await ada.grant(5);
    await olga.post(`${pathOf(ada)}/freeze`);
    const accounts = await olga.get(`/operator/accounts.csv?q=${ada.accountId}`);
    expect(accounts.headers.get('content-disposition')).toBe('attachment; filename="perch-accounts.csv"');
    expect(accounts.body.split('\r\n')).toEqual([
      'account_id,name,email,credits,paid_usd,active_keys,state,created_at',
      expect.stringMatching(`^${ada.accountId},'=1\\+1,ada@harbour.example,5,0,0,frozen,2`),
      '',
    ]);
    expect((await olga.get('/operator/actions.csv')).body).toMatch(
      new RegExp(`\r\n[^,]+,${ada.accountId},'=1\\+1,Account frozen,,olga@perch.example,`),
    );
    const statement = await olga.get(`${pathOf(ada)}/statement.csv`);
    expect(statement.body).toMatch(/^at,what,why,credits,balance_after,request_id\r\n[^,]+,granted,welcome,5,5,/);
    expect((await ada.get('/dashboard/credits/statement.csv')).body).toBe(statement.body);
  });

  it('list the receipts of the customer who asks', async () => {
    await ada.grant(50);
    const { keyId, prefix } = await ada.key();
    const requestId = await ada.read(keyId, 20);
    const { body, headers } = await ada.get('/dashboard/receipts.csv');
    expect(headers.get('content-type')).toContain('text/csv');
    expect(body.split('\r\n')).toEqual([
      'at,endpoint,key_prefix,items,cache_hits,credits,balance_after,request_id',
      expect.stringMatching(`^2[^,]+,user-tweets,${prefix},20,0,20,30,${requestId}$`),
      '',
    ]);
    expect((await olga.get('/dashboard/receipts.csv')).body).not.toContain(requestId);
  });
});

describe('every action', () => {
  const WHATS = ['freeze', 'thaw', 'grant', 'link', 'limits', 'note'];
  const fields = { credits: '5', reason: 'kept text', step: 'confirmed', qps: '77', paid: '600', note: 'kept note' };

  it.each(WHATS)('%s is refused from another site', async (what) => {
    const answer = await olga.post(`${pathOf(ada)}/${what}`, fields, { 'sec-fetch-site': 'cross-site' });
    expect(answer.status).toBe(403);
    expect(await ada.account()).toMatchObject({ balance: 0, frozen: false });
  });

  it.each(WHATS)('%s needs a recent sign-in, and keeps what was typed', async (what) => {
    const minutes = 11;
    await service.sql`update sessions set created_at = created_at - ${minutes} * interval '1 minute'
      where account_id = ${olga.accountId}`;
    const { status, words, body } = await olga.post(`${pathOf(ada)}/${what}`, fields);
    expect([status, words]).toEqual([403, expect.stringContaining('Sign in again in another tab')]);
    for (const kept of ['value="kept text"', 'value="77"', 'value="600"', '>kept note</textarea>']) {
      expect(body).toContain(kept);
    }
    expect(await ada.account()).toMatchObject({ balance: 0, frozen: false, qps: 1, paidUsd: 0 });
    expect(await ada.log()).not.toContain('account.link_created');
  });

  it('is listed with the operator who did it, whom the customer does not see', async () => {
    await olga.post(`${pathOf(ada)}/freeze`);
    await olga.post(`${pathOf(ada)}/thaw`);
    const { words } = await olga.get('/operator/actions');
    expect(words).toMatch(/Account thawed.*olga@perch\.example.*Account frozen.*olga@perch\.example/);
    const own = await ada.get('/dashboard/security');
    expect(own.words).toContain('the operator');
    expect(own.body).not.toContain('olga@');
    expect(own.body).not.toContain(olga.accountId);
  });
});
