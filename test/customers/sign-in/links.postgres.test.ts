/** Sign-in by a link: it works once, for a limited time, and does not reveal who has an account. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuditLog } from '../../../adapters/postgres/accounts/audit.js';
import { createMemberStore } from '../../../adapters/postgres/accounts/members.js';
import { createOneTimeTokens } from '../../../adapters/postgres/customers/one-time-tokens.js';
import { QueryLimiter } from '../../../adapters/postgres/ledger/query-limiter.js';
import { OPERATOR } from '../../../src/domain/audit.js';
import { signInLink } from '../../../src/sign-in/links.js';
import { cookieOf, type SignInServer, startSignIn } from './sign-in-server.js';

const FROM = { userAgent: 'Firefox', address: '192.0.2.1' };
const MINUTE_MS = 60_000;
const SPENT = { code: 'bad_request', detail: { reason: 'link_spent' } };

describe('links', () => {
  let server: SignInServer;
  const accounts = (email: string) =>
    server.database.sql<{ id: string; name: string }[]>`
      select account_id as id, name from accounts join account_owners using (account_id)
      where lower(email) = lower(${email}) order by created_at`;
  const requestLink = (email: string, next: string | null = null) =>
    server.signIn.requestLink(email, { address: '192.0.2.9', next });

  beforeAll(async () => {
    server = await startSignIn();
  });
  afterAll(() => server.close());

  it('lead from the mail to the page, with the secret behind #, and say how long they work', async () => {
    await requestLink('words@example.org');
    const secret = await server.mailedSecret('words@example.org');
    const mail = server.sent.find(({ to }) => to === 'words@example.org');
    expect(mail?.text).toContain(`\n${signInLink(server.url, secret)}\n`);
    expect(mail?.text).toContain('once and expires in 10 minutes');
    expect(mail?.text).toContain('you can ignore it');
    const rows = await server.database.sql`select subject::text, encode(hash, 'base64') as hash from one_time_tokens`;
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it('open one session and one account if used 20 times at once', async () => {
    await requestLink('rush@example.org', '/dashboard/keys');
    const secret = await server.mailedSecret('rush@example.org');
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => server.signIn.spend(secret, FROM)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const each of tries) if (each.status === 'rejected') expect(each.reason).toMatchObject(SPENT);
    const [account, ...more] = await accounts('rush@example.org');
    expect(more).toEqual([]);
    expect(account?.name).toBe('rush@example.org');
    expect((await server.sessions.list(account?.id ?? '')).sessions).toHaveLength(1);
  });

  it('open one account, without a deadlock, if several links of a new address are used at once', async () => {
    const secrets: string[] = [];
    for (let count = 0; count < 5; count++) {
      await requestLink('New@Example.org');
      secrets.push(await server.mailedSecret('New@Example.org'));
    }
    await Promise.all(secrets.map((secret) => server.signIn.spend(secret, FROM)));
    expect(await accounts('new@example.org')).toHaveLength(1);
  });

  it('sign in the one owner of several accounts, in upper or lower case, even if one is frozen', async () => {
    const oldest = await server.openAccount('Twice@example.org');
    await server.openAccount('twice@example.org');
    await server.database.sql`update accounts set frozen_at = now() where account_id = ${oldest}`;
    await requestLink('twice@EXAMPLE.org');
    const { session } = await server.signIn.spend(await server.mailedSecret('twice@EXAMPLE.org'), FROM);
    expect(await server.sessions.find(session.token)).toMatchObject({ personId: oldest });
  });

  it('work pasted in whole or as the code alone, and keep the destination', async () => {
    await requestLink('paste@example.org', '/oauth/authorize?client_id=a&state=b');
    const link = signInLink(server.url, await server.mailedSecret('paste@example.org'));
    expect(await server.signIn.spend(` ${link}\n`, FROM)).toMatchObject({
      next: '/oauth/authorize?client_id=a&state=b',
    });
  });

  it('drop a destination on another site', async () => {
    await requestLink('evil@example.org', 'https://evil.example/');
    expect(await server.signIn.spend(await server.mailedSecret('evil@example.org'), FROM)).toMatchObject({
      next: null,
    });
  });

  it.each([
    ['mailed', 10 * MINUTE_MS],
    ['printed', 24 * 60 * MINUTE_MS],
  ])('of the kind "%s" work until their end and not after', async (kind, forMs) => {
    const own = await startSignIn();
    try {
      const accountId = await own.openAccount(null);
      const mint = async () => {
        if (kind === 'printed') return own.links.forAccount(accountId);
        await own.signIn.requestLink('late@example.org', { address: '192.0.2.9', next: null });
        return own.mailedSecret('late@example.org');
      };
      const [first, second] = [await mint(), await mint()];
      own.clock.advance(forMs - 1);
      await own.signIn.spend(first, FROM);
      own.clock.advance(1);
      await expect(own.signIn.spend(second, FROM)).rejects.toMatchObject(SPENT);
    } finally {
      await own.close();
    }
  });

  it.each([
    ['nothing', ''],
    ['a letter', 'x'],
    ['only #', '#'],
    ['the right length', 'A'.repeat(43)],
    ['5000 letters', 'A'.repeat(5000)],
  ])('are refused with an invalid secret: %s', async (_name, token) => {
    const answer = await server.post('/sign-in', { token, seen: '1' });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('has expired or has already been used');
    expect(cookieOf(answer)).toBeUndefined();
  });

  it('do not reveal in status, headers or body whether an address has an account', async () => {
    await server.openAccount('known@example.org');
    const shown = async (email: string) => {
      const answer = await server.post('/sign-in/mail', { email, next: '/dashboard' });
      const headers = Object.fromEntries(answer.headers);
      delete headers['x-request-id'];
      delete headers.date;
      return { status: answer.status, headers, body: await answer.text() };
    };
    const known = await shown('known@example.org');
    expect(known).toMatchObject({ status: 303, headers: { location: '/sign-in?next=%2Fdashboard&sent=1' } });
    expect(await shown('unknown@example.org')).toEqual(known);
    // Even beyond the number of mails that an address gets in a quarter of an hour.
    for (let count = 0; count < 5; count++) expect(await shown('known@example.org')).toEqual(known);
    await server.signIn.close();
    expect(server.sent.filter(({ to }) => to === 'known@example.org')).toHaveLength(5);
  });

  it('are answered before the mail is sent, and a failing mail server is reported to the operator only', async () => {
    let fail: ((error: Error) => void) | undefined;
    const own = await startSignIn({ mail: { send: () => new Promise((_resolve, reject) => (fail = reject)) } });
    try {
      const answer = await own.post('/sign-in/mail', { email: 'a@example.org' });
      expect(answer.status).toBe(303);
      await expect.poll(() => fail).toBeDefined();
      fail?.(new Error('550 no'));
      await own.signIn.close();
      expect(own.mailFailures).toEqual(['550 no']);
    } finally {
      await own.close();
    }
  });

  it('are limited for one address: 429 with a page and Retry-After', async () => {
    const own = await startSignIn();
    try {
      const answers: Response[] = [];
      for (let count = 0; count < 21; count++) {
        answers.push(await own.post('/sign-in/mail', { email: `a${count}@example.org` }));
      }
      expect(answers.map(({ status }) => status)).toEqual([...Array(20).fill(303), 429]);
      const last = answers.at(-1);
      expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(30);
      expect(await last?.text()).toContain('Try again in 1 minute.');
    } finally {
      await own.close();
    }
  });

  it.each([
    ['nothing', ''],
    ['a word', 'nobody'],
    ['two @', 'a@b@c.org'],
    ['two addresses', 'a@example.org,b@example.org'],
    ['a header', 'a@example.org\r\nBcc: b@example.org'],
    ['too long', `${'a'.repeat(250)}@example.org`],
  ])('show the form again for an invalid mail address: %s', async (_name, email) => {
    const answer = await server.post('/sign-in/mail', { email });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('Invalid email address');
  });

  it('are recorded in the log of the account', async () => {
    await requestLink('log@example.org');
    const answer = await server.post('/sign-in', { token: await server.mailedSecret('log@example.org'), seen: '1' });
    await server.post('/sign-out', {}, { cookie: cookieOf(answer) ?? '' });
    const [account] = await accounts('log@example.org');
    const events = await createAuditLog(new QueryLimiter(server.database.sql)).list(account?.id ?? '', 10);
    expect(events.map(({ what, who, address }) => ({ what, who, address }))).toEqual(
      ['session.ended', 'session.started', 'account.created'].map((what) => ({
        what,
        who: 'customer',
        address: '127.0.0.1',
      })),
    );
  });

  it.each([
    [
      'mailed',
      'whose@example.org',
      async () => {
        await requestLink('whose@example.org');
        return server.mailedSecret('whose@example.org');
      },
    ],
    // The server of these tests gives every account this name.
    ['printed', 'Ada', async () => server.links.forAccount(await server.openAccount(null))],
  ])('of the kind "%s" show whose account they open before they are used', async (_kind, name, mint) => {
    const token = await mint();
    const response = await fetch(`${server.url}/sign-in/whose`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ token }),
    });
    expect(await response.json()).toEqual({ name });
    const unseen = await server.post('/sign-in', { token, next: '/dashboard/keys' });
    expect([unseen.status, cookieOf(unseen), unseen.headers.get('cache-control')]).toEqual([
      200,
      undefined,
      'no-store',
    ]);
    const page = await unseen.text();
    expect(page).toContain(`This link signs you in as <bdi>${name}</bdi>`);
    expect(page).toContain('name="next" value="/dashboard/keys"');
    const seen = await server.post('/sign-in', { token, seen: '1' });
    expect([seen.status, cookieOf(seen)]).toEqual([303, expect.stringMatching(/^perch=/)]);
    expect((await server.post('/sign-in', { token })).status).toBe(400);
  });

  it('sign in nobody if they were printed for an earlier owner', async () => {
    const [accountId, bob] = [await server.openAccount(null), await server.openAccount(null)];
    await server.database.sql`
      insert into members (account_id, person_id, role) values (${accountId}, ${bob}, 'reader')`;
    const [early, later] = [await server.links.forAccount(accountId), await server.links.forAccount(accountId)];
    await server.signIn.spend(early, FROM);
    await createMemberStore(server.database.sql).transfer(accountId, accountId, bob, 'developer', OPERATOR);
    await expect(server.signIn.accountOf(later)).rejects.toMatchObject(SPENT);
    await expect(server.signIn.spend(later, FROM)).rejects.toMatchObject(SPENT);
    expect((await server.sessions.list(bob)).sessions).toEqual([]);
  });

  it('show a page for a rate limit and for an invalid form', async () => {
    const headers = { accept: 'text/html' };
    const bad = await server.post('/sign-in/mail', { email: 'a\u0000@example.org' }, headers);
    expect([bad.status, bad.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect(await bad.text()).toContain('<h1>Something went wrong</h1>');
    const own = await startSignIn({ admits: false });
    try {
      const answer = await own.post('/sign-in/mail', { email: 'a@example.org' }, headers);
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '3']);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(await answer.text()).toContain('Try again in 3 s.');
      expect((await own.post('/sign-in/mail', {})).headers.get('content-type')).toContain('application/json');
    } finally {
      await own.close();
    }
  });

  it('are deleted when they have expired, or a day after use', async () => {
    const own = await startSignIn();
    try {
      const tokens = createOneTimeTokens(own.database.sql);
      const accountId = await own.openAccount(null);
      const [spent] = [await own.links.forAccount(accountId), await own.links.forAccount(accountId)];
      await own.signIn.spend(spent, FROM);
      const left = async (afterMs: number) => {
        await tokens.forget(own.clock.now() + afterMs);
        return (await own.database.sql`select from one_time_tokens`).length;
      };
      expect(await left(23 * 60 * MINUTE_MS)).toBe(2);
      expect(await left(24 * 60 * MINUTE_MS + 1)).toBe(0);
    } finally {
      await own.close();
    }
  });
});
