/** The sign-in page in each of its states: valid, accessible, in both schemes, on a phone and on a desk. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HtmlValidate } from 'html-validate/node';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { siteAssets } from '../../../adapters/pages/kit/assets.js';
import { SITE_CSP } from '../../../adapters/pages/kit/send-page.js';
import { refusedPage, type SignInPage, signInPage } from '../../../adapters/pages/sign-in/page.js';
import { describeInChromium, launchChromium, visit } from '../../kit/browser/chromium.js';
import { flawsOf } from '../../kit/browser/looks.js';
import { panelPage } from './panel-page.js';

const ASK: SignInPage = { state: { kind: 'ask' }, next: '/dashboard/keys', byMail: true, passkeys: 'here' };
const KEY = {
  credentialId: 'AQID',
  name: 'My <phone> with a rather long name, as people give them',
  transports: ['internal'],
  createdAt: '2026-11-21T10:00:00.000Z',
};
const PASSKEYS = [
  { ...KEY, usedAt: null },
  { ...KEY, credentialId: 'BAUG', name: 'Stick', usedAt: '2026-11-22T10:00:00.000Z' },
];

const PAGES: Record<string, string> = {
  '/ask': signInPage(ASK),
  '/without-mail': signInPage({ ...ASK, byMail: false, passkeys: null, next: null }),
  '/elsewhere': signInPage({ ...ASK, passkeys: { at: 'http://localhost:4000/sign-in?next=%2Fdashboard%2Fkeys' } }),
  '/sent': signInPage({ ...ASK, state: { kind: 'sent' } }),
  '/sent-without-mail': signInPage({ ...ASK, byMail: false, state: { kind: 'sent' } }),
  '/spent': signInPage({ ...ASK, state: { kind: 'spent' } }),
  '/deleted': signInPage({ ...ASK, state: { kind: 'deleted' } }),
  '/again': signInPage({ ...ASK, state: { kind: 'again' } }),
  '/confirm': signInPage({ ...ASK, state: { kind: 'confirm', token: 'A'.repeat(43), name: '<b>ada@example.org' } }),
  '/refused': refusedPage('This form was submitted from another site. Open the page on this site and try again.'),
  '/bad-email': signInPage({ ...ASK, state: { kind: 'bad_email', email: '"><script>alert(1)</script>' } }),
  '/limited': signInPage({ ...ASK, state: { kind: 'limited', seconds: 840 } }),
  '/panel': panelPage({ passkeys: PASSKEYS, host: 'here', here: '/dashboard/security' }),
  '/panel-empty': panelPage({
    passkeys: [],
    host: { at: 'http://localhost:4000/dashboard/security' },
    here: '/dashboard',
  }),
  '/panel-nowhere': panelPage({ passkeys: [], host: null, here: '/dashboard' }),
};
const PATHS = Object.keys(PAGES);

describe('markup', () => {
  // As for the other pages, rules about what the serializer decides are off.
  const validator = new HtmlValidate({
    extends: ['html-validate:recommended', 'html-validate:a11y'],
    rules: { 'doctype-style': 'off', 'void-style': 'off', 'attribute-boolean-style': 'off', 'long-title': 'off' },
  });

  it.each(PATHS)('%s is valid HTML', async (path) => {
    const { results } = await validator.validateString(PAGES[path] ?? '');
    expect(results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => `${ruleId}: ${message}`))).toEqual(
      [],
    );
  });

  it('escapes what was typed', () => {
    expect(PAGES['/bad-email']).not.toContain('<script>alert');
  });
});

describeInChromium('in a browser', () => {
  let browser: Browser;
  let server: Server;
  let origin: string;

  beforeAll(async () => {
    browser = await launchChromium();
    server = createServer((request, response) => {
      const path = request.url ?? '/';
      const asset = siteAssets().get(path);
      if (asset) return response.writeHead(200, { 'content-type': asset.type }).end(asset.body);
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': SITE_CSP });
      const proxied = signInPage({ ...ASK, passkeys: { at: `${origin}/sign-in` } });
      return response.end(path === '/proxied' ? proxied : (PAGES[path] ?? ''));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    await browser?.close();
    await new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections());
  });

  it.each(PATHS)('%s keeps its policy, fits its window, and passes axe in both schemes', async (path) => {
    const tab = await visit(browser, origin);
    await tab.page.goto(`${origin}${path}${path === '/spent' ? `#${'A'.repeat(43)}` : ''}`);
    const details = tab.page.locator('details summary');
    if ((await details.count()) > 0 && (await details.isVisible())) await details.click();
    const flaws = await flawsOf(tab.page);
    const { foreign, violations, errors } = tab;
    await tab.close();
    expect({ flaws, foreign, violations, errors }).toEqual({ flaws: [], foreign: [], violations: [], errors: [] });
  });

  it('offers passkeys at the right address behind a proxy that hides its name', async () => {
    const tab = await visit(browser, origin);
    await tab.page.goto(`${origin}/proxied`);
    await tab.page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    expect(await tab.page.getByText('Passkeys work at').count()).toBe(0);
    await tab.page.goto(`${origin}/elsewhere`);
    await tab.page.getByText('Passkeys work at').waitFor();
    expect(await tab.page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible()).toBe(false);
    await tab.close();
  });
});
