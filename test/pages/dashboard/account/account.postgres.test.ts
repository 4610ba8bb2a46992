/** The name and the mail address of an account, changed on the dashboard: over a real database and a real mail server. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startMailServer } from '../../../kit/mail-server.js';
import { type Answer, type Customer, type DashboardService, startDashboard } from '../service.js';

const PAGE = '/dashboard/account';
let mails: Awaited<ReturnType<typeof startMailServer>>;
let service: DashboardService;
let ada: Customer;
/** The address before a change. Each test has an account, and an address, of its own. */
let old: string;

beforeAll(async () => {
  mails = await startMailServer();
  service = await startDashboard({ env: { SMTP_URL: mails.url } });
});
beforeEach(async () => {
  old = addressOf('ada');
  ada = await service.customer(old);
});
afterAll(async () => {
  await service?.close();
  await mails?.close();
});

const addressOf = (name: string): string => `${name}-${randomUUID()}@harbour.example`;
const placeOf = ({ headers }: Answer): string | null => headers.get('location');
const request = (who: Customer, email: string) => who.post(`${PAGE}/email`, { email });
const confirm = (who: Customer, token: string) => who.post(`${PAGE}/email/confirm`, { token });

/** The mails sent to that address, once no mail is on its way. */
async function mailed(to: string): Promise<string[]> {
  await service.mailsSent();
  return mails.received.filter((mail) => mail.to.toLowerCase() === to.toLowerCase()).map(({ source }) => source);
}
const linkTo = async (to: string): Promise<string> =>
  /http\S+\/dashboard\/account\/email#change=[\w-]{43}/.exec((await mailed(to)).at(-1) ?? '')?.[0] ?? '';

/** Sends every notice that is due, by sending a test alert. */
async function deliverNotices(who: Customer): Promise<void> {
  await who.post('/dashboard/alerts', { kind: 'balance_below', amount: '5', mail: '1' });
  const [alert] = await service.sql<{ id: string }[]>`
    select alert_id as id from alerts where account_id = ${who.accountId}`;
  expect((await who.post(`/dashboard/alerts/${alert?.id}/test`)).status).toBe(303);
}

describe('the name', () => {
  it('changes at once on the pages and in the log, for the test account as well', async () => {
    await ada.testKey();
    const answer = await ada.post(`${PAGE}/name`, { name: '  Harbour Research ' });
    expect([answer.status, placeOf(answer)]).toEqual([303, `${PAGE}?done=renamed`]);
    const page = await ada.get(placeOf(answer) ?? '');
    expect(page.words).toContain('Name saved.');
    expect(page.body).toContain('value="Harbour Research"');
    const names = await service.sql<{ name: string }[]>`
      select name from accounts where account_id = ${ada.accountId} or test_of = ${ada.accountId}`;
    expect(names.map(({ name }) => name)).toEqual(['Harbour Research', 'Harbour Research']);
    expect((await ada.log()).at(-1)).toBe('account.renamed');
    expect((await ada.get('/dashboard/security')).words).toContain('Name changed “Harbour Research” you');
  });

  it('logs no change when saved unchanged', async () => {
    await ada.post(`${PAGE}/name`, { name: 'Ada' });
    expect(await ada.log()).not.toContain('account.renamed');
  });

  it('is one of 200 changes an hour of each person; what takes something away always works', async () => {
    const change = (nth: number) => ada.post(`${PAGE}/name`, { name: `Harbour ${nth}` });
    const { keyId } = await ada.key();
    for (let nth = 0; nth < 200; nth += 1) expect((await change(nth)).status).toBe(303);
    const refused = await change(200);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '18']);
    expect(refused.words).toContain('You can change an account 200 times an hour. Try again in 18 seconds.');
    expect((await ada.post(`/dashboard/keys/${keyId}/change`, { name: 'x', amount: '', period: 'none' })).status).toBe(
      429,
    );
    expect((await ada.post(`/dashboard/keys/${keyId}/revoke`)).status).toBe(303);
    expect((await ada.post('/dashboard/security/end-others')).status).toBe(303);
    const other = await service.customer(old);
    expect((await other.post(`${PAGE}/name`, { name: 'Another account' })).status).toBe(303);
  });

  it.each([
    ['', 'Enter a name.'],
    ['   ', 'Enter a name.'],
    ['x'.repeat(101), 'at most 100 characters'],
    ['a\u0007b', 'must not contain control characters'],
    ['a\u202eb', 'must not contain control characters'],
  ])('refuses %j with an error beside the field, and keeps what was typed', async (name, why) => {
    const answer = await ada.post(`${PAGE}/name`, { name });
    expect([answer.status, answer.words.includes(why)]).toEqual([400, true]);
    expect(answer.body).toContain('aria-describedby="name-error"');
    if (name !== '') expect(answer.body).toContain(`value="${name}"`);
    expect((await ada.account()).name).toBe('Ada');
  });
});

