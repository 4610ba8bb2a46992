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
} from './site-fixture.js';

const PAGES: Readonly<Record<string, string>> = {
  '/': landingPage(LANDING),
  '/status': statusPage(STATUS, HISTORY),
  '/status?ok': statusPage(STATUS_OK, NO_HISTORY),
  '/status?alone': statusPage(STATUS_ALONE, null),
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

  it('shows the list of pages and no search without scripts', async () => {
    const tab = await visit(browser, origin, { javaScriptEnabled: false });
    await tab.page.goto(`${origin}/docs`);
    expect(await tab.page.getByLabel('Search the documentation').isVisible()).toBe(false);
    expect(await tab.page.locator('#content').getByRole('link', { name: 'Pricing' }).isVisible()).toBe(true);
    await tab.close();
  });
});
