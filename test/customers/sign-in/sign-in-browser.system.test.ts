/** Signing in as people do, by a printed link, by mail and with a passkey: a real browser and the real service. */
import { setTimeout } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signInLink } from '../../../src/sign-in/links.js';
import { describeInChromium, launchChromium, type Visit, visit } from '../../kit/browser/chromium.js';
import { type SignInServer, startSignIn } from './sign-in-server.js';

const HERE = '/dashboard/security';

describeInChromium('signing in', () => {
  let browser: Browser;
  let server: SignInServer;

  beforeAll(async () => {
    browser = await launchChromium();
    server = await startSignIn({ env: { HOST: 'localhost' } });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  const open = (): Promise<Visit> => visit(browser, server.url);
  const quiet = ({ foreign, violations, errors }: Visit) => expect({ foreign, violations, errors }).toEqual(QUIET);
  const QUIET = { foreign: [], violations: [], errors: [] };
  /** The page that requires the sign-in. */
  const home = (page: Page): Promise<void> => page.waitForURL(`${server.url}/dashboard`);
  const link = async (accountId: string) => signInLink(server.url, await server.links.forAccount(accountId));

  it('opens a printed link without using it, clears the address, and signs in on a click', async () => {
    const accountId = await server.openAccount(null);
    const tab = await open();
    await tab.page.goto(await link(accountId));
    await tab.page.getByText('You opened a sign-in link for Ada.').waitFor();
    expect(tab.page.url()).toBe(`${server.url}/sign-in`);
    expect((await server.sessions.list(accountId)).sessions).toEqual([]);
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    await home(tab.page);
    expect(tab.page.url()).toBe(`${server.url}/dashboard`);
    expect((await server.sessions.list(accountId)).sessions).toMatchObject([{ method: 'link' }]);
    const [cookie] = await tab.page.context().cookies();
    expect(cookie).toMatchObject({ name: 'perch', httpOnly: true, sameSite: 'Lax' });
    quiet(tab);
    await tab.close();
  });

  it('signs in once on a double click', async () => {
    const accountId = await server.openAccount(null);
    const tab = await open();
    let posts = 0;
    await tab.page.route(`${server.url}/sign-in`, async (route) => {
      if (route.request().method() === 'POST') {
        posts += 1;
        await setTimeout(300);
      }
      await route.continue();
    });
    await tab.page.goto(await link(accountId));
    await tab.page.getByText('You opened a sign-in link for Ada.').waitFor();
    await tab.page.getByRole('button', { name: 'Sign in' }).dblclick({ delay: 20 });
    await home(tab.page);
    expect([posts, (await server.sessions.list(accountId)).sessions.length]).toEqual([1, 1]);
    quiet(tab);
    await tab.close();
  });

  it('works by mail: request a link, open it, click', async () => {
    const tab = await open();
    await tab.page.goto(`${server.url}/sign-in?next=${HERE}`);
    await tab.page.getByLabel('Email address').fill('bea@example.org');
    await tab.page.getByRole('button', { name: 'Email me a link' }).click();
    await tab.page.getByRole('heading', { name: 'Check your email' }).waitFor();
    await tab.page.goto(signInLink(server.url, await server.mailedSecret('bea@example.org')));
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    await tab.page.getByRole('heading', { name: 'Security' }).waitFor();
    quiet(tab);
    await tab.close();
  });

  it('says for a used link what to do, before the button is pressed', async () => {
    const accountId = await server.openAccount(null);
    const spent = await link(accountId);
    await server.signIn.spend(spent, { userAgent: null, address: null });
    const tab = await open();
    await tab.page.goto(spent);
    await tab.page.getByText('has expired or has already been used').waitFor();
    expect(await tab.page.getByRole('button', { name: 'Sign in', exact: true }).count()).toBe(0);
    await tab.page.getByRole('button', { name: 'Email me a link' }).waitFor();
    await tab.close();
  });

  it('says for a link without its end what to do, and not for a link to a part of the page', async () => {
    const whole = await link(await server.openAccount(null));
    const tab = await open();
    await tab.page.goto(whole.slice(0, -5));
    await tab.page.getByText('has expired or has already been used').waitFor();
    expect(new URL(tab.page.url()).hash).toBe('');
    await tab.page.goto('about:blank');
    await tab.page.goto(`${server.url}/sign-in#ways`);
    await tab.page.getByRole('button', { name: 'Email me a link' }).waitFor();
    expect(await tab.page.getByText('has expired or has already been used').isVisible()).toBe(false);
    await tab.close();
  });

  it('works without scripts by pasting the link', async () => {
    const accountId = await server.openAccount(null);
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const given = await link(accountId);
    await page.goto(given);
    await page.locator('summary').click();
    await page.getByLabel('Sign-in link').fill(given);
    await page.getByRole('button', { name: 'Sign in with this link' }).click();
    await page.getByText('This link signs you in as Ada').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await home(page);
    await context.close();
  });

  async function authenticator(page: Page): Promise<{ cdp: CDPSession; authenticatorId: string }> {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return { cdp, authenticatorId };
  }

  async function withPasskey(tab: Visit): Promise<{ accountId: string; cdp: CDPSession; authenticatorId: string }> {
    const accountId = await server.openAccount(null);
    const virtual = await authenticator(tab.page);
    await tab.page.goto(await link(accountId));
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    await home(tab.page);
    await tab.page.goto(server.url + HERE);
    await tab.page.getByLabel('Name of this device').fill('Laptop');
    await tab.page.getByRole('button', { name: 'Add a passkey' }).click();
    await tab.page.getByText('not used yet').waitFor();
    await tab.page.context().clearCookies();
    return { accountId, ...virtual };
  }

  const byPasskey = async (page: Page) => {
    await page.goto(`${server.url}/sign-in`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  };

  it('adds a passkey on the panel, signs in with it, and removes it', async () => {
    const tab = await open();
    const { accountId } = await withPasskey(tab);
    await byPasskey(tab.page);
    await home(tab.page);
    expect((await server.sessions.list(accountId)).sessions.map(({ method }) => method)).toContain('passkey');
    await tab.page.goto(server.url + HERE);
    await tab.page.getByText(/^Added .+, last used /).waitFor();
    await tab.page.getByRole('button', { name: 'Remove Laptop' }).click();
    await tab.page.getByText('No passkeys yet').waitFor();
    quiet(tab);
    await tab.page.context().clearCookies();
    await byPasskey(tab.page);
    await tab.page.getByText('was not accepted').waitFor();
    const events = await server.database.sql<{ what: string }[]>`
      select what from audit_log where account_id = ${accountId} and what like 'passkey%' order by event_id`;
    expect(events.map(({ what }) => what)).toEqual(['passkey.added', 'passkey.removed']);
    await tab.close();
  });

  it('leads from the panel to a new sign-in and back if a passkey is added after 10 minutes', async () => {
    const tab = await open();
    const { accountId } = await withPasskey(tab);
    await tab.page.goto(await link(accountId));
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    await home(tab.page);
    await tab.page.goto(server.url + HERE);
    server.clock.advance(11 * 60_000);
    await tab.page.getByLabel('Name of this device').fill('Late');
    await tab.page.getByRole('button', { name: 'Add a passkey' }).click();
    await tab.page.getByRole('link', { name: 'Sign in again' }).click();
    await tab.page.getByText('You signed in more than 10 minutes ago').waitFor();
    await tab.page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await tab.page.getByRole('heading', { name: 'Security' }).waitFor();
    const shown = await server.database.sql`
      select account_id as "accountId" from sessions where person_id = ${accountId} and method = 'passkey'`;
    expect(shown).toEqual([{ accountId }]);
    await tab.page.getByRole('button', { name: 'Remove Laptop' }).click();
    await tab.page.getByText('No passkeys yet').waitFor();
    await tab.close();
  });

  it('does not add the same device twice', async () => {
    const tab = await open();
    const { accountId } = await withPasskey(tab);
    await byPasskey(tab.page);
    await home(tab.page);
    await tab.page.goto(server.url + HERE);
    await tab.page.getByLabel('Name of this device').fill('Again');
    await tab.page.getByRole('button', { name: 'Add a passkey' }).click();
    await tab.page.getByText('already has a passkey for this account').waitFor();
    expect(await server.passkeys.list(accountId)).toHaveLength(1);
    await tab.close();
  });

  it('accepts a signed answer only once', async () => {
    const tab = await open();
    await withPasskey(tab);
    const sent = tab.page.waitForRequest(`${server.url}/sign-in/passkey`);
    await byPasskey(tab.page);
    const body = (await sent).postData() ?? '';
    await tab.page.waitForURL(`${server.url}/dashboard`);
    const headers = { 'content-type': 'application/json' };
    const again = await fetch(`${server.url}/sign-in/passkey`, { method: 'POST', headers, body });
    expect(again.status).toBe(403);
    await tab.close();
  });

  it('refuses a copied passkey whose signature count is too low', async () => {
    const tab = await open();
    const { accountId } = await withPasskey(tab);
    await server.database.sql`update passkeys set counter = 1000000
      where person_id in (select person_id from members where account_id = ${accountId})`;
    await byPasskey(tab.page);
    await tab.page.getByText('was not accepted').waitFor();
    await tab.close();
  });

  it('refuses a user whom the authenticator could not verify', async () => {
    const tab = await open();
    const { accountId, cdp, authenticatorId } = await withPasskey(tab);
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await byPasskey(tab.page);
    await tab.page.locator('#by-passkey [role=status]:not(:empty)').waitFor();
    expect((await server.sessions.list(accountId)).sessions.map(({ method }) => method)).toEqual(['link']);
    await tab.close();
  });
});