describe('the mail address', () => {
  it('changes when the link mailed to the new address is opened, and notifies the old one', async () => {
    const to = addressOf('new');
    const other = await ada.otherSession();
    const response = await request(ada, to);
    expect([response.status, placeOf(response)]).toEqual([303, `${PAGE}?done=email-link-sent`]);
    const link = await linkTo(to);
    expect(link).toMatch(new RegExp(`^${service.url}/`));
    expect((await ada.account()).email).toBe(old);
    const answer = await confirm(ada, link);
    expect([answer.status, placeOf(answer)]).toEqual([303, `${PAGE}?done=email-changed`]);
    expect((await ada.account()).email).toBe(to);
    expect((await ada.log()).slice(-2)).toEqual(['account.email_changed', 'session.ended']);
    const page = await ada.get('/dashboard/security');
    expect(page.words).toContain(`Email address changed now ${to}; was ${old} you`);
    expect(page.body).not.toContain(other);
    await deliverNotices(ada);
    expect((await mailed(old)).at(-1)).toContain(`Your Perch account now has the address ${to}.`);
  });

  it('changes a name that was the address as well', async () => {
    await ada.post(`${PAGE}/name`, { name: old });
    const to = addressOf('new');
    await request(ada, to);
    await confirm(ada, await linkTo(to));
    expect(await ada.account()).toMatchObject({ name: to, email: to });
  });

  it('works once when a link is opened 20 times at once', async () => {
    const to = addressOf('new');
    await request(ada, to);
    const link = await linkTo(to);
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(ada, link)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array.from({ length: 19 }, () => 400)]);
    expect((await ada.log()).filter((what) => what === 'account.email_changed')).toHaveLength(1);
  });

  it.each([
    ['used', async (link: string) => void (await confirm(ada, link))],
    ['older than 10 minutes', async () => service.clock.advance(10 * 60_000)],
    [
      'older than another change',
      async () => {
        const to = addressOf('between');
        await request(ada, to);
        await confirm(ada, await linkTo(to));
      },
    ],
  ])('changes nothing with a link that is %s', async (_what, happens) => {
    const to = addressOf('new');
    await request(ada, to);
    const link = await linkTo(to);
    await happens(link);
    const { email } = await ada.account();
    const answer = await confirm(ada, link);
    expect([answer.status, answer.words.includes('This link has expired, has already been used')]).toEqual([400, true]);
    expect((await ada.account()).email).toBe(email);
  });

  it('refuses the link to another signed-in account and keeps it valid for its own', async () => {
    const to = addressOf('new');
    await request(ada, to);
    const link = await linkTo(to);
    const eve = await service.customer(addressOf('eve'));
    expect((await confirm(eve, link)).status).toBe(400);
    expect((await confirm(ada, link)).status).toBe(303);
    expect((await eve.account()).email).not.toBe(to);
  });

  it('does not sign in with an address-change link, nor change an address with a sign-in link', async () => {
    const to = addressOf('new');
    await request(ada, to);
    const secret = (await linkTo(to)).split('=').at(-1) ?? '';
    const spent = await service.request('/sign-in', {
      ...{ method: 'POST', body: new URLSearchParams({ token: secret, seen: '1' }) },
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    expect([spent.status, spent.headers.get('set-cookie')]).toEqual([400, null]);
    const body = new URLSearchParams({ email: to });
    await service.request('/sign-in/mail', { method: 'POST', body, headers: { 'sec-fetch-site': 'same-origin' } });
    const signIn = /sign-in#([\w-]{43})/.exec((await mailed(to)).at(-1) ?? '')?.[1] ?? '';
    expect(signIn).not.toBe('');
    expect((await confirm(ada, signIn)).status).toBe(400);
  });

  it('does not reveal whether an address has an account, in upper or lower case', async () => {
    const taken = addressOf('bob');
    await service.customer(taken);
    const [known, unknown] = [await request(ada, taken.toUpperCase()), await request(ada, addressOf('new'))];
    const shown = ({ status, headers, body }: Answer) => [status, headers.get('location'), body];
    expect(shown(known)).toEqual(shown(unknown));
    const [mail = ''] = await mailed(taken.toUpperCase());
    expect(mail).toContain('It already has an account, so nothing was changed.');
    expect(mail).not.toContain('#change=');
  });

  it('stays as it was if the other sessions cannot be ended', async () => {
    const to = addressOf('new');
    await ada.otherSession();
    await request(ada, to);
    const link = await linkTo(to);
    await service.sql.unsafe(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
      create trigger refuse before update of ended_at on sessions execute function refuse()`);
    const answer = await confirm(ada, link);
    await service.sql.unsafe('drop function refuse cascade');
    expect(answer.status).toBe(500);
    expect((await ada.account()).email).toBe(old);
  });

  it('refuses an address with which another account was opened in the meantime', async () => {
    const to = addressOf('new');
    await request(ada, to);
    const link = await linkTo(to);
    await service.customer(to);
    expect((await confirm(ada, link)).status).toBe(400);
    expect((await ada.account()).email).toBe(old);
  });

  it('needs a recent sign-in', async () => {
    service.clock.advance(10 * 60_000 + 1);
    const to = addressOf('new');
    const answer = await request(ada, to);
    expect([answer.status, answer.words.includes('Sign in again to do this.')]).toEqual([403, true]);
    expect(answer.body).toContain('href="/sign-in?next=%2Fdashboard%2Faccount&amp;again=1"');
    expect(answer.body).toContain(`value="${to}"`);
    expect(await mailed(to)).toEqual([]);
  });

  it('shows the error beside the field for an invalid address and for the current one', async () => {
    const none = await request(ada, 'ada at harbour');
    expect([none.status, none.words.includes('Invalid email address.')]).toEqual([400, true]);
    expect(none.body).toContain('value="ada at harbour"');
    const own = await request(ada, old.toUpperCase());
    expect([own.status, own.words.includes('This is already the address of your account.')]).toEqual([400, true]);
  });

  it('mails an account five links in a quarter of an hour, whatever the addresses', async () => {
    const to = Array.from({ length: 6 }, () => addressOf('new'));
    const answers: Answer[] = [];
    for (const one of to) answers.push(await request(ada, one));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 303, 303, 429]);
    expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await mailed(to[5] ?? '')).toEqual([]);
  });

  it('opens the page of the link after sign-in', async () => {
    const answer = await service.request(`${PAGE}/email`, {});
    expect([answer.status, placeOf(answer)]).toEqual([303, '/sign-in?next=%2Fdashboard%2Faccount%2Femail']);
  });

  it('refuses a form from another site', async () => {
    const to = addressOf('new');
    const answer = await ada.post(`${PAGE}/email`, { email: to }, { 'sec-fetch-site': 'cross-site' });
    expect(answer.status).toBe(403);
    expect(await mailed(to)).toEqual([]);
  });
});
