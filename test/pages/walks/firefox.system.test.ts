/** What visitors, customers and operators do on a demo, in Firefox: the other walks use Chromium. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoHome } from '../../cli/support/demo-home.js';
import { type Demo, SLOW_MS, startDemo, until } from '../../cli/support/service.js';
import type { Cli, Started } from '../../cli/support/support.js';
import { describeInFirefox, FirefoxTab, launchFirefox } from '../../kit/browser/firefox.js';
import { createClient } from '../../kit/client.js';
import { startMailServer } from '../../kit/mail-server.js';
import { triesFailingHandles } from './failing-handles.js';

const KEY = /perch_live_[0-9A-Za-z]{32}/;

describeInFirefox('in Firefox', () => {
  let demo: Demo;
  let cli: Cli;
  let started: Started;
  let url: string;
  let mail: Awaited<ReturnType<typeof startMailServer>>;
  let browser: Browser;
  let tab: FirefoxTab;

  beforeAll(async () => {
    mail = await startMailServer();
    demo = await startDemo({ SMTP_URL: mail.url }, await openDemoHome());
    ({ cli, started, url } = demo);
    browser = await launchFirefox();
    tab = await FirefoxTab.open(browser, url);
  }, SLOW_MS);

  afterAll(async () => {
    await browser?.close();
    await demo?.close();
    await mail?.close();
  });

  const flawsOn = async (...paths: readonly string[]): Promise<string[]> => {
    const flaws: string[] = [];
    for (const path of paths) {
      await tab.goto(path);
      flaws.push(...(await tab.flaws()));
    }
    return flaws;
  };

  it('passes axe on the public pages that no walk visits', { timeout: SLOW_MS }, async () => {
    expect(await flawsOn('/docs/graphql', '/docs/api/usersBatch', '/docs/types/User')).toEqual([]);
    expect(tab.errors).toEqual([]);
    expect(await tab.goto('/nowhere')).toBe(404);
    expect(await tab.flaws()).toEqual([]);
    tab.errors.length = 0; // Firefox reports the 404 as an error.
  });

  it('lets a visitor try a read in the reference, and charges half the second time', { timeout: SLOW_MS }, async () => {
    await tab.goto('/docs/api');
    await tab.click('link', 'GET /v1/users/{handle}');
    await tab.click('button', 'Send');
    await tab.sees('200: 1 credit charged');
    expect(await tab.words('#try-answer')).toContain('"handle": "harbor_obs"');
    await tab.click('button', 'Send');
    await tab.sees('200: 0.5 credits charged');
  });

  it('runs the first example of GraphiQL with the demo key, and shows the cost', { timeout: SLOW_MS }, async () => {
    await tab.goto('/graphql');
    await tab.sees('Demo key');
    await tab.page.locator('.graphiql-execute-button').click();
    // The profile is cached by now; its timeline is not.
    await tab.page.waitForFunction(`document.querySelector('#last-cost')?.textContent.startsWith('20.5 credits')`);
    await expect.poll(() => tab.words('.result-window .CodeMirror')).toContain('harbor_obs');
  });

  it('lets a customer sign in, make a key, read with it, and see its usage', { timeout: SLOW_MS }, async () => {
    await tab.goto(demo.signInLink);
    await tab.isAt('/sign-in');
    await tab.click('button', 'Sign in');
    await tab.isAt('/dashboard');
    await tab.goto('/dashboard/keys');
    await tab.fill('Name', 'walk');
    await tab.click('button', 'Create key');
    // The previous page stays until the new one has loaded.
    await tab.page.waitForFunction(`${KEY}.test(document.querySelector('main')?.innerText)`);
    const [key = ''] = KEY.exec(await tab.words()) ?? [];
    const read = await createClient(url, key).get('/v1/users/harbor_obs');
    expect(read.status).toBe(200);
    await tab.goto(`/dashboard/receipts?request_id=${read.body.request_id}`);
    expect(await tab.words()).toContain('profile');
    expect(await tab.flaws()).toEqual([]);
    expect(await flawsOn('/dashboard/usage')).toEqual([]);
  });

  it('tries each failing handle with a test key, and no live credit is spent', { timeout: SLOW_MS }, async () => {
    const liveKey = (await readFile(join(cli.home, 'demo-key'), 'utf8')).trim();
    await triesFailingHandles(tab, url, liveKey);
    // Firefox reports answers with an error status as errors.
    tab.errors.length = 0;
  });

  it('lets an operator find, freeze and thaw an account', { timeout: SLOW_MS }, async () => {
    const words = ['--name', 'Ada', '--email', 'ada@harbour.example', '--credits', '10', '--qps', '100'];
    const ada = await cli.json<{ account_id: string; key: string }>('account', 'create', ...words);
    const status = async () => (await createClient(url, ada.key).get('/v1/me')).status;
    await tab.goto('/operator');
    const label = 'Part of a name or email address, an account id, or the six characters of a key';
    await tab.fill(label, 'ADA@harbour');
    // The previous page lists the newest accounts as well; a click on its link would be lost, so wait for the new page.
    await Promise.all([tab.page.waitForNavigation(), tab.click('button', 'Find')]);
    await tab.click('link', 'Ada');
    await tab.isAt(`/operator/accounts/${ada.account_id}`);
    expect(await status()).toBe(200);
    await tab.page.locator('::-p-text(Freeze this account…)').click();
    await tab.click('button', 'Freeze now');
    await tab.sees('Account frozen.');
    await until(async () => (await status()) === 401, 'the key is refused', started);
    await tab.click('button', 'Thaw this account');
    await tab.sees('Account thawed.');
    await until(async () => (await status()) === 200, 'the key works', started);
    expect([tab.foreign, tab.errors]).toEqual([[], []]);
  });

  it('lets a customer set an alert, and sends it', { timeout: SLOW_MS }, async () => {
    const words = ['--name', 'Grace', '--email', 'grace@harbour.example', '--credits', '3'];
    const { key } = await cli.json<{ key: string }>('account', 'create', ...words);
    const answer = await cli.json<{ sign_in_link: string }>('account', 'sign-in', '--email', 'grace@harbour.example');
    const link = new URL(answer.sign_in_link);
    await tab.goto(`/sign-in${link.hash}`);
    await tab.click('button', 'Sign in');
    await tab.isAt('/dashboard');
    await tab.goto('/dashboard/alerts');
    await tab.fill('Credits', 'many');
    await tab.click('button', 'Set alert');
    await tab.page.waitForFunction(`document.querySelector('#amount')?.getAttribute('aria-invalid') === 'true'`);
    await tab.fill('Credits', '2.5');
    await tab.click('button', 'Set alert');
    await tab.sees('Remove');
    expect(await tab.flaws()).toEqual([]);
    expect((await createClient(url, key).get('/v1/users/harbor_obs?fresh=true')).status).toBe(200);
    const subject = 'Subject: Perch: the balance is below 2.5 credits';
    // Arrives within a minute, as the page says.
    await until(() => mail.received.some(({ source }) => source.includes(subject)), 'the mail arrives', started);
    expect([tab.foreign, tab.errors]).toEqual([[], []]);
  });
});
