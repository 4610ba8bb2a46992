/** A customer uses the whole service: a process, its database, a browser, a payment processor, a client. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as oauth from 'oauth4webapi';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoHome } from '../../cli/support/demo-home.js';
import { SLOW_MS, serve, until } from '../../cli/support/service.js';
import type { Cli, Started } from '../../cli/support/support.js';
import { describeInChromium, launchChromium, type Visit, visit } from '../../kit/browser/chromium.js';
import { type Client, createClient } from '../../kit/client.js';
import { FakeStripe } from '../../kit/stripe/fake-stripe.js';

const KEY = /perch_live_[0-9A-Za-z]{32}/;
const READ = '/v1/users/harbor_obs';

describeInChromium(
  'a customer',
  () => {
    let cli: Cli;
    let started: Started;
    let url: string;
    let stripe: FakeStripe;
    let app: Server;
    let callback: string;
    let browser: Browser;
    let tab: Visit;
    let page: Page;

    beforeAll(async () => {
      cli = await openDemoHome();
      stripe = await FakeStripe.start();
      app = createServer((_request, response) => response.end('Back at the client.'));
      await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
      callback = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
      ({ started, url } = await serve(cli, { PERCH_DEMO: '', ...stripe.env }));
      stripe.webhookUrl = `${url}/webhooks/stripe`;
      browser = await launchChromium();
      tab = await visit(browser, url, {}, [stripe.url, callback]);
      ({ page } = tab);
    }, SLOW_MS);

    afterAll(async () => {
      await browser?.close();
      started?.process.kill('SIGTERM');
      await started?.end;
      app?.close();
      await stripe?.close();
      await cli?.close();
    });

    const button = (name: string | RegExp) => page.getByRole('button', { name });
    const shownKey = async (): Promise<string> => {
      await page.getByText('Copy the key now').waitFor();
      return KEY.exec(await page.locator('main').innerText())?.[0] ?? '';
    };
    const isRefused = (client: Client) =>
      until(async () => (await client.get('/v1/me')).status === 401, 'the key is refused', started);
    const balance = async (): Promise<number> => {
      await page.goto(`${url}/dashboard`);
      const text = await page.locator('main').innerText();
      return Number(/([\d,.]+)\s+credits/.exec(text)?.[1]?.replaceAll(',', ''));
    };

    it('signs in by the link of the start, makes a key, reads, sees it, rotates, revokes', {
      timeout: SLOW_MS,
    }, async () => {
      const [link = ''] = /http:\S+\/sign-in#\S+/.exec(started.said.stdout) ?? [];
      await page.goto(link);
      await page.waitForURL(`${url}/sign-in`);
      await button('Sign in').first().click();
      await page.waitForURL(`${url}/dashboard`);

      await page.goto(`${url}/dashboard/keys`);
      await page.getByLabel('Name').fill('walk');
      await button('Create key').click();
      const key = await shownKey();
      const read = await createClient(url, key).get(READ);
      expect([read.status, read.body.credits_charged]).toEqual([200, 1]);

      await page.goto(`${url}/dashboard/usage?group=endpoint&group=key`);
      expect(await page.getByRole('table', { name: /by endpoint, key/ }).innerText()).toMatch(/user/);
      const chart = page.getByRole('img', { name: /^Credits per day .*: 1 in total/ });
      expect((await chart.locator('path.bars').boundingBox())?.height).toBeGreaterThan(0);
      await page.goto(`${url}/dashboard/receipts?request_id=${read.body.request_id}`);
      expect(await page.locator('main').innerText()).toContain('profile');

      await page.goto(`${url}/dashboard/keys`);
      await page.getByRole('link', { name: 'Manage walk' }).click();
      await page.getByLabel('Old key').selectOption('24h');
      await button('Rotate key').click();
      const fresh = await shownKey();
      expect(fresh).not.toBe(key);
      for (const one of [key, fresh]) expect((await createClient(url, one).get('/v1/me')).status).toBe(200);

      for (const one of [key, fresh]) {
        await page.goto(`${url}/dashboard/keys`);
        await page
          .locator('tr', { hasText: one.slice(0, 17) })
          .getByRole('link', { name: 'Manage walk' })
          .click();
        await page.getByText('Revoke this key…').click();
        await button('Revoke now').click();
        await page.waitForURL(/dashboard\/keys/);
        await isRefused(createClient(url, one));
      }
    });

    it('buys a pack on the hosted page, and gets its credits and tier', { timeout: SLOW_MS }, async () => {
      const before = await balance();
      await page.goto(`${url}/dashboard/credits`);
      await button(/starter/i).click();
      await page.waitForURL(`${stripe.url}/**`);
      await button(/pay/i).click();
      await page.waitForURL(`${url}/dashboard/credits?**`);
      await Promise.all(stripe.deliveries);
      expect(await balance()).toBe(before + 10_000);
      expect(await Promise.all(stripe.deliveries)).toEqual([200]);
      await page.goto(`${url}/dashboard/credits`);
      expect(await page.locator('main').innerText()).toMatch(/starter/i);
    });

    it('connects a client with a cap, which reads until it is revoked', { timeout: SLOW_MS }, async () => {
      const loose = { [oauth.allowInsecureRequests]: true };
      const issuer = new URL(url);
      const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...loose });
      const as = await oauth.processDiscoveryResponse(issuer, found);
      const metadata = { client_name: 'Walk client', redirect_uris: [callback] };
      const client = await oauth.processDynamicClientRegistrationResponse(
        await oauth.dynamicClientRegistrationRequest(as, metadata, loose),
      );
      const verifier = oauth.generateRandomCodeVerifier();
      const to = new URL(as.authorization_endpoint ?? '');
      to.search = new URLSearchParams({
        response_type: 'code',
        client_id: client.client_id,
        redirect_uri: callback,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state: 'walk',
      }).toString();
      await page.goto(to.href);
      const words = await page.locator('main').innerText();
      expect(words).toContain('Walk client');
      expect(words).toMatch(/wallet/);
      await page.getByLabel('Credits').fill('5');
      await page.getByLabel('Period').selectOption('day');
      await button('Allow').click();
      await page.waitForURL(`${callback}/**`);

      const back = oauth.validateAuthResponse(as, client, new URL(page.url()), 'walk');
      const answer = await oauth.authorizationCodeGrantRequest(
        as,
        client,
        oauth.None(),
        back,
        callback,
        verifier,
        loose,
      );
      const { access_token: key } = await oauth.processAuthorizationCodeResponse(as, client, answer);
      const reads = createClient(url, key);
      expect((await reads.get(READ)).status).toBe(200);
      const over = await reads.get('/v1/users/harbor_obs/tweets?count=20');
      expect(over.body).toMatchObject({ truncated: 'key_cap' });

      await page.goto(`${url}/dashboard/clients`);
      expect(await page.locator('main').innerText()).toContain('Walk client');
      await page.locator('main details summary').first().click();
      await page.locator('main details[open] button').click();
      await isRefused(reads);
      await page.goto(`${url}/dashboard/security`);
      const log = await page.locator('main').innerText();
      for (const what of [
        'Signed in',
        'Key created',
        'Key rotated',
        'Credits bought',
        'App allowed',
        'App disconnected',
      ]) {
        expect(log).toContain(what);
      }
    });

    it('contacts no other host, violates no policy and raises no error on the whole walk', () => {
      expect([tab.foreign, tab.violations, tab.errors]).toEqual([[], [], []]);
    });
  },
  { inOrder: true },
);
