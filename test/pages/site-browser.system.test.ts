import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HtmlValidate } from 'html-validate/node';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changelogPage } from '../../adapters/pages/docs/changelog.js';
import { withAddress, withPublisher } from '../../adapters/pages/kit/layout.js';
import { notFoundPage } from '../../adapters/pages/kit/not-found.js';
import { landingPage } from '../../adapters/pages/site/landing.js';
import { legalPage } from '../../adapters/pages/site/legal.js';
import { problemPage, problemsPage } from '../../adapters/pages/site/problems.js';
import { statusPage } from '../../adapters/pages/site/status/status.js';
import { describeInChromium, launchChromium, visit } from '../kit/browser/chromium.js';
import { flawsOf, LOOKS } from '../kit/browser/looks.js';
import {
  API_PAGES,
  DOCS_PAGES,
  HISTORY,
  LANDING,
  NO_HISTORY,
  PUBLISHER,
  pricingAt,
  STATUS,
  STATUS_ALONE,
  STATUS_OK,
  serveSite,
  WHERE,
} from './site-fixture.js';

const PAGES: Readonly<Record<string, string>> = {
  '/': landingPage(LANDING),
  '/status': statusPage(STATUS, HISTORY, WHERE),
  '/status?ok': statusPage(STATUS_OK, NO_HISTORY, WHERE),
  '/status?alone': statusPage(STATUS_ALONE, null, WHERE),
  '/legal': withPublisher(legalPage(PUBLISHER), PUBLISHER),
  '/pricing': withAddress(pricingAt('/pricing'), { url: 'https://perch.example/pricing', picture: '/picture.png' }),
  '/pricing?tweet=many&profile=12': pricingAt('/pricing?tweet=many&profile=12'),
  '/problems': problemsPage(),
  '/changelog': changelogPage(),
  '/problems/rate_limited': problemPage('rate_limited'),
  '/nowhere': notFoundPage(),
};
const PATHS = Object.keys(PAGES);
/** The index, and of the others one with a picture and one with long tables. */
const DOCS_SEEN = [
  '/docs',
  '/docs/accounts',
  '/docs/architecture',
  '/docs/api',
  '/docs/api/userTweets',
  '/docs/api/tweetsBatch',
  '/docs/types',
  '/docs/types/User',
];

/** Written by hand; the others are made by the same code as those above. */
const GUIDES = Object.keys(DOCS_PAGES).filter((path) => !DOCS_SEEN.includes(path) && !path.startsWith('/docs/types'));

describe('markup', () => {
  // One line of output, so nothing is said about its layout; `defer` on modules and such is not.
  const validator = new HtmlValidate({
    extends: ['html-validate:recommended', 'html-validate:a11y'],
    rules: {
      ...{ 'doctype-style': 'off', 'void-style': 'off', 'attribute-boolean-style': 'off', 'long-title': 'off' },
      // Headings are named as in the repository, where `## 1. The list` is `1-the-list`.
      'valid-id': ['error', { relaxed: true }],
    },
  });

  it.each([...PATHS, ...Object.keys({ ...DOCS_PAGES, ...API_PAGES })])('%s is valid HTML', async (path) => {
    const { results } = await validator.validateString(PAGES[path] ?? DOCS_PAGES[path] ?? API_PAGES[path] ?? '');
    expect(results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => `${ruleId}: ${message}`))).toEqual(
      [],
    );
  });
});

