/** An operator uses the whole service: a process, its database, two browsers, a client, the command line. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoHome } from '../../cli/support/demo-home.js';
import { type Demo, SLOW_MS, startDemo, until } from '../../cli/support/service.js';
import type { Cli, Started } from '../../cli/support/support.js';
import { describeInChromium, launchChromium, type Visit, visit } from '../../kit/browser/chromium.js';
import { createClient } from '../../kit/client.js';

const EMAIL = 'ada@harbour.example';

describeInChromium(
  'an operator',
  () => {
    let demo: Demo;
    let cli: Cli;
    let started: Started;
    let url: string;
    let browser: Browser;
    let tab: Visit;
    let page: Page;
    let ada: { readonly account_id: string; readonly key: string };

    beforeAll(async () => {
      demo = await startDemo({}, await openDemoHome());
      ({ cli, started, url } = demo);
      ada = await cli.json('account', 'create', '--name', 'Ada', '--email', EMAIL, '--credits', '10', '--qps', '100');
      browser = await launchChromium();
      tab = await visit(browser, url);
      ({ page } = tab);
    }, SLOW_MS);

    afterAll(async () => {
      await browser?.close();
      await demo?.close();
    });

    const button = (name: string) => page.getByRole('button', { name });
    const words = (): Promise<string> => page.locator('main').innerText();
    const me = () => createClient(url, ada.key).get('/v1/me');
    const balance = async (): Promise<number> =>
      (await cli.json<{ balance: number }>('account', 'show', ada.account_id)).balance;
    const signIn = async (on: Page, link: string): Promise<void> => {
      await on.goto(link);
      await on.waitForURL(`${url}/sign-in`);
      await on.getByRole('button', { name: 'Sign in' }).first().click();
      await on.waitForURL(`${url}/dashboard`);
    };

    it('follows the link from the dashboard, and finds an account by its address', { timeout: SLOW_MS }, async () => {
      await signIn(page, demo.signInLink);
      await page.getByRole('link', { name: 'Operator' }).click();
      await page.waitForURL(`${url}/operator`);
      await page.getByLabel('Part of a name or email address').fill('ADA@harbour');
      await button('Find').click();
      await page.getByRole('link', { name: 'Ada' }).click();
      await page.waitForURL(`${url}/operator/accounts/${ada.account_id}`);
      expect(await words()).toContain(EMAIL);
      expect(await words()).not.toContain(ada.key);
    });

    it('freezes and thaws it, and its key fails and works again', { timeout: SLOW_MS }, async () => {
      expect((await me()).status).toBe(200);
      await page.getByText('Freeze this account…').click();
      await button('Freeze now').click();
      await page.getByText('Account frozen.').waitFor();
      await until(async () => (await me()).status === 401, 'the key is refused', started);
      expect((await me()).body.error).toMatchObject({ code: 'invalid_key', reason: 'frozen' });
      await button('Thaw this account').click();
      await page.getByText('Account thawed.').waitFor();
      await until(async () => (await me()).status === 200, 'the key works', started);
    });

    it('grants credits after a confirmation and logs them once', { timeout: SLOW_MS }, async () => {
      await page.getByLabel('Credits', { exact: true }).fill('a lot');
      await page.getByLabel('Reason, which the customer sees').fill('beta tester');
      await button('Grant…').click();
      await page.getByText('Enter a number of credits').waitFor();
      expect(await page.getByLabel('Reason, which the customer sees').inputValue()).toBe('beta tester');
      await page.getByLabel('Credits', { exact: true }).fill('250');
      await button('Grant…').click();
      await page.getByText('Granted credits cannot be taken back.').waitFor();
      expect(await balance()).toBe(10);
      await button('Grant now').click();
      await page.getByText('Credits granted.').waitFor();
      await page.reload();
      expect(await words()).toMatch(/Granted\s+beta tester\s+\+250\s+260/);
      expect(await balance()).toBe(260);
      await page.getByRole('link', { name: 'Actions' }).click();
      await page.waitForURL(`${url}/operator/actions`);
      expect(await words()).toMatch(/Credits granted[\s\S]*Account thawed[\s\S]*Account frozen/);
      const stats = await cli.json<{ credits: { granted: number } }>('stats');
      expect(stats.credits.granted).toBeGreaterThanOrEqual(260);
    });

    it("creates a sign-in link whose customer cannot see the operator's pages", {
      timeout: SLOW_MS,
    }, async () => {
      await page.goto(`${url}/operator/accounts/${ada.account_id}`);
      await page.getByText('Create a sign-in link…').click();
      await button('Create link now').click();
      await page.getByText('It is shown only once.').waitFor();
      const link = /http:\S+\/sign-in#\S+/.exec(await words())?.[0] ?? '';
      const other = await visit(browser, url);
      await signIn(other.page, link);
      expect(await other.page.getByRole('link', { name: 'Operator' }).count()).toBe(0);
      for (const path of ['/operator', `/operator/accounts/${ada.account_id}`, '/operator/money']) {
        expect((await other.page.goto(url + path))?.status()).toBe(404);
      }
      await other.page.goto(`${url}/dashboard/security`);
      expect(await other.page.locator('main').innerText()).toMatch(/Sign-in link created[\s\S]*the operator/);
      await other.close();
      expect([tab.foreign, tab.violations]).toEqual([[], []]);
    });
  },
  { inOrder: true },
);
