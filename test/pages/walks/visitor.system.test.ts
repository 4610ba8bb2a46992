/** A visitor of a demo reads the documentation and tries what it describes: a process, its database, a browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoHome } from '../../cli/support/demo-home.js';
import { type Demo, SLOW_MS, startDemo } from '../../cli/support/service.js';
import { describeInChromium, launchChromium, type Visit, visit } from '../../kit/browser/chromium.js';
import { flawsOf, LOOKS } from '../../kit/browser/looks.js';

describeInChromium(
  'a visitor',
  () => {
    let demo: Demo;
    let url: string;
    let browser: Browser;
    let tab: Visit;

    beforeAll(async () => {
      demo = await startDemo({}, await openDemoHome());
      ({ url } = demo);
      browser = await launchChromium();
      tab = await visit(browser, url);
    }, SLOW_MS);

    afterAll(async () => {
      await browser?.close();
      await demo?.close();
    });

    const send = () => tab.page.getByRole('button', { name: 'Send' }).click();
    const bill = () => tab.page.locator('#try-bill');
    const left = async (): Promise<number> => {
      const text = await bill().innerText();
      return Number(/([\d,.]+) left/.exec(text)?.[1]?.replaceAll(',', ''));
    };

    it('goes from the front page to a first read that is answered and charged', { timeout: SLOW_MS }, async () => {
      await tab.page.goto(url);
      await tab.page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Docs' }).click();
      await tab.page.getByRole('link', { name: 'API reference' }).first().click();
      await tab.page.getByRole('link', { name: 'GET /v1/users/{handle}', exact: true }).click();
      await send();
      await bill().getByText('200: 1 credit charged').waitFor();
      await expect(tab.page.locator('#try-answer').innerText()).resolves.toContain('"handle": "harbor_obs"');
      const before = await left();
      await send();
      await bill().getByText('200: 0.5 credits charged').waitFor();
      expect(await left()).toBe(before - 0.5);
    });

    it('shows the most that a call can cost, and links a failure to its page', { timeout: SLOW_MS }, async () => {
      await tab.page.goto(`${url}/docs/api/userTweets`);
      await tab.page.getByLabel('count').fill('3');
      await tab.page.getByLabel('Send estimate=true').check();
      await send();
      await bill().getByText('200: at most 3 credits for at most 3 items; nothing charged').waitFor();
      await tab.page.getByLabel('Send estimate=true').uncheck();
      await tab.page.getByLabel('user (required)').fill('nobody_at_all');
      await send();
      await bill().getByText('404: nothing charged').waitFor();
      await bill().getByRole('link', { name: 'What it means' }).click();
      await tab.page.waitForURL(`${url}/problems/not_found`);
    });

    it('sends a body, which is checked first and kept when it is invalid', { timeout: SLOW_MS }, async () => {
      await tab.page.goto(`${url}/docs/api/usersBatch`);
      const body = tab.page.getByLabel('Body (JSON)');
      await body.fill('{ "handles": ["harbor_obs", ');
      await send();
      await tab.page.getByText('The body is not JSON').waitFor();
      expect(await body.inputValue()).toBe('{ "handles": ["harbor_obs", ');
      expect(await bill().innerText()).toBe('');
      await body.fill('{ "handles": ["harbor_obs", "nobody_at_all"], "fresh": true }');
      await send();
      await bill().getByText('200: 2 credits charged').waitFor();
      await body.fill('{ "handles": [] }');
      await send();
      await bill().getByText('400: nothing charged').waitFor();
      expect({ flaws: await flawsOf(tab.page, LOOKS.slice(0, 2)), violations: tab.violations }).toEqual({
        flaws: [],
        violations: [],
      });
    });

    it('finds a type by the search, with the cost of its fields', { timeout: SLOW_MS }, async () => {
      await tab.page.goto(`${url}/docs`);
      await tab.page.getByLabel('Search the documentation').fill('followingCount');
      await tab.page.locator('#docs-hits a').first().waitFor();
      await tab.page
        .locator('#docs-hits a[href="/docs/types/User"], #docs-hits a[href^="/docs/types/User#"]')
        .first()
        .click();
      await tab.page.waitForURL(/\/docs\/types\/User(?:#|$)/);
      const words = await tab.page.locator('article').innerText();
      expect(words).toContain('Price: 0.1 credits per follower or following profile, 0.05 if cached, 0.2 with fresh.');
      const markdown = await (await fetch(`${url}/docs/types/User.md`)).text();
      expect(markdown).toMatch(/^# User\n/);
      expect((await fetch(`${url}/docs/types/Nothing`)).status).toBe(404);
    });
  },
  { inOrder: true },
);
