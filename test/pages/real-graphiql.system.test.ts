import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEMO_HANDLES } from '../../demo/entry-points.js';
import { POSTING_HANDLE } from '../../demo/handles/posting-handle.js';
import { mintKey } from '../../src/access/key.js';
import { describeInChromium, launchChromium, visit } from '../kit/browser/chromium.js';
import { demoDatabase } from '../kit/demo.js';
import { startPerch, type TestPerch } from '../kit/perch.js';

/** With TAKE_PICTURES=1, this test also takes the pictures of GraphiQL for the README. */
const PICTURES = process.env.TAKE_PICTURES === '1' ? fileURLToPath(new URL('../../docs/', import.meta.url)) : null;
/** Requests a second of the demo account that a first start creates. */
const DEMO_QPS = 20;
const SLOW_MS = 120_000;
/** The example that is a subscription: it runs until the reader leaves. */
const FOLLOW = 'Follow';

interface Body {
  readonly data: unknown;
  readonly errors?: unknown;
  readonly extensions: { readonly credits: { readonly charged: number } };
}

const text = (page: Page, id: string) => page.locator(`#${id}`).textContent();
const answer = (page: Page) => page.locator('.result-window .CodeMirror').textContent();

describeInChromium('the pages of the real service, over the demo network, in a browser', () => {
  let browser: Browser;
  let perch: TestPerch;

  const open = async (path: string, colorScheme: 'light' | 'dark' = 'light') => {
    const tab = await visit(browser, perch.url, { colorScheme, viewport: { width: 1440, height: 900 } });
    await tab.page.goto(`${perch.url}${path}`);
    return tab;
  };
  const openGraphiql = async (colorScheme?: 'light' | 'dark') => {
    const tab = await open('/graphql', colorScheme);
    await tab.page.locator('.graphiql-execute-button').waitFor();
    return tab;
  };
  /** Waits until the page has opened with the demo key; returns the balance, which other tests have spent from. */
  const takeDemoKey = async (page: Page): Promise<number> => {
    await page.getByText('Demo key', { exact: true }).waitFor();
    await expect.poll(() => text(page, 'balance')).toMatch(/\d/);
    return Number((await text(page, 'balance'))?.replaceAll(',', ''));
  };
  const run = (page: Page) => page.locator('.graphiql-execute-button').click();

  beforeAll(async () => {
    browser = await launchChromium();
    const demoKey = mintKey(randomBytes);
    perch = await startPerch({ openDatabase: demoDatabase, demoKey, env: PICTURES ? { PORT: '4000' } : {} });
    await perch.account({ credits: 1000, qps: DEMO_QPS, key: demoKey });
  });
  afterAll(async () => {
    await browser?.close();
    await perch?.close();
  });

  it.each(['light', 'dark'] as const)(
    '%s: GraphiQL runs the first example with the demo key, and shows its cost and what is left (U42, U43, U45)',
    async (colorScheme) => {
      const tab = await openGraphiql(colorScheme);
      const { page, foreign, violations, errors } = tab;
      const before = await takeDemoKey(page);
      await run(page);
      await expect.poll(() => text(page, 'last-cost')).toMatch(/^(21 credits miss|10\.5 credits hit)$/);
      const cost = Number.parseFloat((await text(page, 'last-cost')) ?? '');
      expect(Number((await text(page, 'balance'))?.replaceAll(',', ''))).toBe(before - cost);
      await expect.poll(() => answer(page)).toContain(DEMO_HANDLES.observatory);
      if (PICTURES) await picture(page, colorScheme === 'dark' ? 'graphiql-dark.png' : 'graphiql.png');
      expect({ foreign, violations, errors }).toEqual({ foreign: [], violations: [], errors: [] });
      await tab.close();
    },
  );

  it('stacks query and answer on a phone, and cuts nothing off', async () => {
    const tab = await visit(browser, perch.url, { viewport: { width: 360, height: 640 } });
    const { page } = tab;
    await page.goto(`${perch.url}/graphql`);
    const options = page.getByRole('button', { name: 'Options' });
    await options.click();
    await takeDemoKey(page);
    await page.keyboard.press('Escape');
    await run(page);
    await expect.poll(() => text(page, 'last-cost')).toMatch(/credits (miss|hit)$/);
    await options.click();
    await page.getByRole('button', { name: 'Estimate cost' }).click();
    await page.locator('#notice').waitFor();
    await page.keyboard.press('Escape');
    const places: Record<string, number> = await page.evaluate(`(() => {
      const box = (selector) => document.querySelector(selector).getBoundingClientRect();
      const [query, answer] = [box('.graphiql-editors'), box('.graphiql-response')];
      return { wider: document.documentElement.scrollWidth - innerWidth, chip: box('#last-cost').right,
        overlap: Math.max(0, query.bottom - answer.top), query: query.height, answer: answer.height,
        bar: box('.bar').height };
    })()`);
    await tab.close();
    expect(places).toMatchObject({ wider: 0, overlap: 0 });
    expect(places.chip).toBeLessThanOrEqual(360);
    expect(places.bar, 'one line').toBeLessThan(64);
    for (const height of [places.query, places.answer]) expect(height).toBeGreaterThan(200);
  });

  it('answers every example of GraphiQL with results', async () => {
    const tab = await openGraphiql();
    const { page, foreign, violations, errors } = tab;
    await takeDemoKey(page);
    for (const example of await page.locator('.graphiql-tab-button').all()) {
      const name = String(await example.textContent());
      if (name === FOLLOW) continue;
      await example.click();
      const [response] = await Promise.all([page.waitForResponse(`${perch.url}/graphql`), run(page)]);
      const body: Body = await response.json();
      expect({ name, errors: body.errors }).toEqual({ name, errors: undefined });
      expect(JSON.stringify(body.data), name).not.toContain('"nodes":[]');
      const { charged } = body.extensions.credits;
      await expect.poll(() => text(page, 'last-cost'), { message: name }).toContain(`${charged} credit`);
    }
    expect({ foreign, violations, errors }).toEqual({ foreign: [], violations: [], errors: [] });
    await tab.close();
  });

  it('shows the tweets of an account as they are posted, and the cost of each', { timeout: SLOW_MS }, async () => {
    const tab = await openGraphiql();
    const { page } = tab;
    await takeDemoKey(page);
    await page.getByRole('button', { name: FOLLOW, exact: true }).click();
    await run(page);
    // The account posts every 30 seconds.
    await expect.poll(() => answer(page), { timeout: 60_000 }).toContain(POSTING_HANDLE);
    expect(await text(page, 'last-cost')).toMatch(/^(1 credit miss|0\.5 credits hit)$/);
    await tab.close();
  });

  it.each(['tide form:nasa', '墜落 ｆｕｌｌ 😀 x\u0301 form:nasa'])(
    'shows a refused search with a caret under its mistake: %s',
    async (q) => {
      const tab = await openGraphiql();
      const { page } = tab;
      await takeDemoKey(page);
      await page.locator('.graphiql-query-editor .CodeMirror').click();
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(`{ search(q: ${JSON.stringify(q)}) { nodes { __typename } } }`);
      await run(page);
      await page.locator('#notice pre').waitFor();
      const seen: Record<string, string | number> = await page.evaluate(`(() => {
      const [query, before, caret] = document.querySelector('#notice pre').childNodes;
      const box = (node, at) => {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        return range.getBoundingClientRect();
      };
      const [above, below] = [box(query, query.data.indexOf('form')), box(caret, 0)];
      return { query: query.data.trim(), before: getComputedStyle(before).visibility, caret: caret.data, width: above.width,
        aside: Math.abs(above.left - below.left), lower: below.top - above.top };
    })()`);
      expect(seen).toMatchObject({ query: q.normalize('NFC'), before: 'hidden', caret: '^' });
      expect(seen.aside).toBeLessThan(Number(seen.width) / 2);
      expect(seen.lower).toBeGreaterThan(0);
      await tab.close();
    },
  );

  it.each(['/', '/status', '/problems', '/problems/no_credits', '/problems/rate_limited'])(
    '%s asks no other host and keeps its policy',
    async (path) => {
      const tab = await open(path);
      const { page, foreign, violations, errors } = tab;
      await page.locator('h1').waitFor();
      expect({ foreign, violations, errors }).toEqual({ foreign: [], violations: [], errors: [] });
      await tab.close();
    },
  );

  it('runs the examples of the front page as shown, cached the second time', async () => {
    const tab = await visit(browser, perch.url, { viewport: { width: 1440, height: 900 } });
    const { page, foreign, violations, errors } = tab;
    const response = await page.goto(perch.url);
    expect(response?.headers()).toMatchObject({ 'cache-control': 'no-store' });
    expect(response?.headers()).not.toHaveProperty('access-control-allow-origin');
    const bill = page.locator('#first-bill');
    await page.getByLabel('Account').selectOption(DEMO_HANDLES.ferries);
    await page.getByRole('button', { name: 'Run the query' }).click();
    await expect.poll(() => bill.textContent()).toMatch(/^(21|20\.5) credits charged, [\d,.]+ credits left: /);
    const shown = await page.locator('.query code').textContent();
    expect(shown).toContain(`user(handle: "${DEMO_HANDLES.ferries}")`);
    const body = JSON.parse((await text(page, 'first-answer')) ?? '') as { data: { user: Record<string, unknown> } };
    expect(body.data.user).toMatchObject({ handle: DEMO_HANDLES.ferries, tweets: { meta: { creditsCharged: 20 } } });
    await page.getByRole('button', { name: 'Run the query' }).click();
    await expect.poll(() => bill.textContent()).toMatch(/^10\.5 credits charged, .*: served from cache/);
    await page.getByRole('button', { name: 'Run the call' }).click();
    await expect.poll(() => bill.textContent()).toMatch(/^0\.5 credits charged/);
    expect(await text(page, 'first-answer')).toContain('"credits_charged": 0.5');
    expect({ foreign, violations, errors }).toEqual({ foreign: [], violations: [], errors: [] });
    await tab.close();
  });

  it('explains on the front page what failed, and that it was free', async () => {
    const tab = await visit(browser, perch.url);
    await tab.page.goto(perch.url);
    const bill = tab.page.locator('#first-bill');
    await tab.page.evaluate('document.querySelector("[data-run]").dataset.run = "/v1/users/nobody_of_that_name"');
    await tab.page.getByRole('button', { name: 'Run the call' }).click();
    await expect.poll(() => bill.textContent()).toMatch(/^Nothing charged\. No such user/);
    const unknown = {
      error: { code: 'upstream_error', reason: 'charge_unknown', message: 'It may have been charged.' },
    };
    await tab.page.route('**/v1/**', (route) => route.fulfill({ status: 503, json: unknown }));
    await tab.page.getByRole('button', { name: 'Run the call' }).click();
    await expect.poll(() => bill.textContent()).toBe('It may have been charged. The next response shows your balance.');
    await tab.page.context().setOffline(true);
    await tab.page.getByRole('button', { name: 'Run the query' }).click();
    await expect.poll(() => bill.textContent()).toMatch(/^No response: .* The next response shows your balance\./);
    await expect.poll(() => tab.page.evaluate('document.activeElement.textContent')).toBe('Run');
    await tab.close();
  });

  it('links from the landing page only to existing pages, for browsers and programs', async () => {
    const tab = await open('/');
    const onPage: string[] = await tab.page.evaluate('[...document.links].map(({ href }) => href.split("#")[0])');
    await tab.close();
    const facts = (await (await fetch(perch.url)).json()) as { links: Record<string, string> };
    for (const link of new Set([...onPage, ...Object.values(facts.links)])) {
      expect({ link, status: await statusOf(link) }).toEqual({ link, status: 200 });
    }
  });
});

/** The status for a browser. Waits if it is limited: pages without a key take ten requests a second. */
async function statusOf(link: string): Promise<number> {
  const { status, headers } = await fetch(link, { headers: { accept: 'text/html' } });
  if (status !== 429) return status;
  await new Promise((resolve) => setTimeout(resolve, 1000 * Number(headers.get('retry-after'))));
  return statusOf(link);
}

/** Takes a picture without animations and caret, so that it is the same each time. */
async function picture(page: Page, name: string): Promise<void> {
  await page.evaluate('document.activeElement?.blur()');
  await page.screenshot({ path: `${PICTURES}${name}`, animations: 'disabled', caret: 'hide' });
}