describeInChromium('the keyless pages in a browser', () => {
  let browser: Browser;
  let server: Server;
  let origin: string;

  beforeAll(async () => {
    browser = await launchChromium();
    server = createServer(serveSite);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    await browser?.close();
    await new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections());
  });

  it.each([...PATHS, ...DOCS_SEEN])(
    '%s asks no other host, keeps its policy, fits 360 and 1440 px, and passes axe in both schemes',
    async (path) => {
      const tab = await visit(browser, origin);
      await tab.page.goto(`${origin}${path}`);
      const flaws = await flawsOf(tab.page);
      const { foreign, violations, errors } = tab;
      await tab.close();
      expect({ flaws, foreign, violations, errors }).toEqual({ flaws: [], foreign: [], violations: [], errors: [] });
    },
  );

  it('fits every other guide on a phone and passes axe', { timeout: 120_000 }, async () => {
    const tab = await visit(browser, origin);
    const flaws: string[] = [];
    for (const path of GUIDES) {
      await tab.page.goto(`${origin}${path}`);
      flaws.push(...(await flawsOf(tab.page, LOOKS.slice(0, 1))).map((flaw) => `${path}: ${flaw}`));
    }
    expect({ flaws, violations: tab.violations }).toEqual({ flaws: [], violations: [] });
    await tab.close();
  });

  it('copies the first line with a button', async () => {
    const tab = await visit(browser, origin, { permissions: ['clipboard-read', 'clipboard-write'] });
    await tab.page.goto(origin);
    await tab.page.locator('.copy').first().click();
    await tab.page.getByText('Copied').waitFor();
    expect(await tab.page.evaluate('navigator.clipboard.readText()')).toContain('/v1/users/harbor_obs');
    await tab.close();
  });

  it('lets the keyboard skip the navigation', async () => {
    const tab = await visit(browser, origin);
    await tab.page.goto(origin);
    await tab.page.keyboard.press('Tab');
    await tab.page.keyboard.press('Enter');
    expect(await tab.page.evaluate('document.activeElement.id')).toBe('content');
    await tab.close();
  });

  it('searches the documentation by keyboard, from the field through the results to a section', async () => {
    const tab = await visit(browser, origin);
    await tab.page.goto(`${origin}/docs`);
    await tab.page.getByLabel('Search the documentation').fill('missing_key');
    await tab.page
      .getByRole('status')
      .filter({ hasText: /\d+ sections?/ })
      .waitFor();
    await tab.page.keyboard.press('ArrowDown');
    expect(await tab.page.evaluate('document.activeElement.closest("#docs-hits") !== null')).toBe(true);
    expect(await flawsOf(tab.page, LOOKS.slice(0, 1))).toEqual([]);
    await tab.page.keyboard.press('Enter');
    await tab.page.waitForURL(/\/docs\/errors#/);
    expect(tab.violations).toEqual([]);
    await tab.close();
  });

  it('sends a read from its page with the demo key, and shows its charge', async () => {
    const tab = await visit(browser, origin);
    await tab.page.goto(`${origin}/docs/api/userTweets`);
    await tab.page.getByLabel('count').fill('5');
    await tab.page.getByRole('button', { name: 'Send' }).press('Enter');
    await tab.page.getByText('200: 1 credit charged, 999 left.').waitFor();
    const sent = JSON.parse(await tab.page.locator('#try-answer code').innerText());
    expect(sent).toEqual({ path: '/v1/users/harbor_obs/tweets?count=5', key: LANDING.live?.key });
    expect(await tab.page.evaluate('sessionStorage.length')).toBe(0);
    expect({ flaws: await flawsOf(tab.page, LOOKS.slice(0, 1)), violations: tab.violations }).toEqual({
      flaws: [],
      violations: [],
    });
    await tab.close();
  });

  it('has the way around at the top of a phone, without scripts, and closes it with Escape', async () => {
    const tab = await visit(browser, origin, { viewport: { width: 360, height: 780 }, javaScriptEnabled: false });
    const { page } = tab;
    await page.goto(`${origin}/docs/pricing`);
    const header = await page.locator('header').boundingBox();
    expect(header?.height).toBeLessThan(70);
    const contents = page.getByRole('navigation', { name: 'Documentation' });
    const main = page.getByRole('navigation', { name: 'Main' });
    expect([await contents.isVisible(), await main.isVisible()]).toEqual([false, false]);
    await page.getByRole('button', { name: 'Menu' }).click();
    await main.getByRole('link', { name: 'Status' }).waitFor();
    await page.keyboard.press('Escape');
    await main.waitFor({ state: 'hidden' });
    const opener = page.getByRole('button', { name: 'Documentation' });
    expect((await opener.boundingBox())?.y).toBeLessThan(140);
    await opener.click();
    await contents.getByRole('link', { name: 'Errors', exact: true }).click();
    await page.waitForURL(/\/docs\/errors$/);
    await tab.close();
  });

  it('passes axe with its menus open on a phone', async () => {
    const tab = await visit(browser, origin, { viewport: { width: 360, height: 900 } });
    await tab.page.goto(`${origin}/docs/pricing`);
    for (const name of ['Menu', 'Documentation']) {
      await tab.page.getByRole('button', { name }).click();
      expect([name, await flawsOf(tab.page, LOOKS.slice(0, 1))]).toEqual([name, []]);
      await tab.page.keyboard.press('Escape');
    }
    await tab.close();
  });

  it('cuts no table of a guide off on a phone, and says what each cell is', async () => {
    const tab = await visit(browser, origin, { viewport: { width: 360, height: 900 } });
    for (const path of ['/docs/pricing', '/docs/environment', '/docs/limits', '/docs/security', '/docs/types/User']) {
      await tab.page.goto(`${origin}${path}`);
      const cut: string[] = await tab.page.evaluate(`[...document.querySelectorAll('article tbody td')]
        .filter((cell) => cell.getBoundingClientRect().right > innerWidth || cell.scrollWidth > cell.clientWidth)
        .map((cell) => cell.innerText)`);
      expect([path, cut]).toEqual([path, []]);
    }
    await tab.page.goto(`${origin}/docs/pricing`);
    const label: { content: string; room: number } = await tab.page.evaluate(`(() => {
      const cell = document.querySelector('article tbody td:nth-child(4)');
      const { content, marginLeft } = getComputedStyle(cell, '::before');
      return { content, room: parseFloat(getComputedStyle(cell).paddingLeft) + parseFloat(marginLeft) };
    })()`);
    expect(label.content).toContain('Fresh');
    // It is beside the value, within the box.
    expect(label.room).toBeGreaterThan(8);
    await tab.close();
  });

  it('names the section that is read in the outline beside it', async () => {
    const tab = await visit(browser, origin, { viewport: { width: 1440, height: 900 } });
    await tab.page.goto(`${origin}/docs/pricing`);
    const outline = tab.page.getByRole('navigation', { name: 'On this page' });
    await outline.getByRole('link', { name: 'Rate limits' }).click();
    await tab.page.waitForURL(/#rate-limits$/);
    await expect.poll(() => outline.locator('[data-read]').innerText()).toBe('Rate limits');
    await tab.close();
  });

  it('keeps the chosen theme from page to page, set before anything is painted, until the system is chosen again', async () => {
    const tab = await visit(browser, origin, { colorScheme: 'light' });
    const { page } = tab;
    const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const [LIGHT, DARK] = ['rgb(250, 248, 243)', 'rgb(11, 24, 29)'];
    await page.addInitScript(`new MutationObserver((_, observer) => {
      if (document.body === null) return;
      globalThis.atFirst = document.documentElement.dataset.theme;
      observer.disconnect();
    }).observe(document, { childList: true, subtree: true })`);
    await page.goto(origin);
    expect(await paper()).toBe(LIGHT);
    await page.getByLabel('Theme').selectOption('Dark');
    expect(await paper()).toBe(DARK);
    await page.goto(`${origin}/docs/accounts`);
    expect([await paper(), await page.evaluate('atFirst')]).toEqual([DARK, 'dark']);
    // Chosen by the browser a little after the page has been read.
    await expect.poll(() => page.evaluate('document.querySelector("picture img").currentSrc')).toContain('dark');
    expect(await flawsOf(page, LOOKS.slice(0, 1))).toEqual([]);
    await page.getByLabel('Theme').selectOption('System');
    expect(await paper()).toBe(LIGHT);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await paper()).toBe(DARK);
    await page.getByLabel('Theme').selectOption('Light');
    await page.reload();
    expect([await paper(), await page.getByLabel('Theme').inputValue()]).toEqual([LIGHT, 'light']);
    expect({ violations: tab.violations, errors: tab.errors }).toEqual({ violations: [], errors: [] });
    await tab.close();
  });

  it('follows the system and offers no theme without scripts', async () => {
    const tab = await visit(browser, origin, { javaScriptEnabled: false, colorScheme: 'dark' });
    await tab.page.goto(origin);
    expect(await tab.page.getByLabel('Theme').isVisible()).toBe(false);
    expect(await tab.page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)).toBe(
      'rgb(11, 24, 29)',
    );
    await tab.close();
  });

  it('keeps the request and the response beside the documentation on a wide screen', async () => {
    const tab = await visit(browser, origin);
    await tab.page.setViewportSize({ width: 1440, height: 900 });
    await tab.page.goto(`${origin}/docs/api/userTweets`);
    await tab.page.evaluate('scrollTo({ top: 2000, behavior: "instant" })');
    const boxOf = (name: string) => tab.page.locator(name).first().boundingBox();
    const [docs, call, send] = [await boxOf('.docs-body'), await boxOf('.docs-call'), await boxOf('#try-form button')];
    expect(call?.x).toBeGreaterThan((docs?.x ?? 0) + (docs?.width ?? 0));
    expect(send?.y).toBeGreaterThan(0);
    expect(send?.y).toBeLessThan(900);
    await tab.close();
  });

  it('writes the samples again for what is typed, in the language that was chosen before', async () => {
    const tab = await visit(browser, origin);
    await tab.page.goto(`${origin}/docs/api/search`);
    const shown = () => tab.page.locator('.sample pre:visible').innerText();
    await tab.page.getByLabel('q (required)').fill('late "ferry"');
    await tab.page.getByLabel('product').selectOption('Photos');
    await tab.page.getByLabel('count').fill('7');
    await tab.page.getByLabel('Send fresh=true').check();
    for (const pair of ['q=late "ferry"', 'product=Photos', 'count=7', 'fresh=true']) {
      expect(await shown()).toContain(`--data-urlencode '${pair}'`);
    }
    await tab.page.getByText('Ruby', { exact: true }).click();
    expect(await shown()).toContain(`'?q=late%20%22ferry%22'`);
    await tab.page.goto(`${origin}/docs/api/usersBatch`);
    await tab.page.getByLabel('Body (JSON)').fill('{ "handles": ["quay_library"] }');
    expect(await shown()).toContain(`body = { handles: ['quay_library'] }`);
    await tab.page.getByLabel('Body (JSON)').fill('{ "handles": ["quay_');
    expect(await shown()).toContain(`body = { handles: ['quay_library'] }`);
    const flaws = await flawsOf(tab.page);
    const { violations, errors } = tab;
    await tab.close();
    expect({ flaws, violations, errors }).toEqual({ flaws: [], violations: [], errors: [] });
  });

  it('sends no number that is out of range, and keeps it', async () => {
    const tab = await visit(browser, origin);
    await tab.page.goto(`${origin}/docs/api/userTweets`);
    await tab.page.getByLabel('count').fill('500');
    await tab.page.getByRole('button', { name: 'Send' }).click();
    expect(await tab.page.getByLabel('count').inputValue()).toBe('500');
    expect(await tab.page.evaluate('document.querySelector("#try-count").validity.rangeOverflow')).toBe(true);
    expect(await tab.page.locator('#try-bill').innerText()).toBe('');
    await tab.close();
  });

  it('copies commands without their prices', async () => {
    const tab = await visit(browser, origin, { permissions: ['clipboard-read', 'clipboard-write'] });
    await tab.page.goto(`${origin}/docs/pricing`);
    const box = tab.page.locator('figure.code', { hasText: '0.5 credits' }).first();
    await box.getByRole('button', { name: 'Copy' }).click();
    await box.getByText('Copied').waitFor();
    const copied = String(await tab.page.evaluate('navigator.clipboard.readText()'));
    expect(copied).not.toMatch(/credit/);
    expect(copied.match(/^curl /gm)).toHaveLength(3);
    await tab.close();
  });

  it('shows samples in every language without scripts', async () => {
    const tab = await visit(browser, origin, { javaScriptEnabled: false });
    await tab.page.goto(`${origin}/docs/api/user`);
    await tab.page.getByText('PHP', { exact: true }).click();
    expect(await tab.page.locator('.sample pre:visible').innerText()).toContain('<?php');
    expect(await tab.page.getByRole('button', { name: 'Send' }).isVisible()).toBe(false);
    await tab.close();
  });

  it('shows the list of pages and no search without scripts', async () => {
    const tab = await visit(browser, origin, { javaScriptEnabled: false });
    await tab.page.goto(`${origin}/docs`);
    expect(await tab.page.getByLabel('Search the documentation').isVisible()).toBe(false);
    expect(await tab.page.locator('#content').getByRole('link', { name: 'Pricing' }).isVisible()).toBe(true);
    await tab.close();
  });
});
