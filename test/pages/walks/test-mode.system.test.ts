/** A customer who tries the errors of a client with a test key, before it meets them: a process, its database, a browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Demo, SLOW_MS, startDemo } from '../../cli/support/service.js';
import { describeInChromium, launchChromium, type Visit, visit } from '../../kit/browser/chromium.js';
import { type Tab, triesFailingHandles } from './failing-handles.js';

const tabOf = ({ page }: Visit, url: string): Tab => ({
  goto: (path) => page.goto(new URL(path, url).href),
  click: (role, name) => page.getByRole(role, { name, exact: true }).click(),
  fill: (label, text) => page.getByLabel(label, { exact: true }).fill(text),
  sees: (text) => page.getByText(text).first().waitFor(),
  words: (selector = 'main') => page.locator(selector).innerText(),
});

describeInChromium('a customer who tests a client', () => {
  let demo: Demo;
  let browser: Browser;

  beforeAll(async () => {
    demo = await startDemo();
    browser = await launchChromium();
  }, SLOW_MS);

  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  it('tries each failing handle with a test key, and no live credit is spent', { timeout: SLOW_MS }, async () => {
    const { url, started, signInLink } = demo;
    const seen = await visit(browser, url);
    const tab = tabOf(seen, url);
    await tab.goto(signInLink);
    await tab.click('button', 'Sign in');
    await seen.page.waitForURL(`${url}/dashboard`);
    const [liveKey = ''] = /perch_live_[0-9A-Za-z]{32}/.exec(started.said.stdout) ?? [];
    await triesFailingHandles(tab, url, liveKey);
    expect([seen.foreign, seen.violations]).toEqual([[], []]);
  });
});
