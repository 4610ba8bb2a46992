import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HtmlValidate } from 'html-validate/node';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeInChromium, launchChromium, visit } from '../../kit/browser/chromium.js';
import { flawsOf } from '../../kit/browser/looks.js';
import { authorizationParams, decide, newClient, send } from './oauth-client.js';
import { type OAuthServer, startOAuthServer } from './oauth-server.js';

let server: OAuthServer;

/** The page that asks, the page that asks for a program on the computer, and the pages that refuse. */
let pages: Record<'web' | 'loopback' | 'app' | 'refused' | 'faulty', string>;
const NAMES = ['web', 'loopback', 'app', 'refused', 'faulty'] as const;

beforeAll(async () => {
  server = await startOAuthServer();
  server.visitor = await server.account();
  const callbacks = ['https://app.example/callback', `${server.url}/callback`, 'com.example.app:/cb'] as const;
  const clientId = await newClient(server, callbacks);
  const [web, loopback, app, refused] = [...callbacks, 'https://other.example/'].map(
    (redirect_uri) => `${server.url}/oauth/authorize?${authorizationParams(clientId, { redirect_uri })}`,
  ) as [string, string, string, string];
  pages = { web, loopback, app, refused, faulty: `${loopback}&resource=none` };
});
afterAll(() => server?.close());

describe('markup', () => {
  const validator = new HtmlValidate({
    extends: ['html-validate:recommended', 'html-validate:a11y'],
    rules: { 'doctype-style': 'off', 'void-style': 'off', 'attribute-boolean-style': 'off', 'long-title': 'off' },
  });

  const faultsOf = async (text: string): Promise<string[]> => {
    const { results } = await validator.validateString(text);
    return results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => `${ruleId}: ${message}`));
  };

  it.each(NAMES)('has no errors on the %s page', async (name) => {
    expect(await faultsOf((await send(pages[name])).text)).toEqual([]);
  });

  it('has no errors on the page that asks for another cap', async () => {
    const { text } = await decide(server, pages.web, { cap_amount: 'much' });
    expect(text).toContain('aria-invalid="true"');
    expect(await faultsOf(text)).toEqual([]);
  });
});

describeInChromium('the consent page in a browser', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  it.each(NAMES)('passes axe in both schemes on the %s page, keeps its policy, fits 360 and 1440 px', async (name) => {
    const tab = await visit(browser, server.url);
    await tab.page.goto(pages[name]);
    const flaws = await flawsOf(tab.page);
    const { foreign, violations, errors } = tab;
    await tab.close();
    expect({ flaws, foreign, violations }).toEqual({ flaws: [], foreign: [], violations: [] });
    // The browser's own message about the status 400.
    expect(errors).toHaveLength(name === 'refused' || name === 'faulty' ? 1 : 0);
  });

  it.each([
    ['Allow', 'code'],
    ['Deny', 'error'],
  ])('for %s sends the browser back to the client, as the policy allows', async (button, parameter) => {
    const tab = await visit(browser, server.url);
    await tab.page.goto(pages.loopback);
    await tab.page.getByLabel('Credits').fill('250');
    await tab.page.getByLabel('Period').selectOption('day');
    await tab.page.getByRole('button', { name: button }).click();
    await tab.page.waitForURL('**/callback?*');
    const { searchParams } = new URL(tab.page.url());
    expect([searchParams.has(parameter), searchParams.get('state')]).toEqual([true, 'st']);
    expect(tab.violations).toEqual([]);
    await tab.close();
  });

  it.each([
    ['Allow', 'code'],
    ['Deny', 'error'],
  ])('for %s arrives even if the client’s own address redirects to another origin', async (button, parameter) => {
    const home = await listening(() => null);
    const client = await listening((url) => `${home.origin}/home${new URL(url, home.origin).search}`);
    const redirect_uri = `${client.origin}/callback`;
    const fields = authorizationParams(await newClient(server, [redirect_uri]), { redirect_uri });
    const tab = await visit(browser, server.url, {}, [client.origin, home.origin]);
    await tab.page.goto(`${server.url}/oauth/authorize?${fields}`);
    await tab.page.getByRole('button', { name: button }).click();
    await tab.page.waitForURL('**/home?*');
    const { origin, searchParams } = new URL(tab.page.url());
    expect([origin, searchParams.has(parameter), tab.violations]).toEqual([home.origin, true, []]);
    await tab.close();
    client.server.close();
    home.server.close();
  });

  it('sends an error to the client only on a click', async () => {
    const tab = await visit(browser, server.url);
    await tab.page.goto(pages.faulty);
    await tab.page.getByRole('link', { name: `Back to ${new URL(server.url).host}` }).click();
    await tab.page.waitForURL('**/callback?*');
    const { searchParams } = new URL(tab.page.url());
    expect([searchParams.get('error'), searchParams.get('state')]).toEqual(['invalid_target', 'st']);
    await tab.close();
  });
});

/** A server that redirects the browser to a given address, or greets it. */
async function listening(onTo: (url: string) => string | null): Promise<{ server: Server; origin: string }> {
  const started = createServer((request, response) => {
    const location = onTo(request.url ?? '/');
    response.writeHead(location === null ? 200 : 302, {
      'content-type': 'text/html',
      ...(location !== null && { location }),
    });
    response.end('<!doctype html><title>Here</title><link rel="icon" href="data:,">');
  });
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return { server: started, origin: `http://127.0.0.1:${(started.address() as AddressInfo).port}` };
}
