/** Test mode in the whole service: a newcomer's first steps, and a customer who tests how a client handles errors. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoHome } from '../../cli/support/demo-home.js';
import { type Demo, SLOW_MS, startDemo, until } from '../../cli/support/service.js';
import { describeInChromium, launchChromium, visit } from '../../kit/browser/chromium.js';
import { chromiumTab } from '../../kit/browser/tab.js';
import { createClient } from '../../kit/client.js';
import { triesFailingHandles } from './failing-handles.js';

describeInChromium('a customer who tests a client', () => {
  let demo: Demo;
  let browser: Browser;

  beforeAll(async () => {
    demo = await startDemo({}, await openDemoHome());
    browser = await launchChromium();
  }, SLOW_MS);

  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  /** A new account, with neither keys nor credits, and a link that signs in to it. */
  async function newcomer(name: string): Promise<string> {
    const { account_id: id } = await demo.cli.json<{ account_id: string }>('account', 'create', '--name', name);
    const { stdout } = await demo.cli.run('account', 'sign-in', id);
    // The service has a random port, which the command does not know.
    return `${demo.url}/sign-in${/#[\w-]{43}/.exec(stdout)?.[0]}`;
  }

  it('leads a newcomer from an empty wallet to a first read that appears on the overview', {
    timeout: SLOW_MS,
  }, async () => {
    const { url } = demo;
    const seen = await visit(browser, url, { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = seen;
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const link = await newcomer('newcomer');
    await page.goto(link);
    await page.getByText('for newcomer').waitFor();
    // The link survives a reload, though the address does not show it.
    await page.reload();
    await page.getByText('for newcomer').waitFor();
    expect(page.url()).toBe(`${url}/sign-in`);
    await button('Sign in').first().click();
    await page.waitForURL(`${url}/dashboard`);

    await page.getByText('The wallet is empty.').waitFor();
    await button('Create a test key').click();
    await page.getByText('Copy the key now').waitFor();
    expect(await page.getByRole('switch').count()).toBe(0);
    await page.locator('figure', { hasText: 'A first read' }).getByRole('button', { name: 'Copy' }).click();
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
    const line = /^export PERCH_KEY=(perch_test_\w{32})\ncurl .+ \\\n {2}(\S+)$/;
    await expect.poll(copied).toMatch(line);
    const [, key = '', address = ''] = line.exec(await copied()) ?? [];
    await page.getByRole('link', { name: 'I have copied it' }).click();
    await page.getByText('No requests with a test key yet.').waitFor();
    expect(await page.getByRole('switch', { name: 'Test mode' }).getAttribute('aria-checked')).toBe('true');
    const read = await createClient(url, key).get(address.slice(url.length));
    expect(read.status).toBe(200);
    // Half if another walk has read it before.
    expect([1, 0.5]).toContain(read.body.credits_charged);
    // It appears without a reload.
    await page.locator('#live-requests').getByText('First test key').waitFor();
    await page.locator('#live-step-2.done').waitFor();

    await button('Hide the first steps').click();
    await page.waitForURL(`${url}/dashboard`);
    expect(await page.getByText('Get started').count()).toBe(0);
    // A used link is reported before the button is pressed.
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByText('This link has expired or has already been used.').waitFor();
    expect(await page.locator('#by-link').isVisible()).toBe(false);
    const expected = seen.errors.filter((error) => !error.includes('400'));
    expect([seen.foreign, seen.violations, expected]).toEqual([[], [], []]);
  });

  it('reads in GraphiQL and the reference with a test key of the session', { timeout: SLOW_MS }, async () => {
    const { url } = demo;
    const seen = await visit(browser, url);
    const { page } = seen;
    await page.goto(`${url}/graphql`);
    await page.getByRole('button', { name: 'Forget' }).click();
    await page.getByRole('button', { name: 'Use a test key' }).click();
    await page.locator('#notice').getByText('Test keys are free, but need an account.').waitFor();
    const signIn = await page.locator('#notice a').getAttribute('href');
    expect(signIn).toBe('/sign-in?next=%2Fgraphql');
    await page.goto(await newcomer('reader'));
    await page.getByText('for reader').waitFor();
    await page.getByRole('button', { name: 'Sign in', exact: true }).first().click();
    await page.waitForURL(`${url}/dashboard`);

    await page.goto(`${url}/graphql`);
    await page.getByRole('button', { name: 'Forget' }).click();
    await page.getByRole('button', { name: 'Use a test key' }).click();
    await page.locator('#key-kind', { hasText: 'Test key' }).waitFor();
    await page.getByRole('button', { name: /^Execute query/ }).click();
    await until(
      async () => /harbor_obs/.test(await page.locator('.graphiql-response').innerText()),
      'the query is answered',
    );
    const used = await page.locator('#key-name').innerText();

    const reference = await page.context().newPage();
    await reference.goto(`${url}/docs/api/user`);
    await reference.getByRole('button', { name: 'Use a test key' }).click();
    await until(
      async () => (await reference.locator('#try-key').inputValue()).startsWith('perch_test_'),
      'the key is there',
    );
    expect((await reference.locator('#try-key').inputValue()).slice(0, 17)).toBe(used.slice(0, 17));
    // GraphiQL asked just before, and a new account has one request a second.
    await until(async () => {
      await reference.getByRole('button', { name: 'Send' }).click();
      await sleep(1100);
      return /200: .* charged/.test(await reference.locator('#try-bill').innerText());
    }, 'it is answered');
    expect(await reference.locator('#try-key-demo').isVisible()).toBe(false);
    await reference.getByRole('button', { name: 'Use a test key' }).click();
    await reference.getByText('Example response').waitFor();
    expect([seen.foreign, seen.violations]).toEqual([[], []]);
  });

  it('tries each failing handle with a test key, and no live credit is spent', { timeout: SLOW_MS }, async () => {
    const { cli, url, signInLink } = demo;
    const seen = await visit(browser, url);
    const tab = chromiumTab(seen, url);
    await tab.goto(signInLink);
    await tab.click('button', 'Sign in');
    await seen.page.waitForURL(`${url}/dashboard`);
    const liveKey = (await readFile(join(cli.home, 'demo-key'), 'utf8')).trim();
    await triesFailingHandles(tab, url, liveKey);
    expect([seen.foreign, seen.violations]).toEqual([[], []]);
  });
});
