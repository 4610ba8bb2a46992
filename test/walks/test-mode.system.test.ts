/** A customer who tries the errors of a client with a test key, before it meets them: a process, its database, a browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SLOW_MS, serve } from '../cli/service.js';
import { Cli, type Started } from '../cli/support.js';
import { describeInChromium, launchChromium, type Visit, visit } from '../support/chromium.js';
import { type Tab, triesFailingHandles } from './failing-handles.js';

const tabOf = ({ page }: Visit, url: string): Tab => ({
  goto: (path) => page.goto(new URL(path, url).href),
  click: (role, name) => page.getByRole(role, { name, exact: true }).click(),
  fill: (label, text) => page.getByLabel(label, { exact: true }).fill(text),
  sees: (text) => page.getByText(text).first().waitFor(),
  words: (selector = 'main') => page.locator(selector).innerText(),
});

describeInChromium('a customer who tests a client', () => {
  let cli: Cli;
  let started: Started;
  let url: string;
  let browser: Browser;

  beforeAll(async () => {
    cli = await Cli.open();
    ({ started, url } = await serve(cli, { PERCH_DEMO: '' }));
    browser = await launchChromium();
  }, SLOW_MS);

  afterAll(async () => {
    await browser?.close();
    started?.process.kill('SIGTERM');
    await started?.end;
    await cli?.close();
  });

  it('tries each failing handle with a test key, and no live credit is spent', { timeout: SLOW_MS }, async () => {
    const seen = await visit(browser, url);
    const tab = tabOf(seen, url);
    await tab.goto(/http:\S+\/sign-in#\S+/.exec(started.said.stdout)?.[0] ?? '');
    await tab.click('button', 'Sign in');
    await seen.page.waitForURL(`${url}/dashboard`);
    const [liveKey = ''] = /perch_live_[0-9A-Za-z]{32}/.exec(started.said.stdout) ?? [];
    await triesFailingHandles(tab, url, liveKey);
    expect([seen.foreign, seen.violations]).toEqual([[], []]);
  });
});
