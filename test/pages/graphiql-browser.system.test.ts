import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { NAVIGATION } from '../../adapters/pages/kit/layout.js';
import { describeInChromium, launchChromium, type Visit, visit } from '../kit/browser/chromium.js';
import { AXE } from '../kit/browser/looks.js';
import { DEMO_KEY, KEYS, startGraphiql } from './graphiql-fixture.js';

const run = (page: Page) => page.locator('.graphiql-execute-button').click();
const text = (page: Page, id: string) => page.locator(`#${id}`).textContent();

const forget = (page: Page) => page.getByRole('button', { name: 'Forget' }).click();

const takeKey = async (page: Page, key: string) => {
  await expect.poll(() => text(page, 'balance')).toMatch(/\d/);
  await forget(page);
  await page.locator('#key-input').fill(key);
  await page.getByRole('button', { name: 'Use key' }).click();
};

/**
 * Resolves once what has changed is drawn and no animation runs: axe would otherwise measure a colour in transition. The
 * page follows the scheme of the system in its next frame.
 */
const STANDS_STILL = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  .then(() => Promise.allSettled(document.getAnimations()
    .filter((each) => each.effect.getComputedTiming().endTime !== Infinity).map(({ finished }) => finished)))
  .then(() => undefined)`;

describeInChromium('GraphiQL in a browser', () => {
  let browser: Browser;
  let service: Awaited<ReturnType<typeof startGraphiql>>;
  let tab: Visit;

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  beforeEach(async () => {
    service = await startGraphiql({ demo: true });
    tab = await visit(browser, service.origin, { viewport: { width: 1440, height: 900 } });
    await tab.page.goto(`${service.origin}/graphql`);
    await tab.page.locator('.graphiql-execute-button').waitFor();
  });
  afterEach(async () => {
    await tab.close();
    await service.close();
  });

  it('asks no other host and keeps its policy, dialogs and docs included (U42, U43)', async () => {
    const { page } = tab;
    await page.getByLabel('Show Documentation Explorer').click();
    await page.getByText('A profile by its handle, or by its id.').waitFor();
    await page.getByLabel('Show History').click();
    for (const dialog of ['Open settings dialog', 'Open short keys dialog']) {
      await page.getByLabel(dialog).click();
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
    }
    await page.locator('.graphiql-query-editor .CodeMirror-line', { hasText: 'followersCount' }).click();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('tweetsC');
    await page.locator('.CodeMirror-hints').waitFor();
    expect({ ...tab, page: null, close: null }).toMatchObject({ foreign: [], violations: [], errors: [] });
  });

  it('shows the docs without a key, and requests them without one (U44)', async () => {
    const plain = await startGraphiql({ demo: false });
    const { page, close } = await visit(browser, plain.origin);
    await page.goto(`${plain.origin}/graphql`);
    await page.getByLabel('Show Documentation Explorer').click();
    await page.getByText('A profile by its handle, or by its id.').waitFor();
    expect(plain.requests).toEqual([{ key: undefined, url: '/graphql' }]);
    await close();
    await plain.close();
  });

  it('opens with the profile and its timeline, and the other examples beside it', async () => {
    const tabs = await tab.page.locator('.graphiql-tab-button').allInnerTexts();
    expect(tabs).toEqual(['ProfileAndTimeline', 'Search', 'Replies', 'Followers', 'Batch', 'Follow', 'MeAndUsage']);
    expect(await tab.page.locator('.graphiql-query-editor').textContent()).toContain('harbor_obs');
  });

  it('opens with the demo key, runs the first example in one click, and shows cost, breakdown and balance', async () => {
    const { page } = tab;
    await page.getByText('Demo key', { exact: true }).waitFor();
    await expect.poll(() => text(page, 'balance')).toBe('1,000');
    await run(page);
    await expect.poll(() => text(page, 'last-cost')).toBe('21 credits miss');
    expect(await text(page, 'balance')).toBe('979');
    await run(page);
    await expect.poll(() => text(page, 'last-cost')).toBe('10.5 credits hit');
    await page.locator('#last-cost').click();
    const rows = await page.locator('#cost-lines tr').allInnerTexts();
    expect(rows.map((row) => row.split(/\s+/))).toEqual([
      ['user', '1', '0.5', 'hit', '0.5'],
      ['user.tweets', '20', '0.5', 'hit', '10'],
    ]);
    expect(await text(page, 'cost-sum')).toBe('10.5');
  });

  it('keeps the bar in two lines and the editor in its place from the first view to the first run, with a hint until then', async () => {
    const { page } = tab;
    const places = () =>
      page.evaluate(`[...document.querySelectorAll('.bar')].map((bar) => Math.round(bar.getBoundingClientRect().bottom))
        .concat(Math.round(document.querySelector('.graphiql-query-editor').getBoundingClientRect().top))`);
    const before = await places();
    expect(await page.locator('.result-window').getAttribute('data-hint')).toMatch(/Ctrl\+Enter/);
    await run(page);
    await expect.poll(() => text(page, 'last-cost')).toBe('21 credits miss');
    expect(await places()).toEqual(before);
    expect(Math.max(...(before as number[]).slice(0, 1))).toBeLessThan(115);
    expect(await page.locator('.result-window').getAttribute('data-hint')).toBeNull();
  });

  it('leads to the other pages of the site', async () => {
    const links = await tab.page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts();
    expect(links).toEqual(NAVIGATION.map(({ text: name }) => name).filter((name) => name !== 'GraphiQL'));
  });

  it('prices an operation without running it (M26)', async () => {
    const { page } = tab;
    await expect.poll(() => text(page, 'balance')).toBe('1,000');
    await page.getByRole('button', { name: 'Estimate cost' }).click();
    await page.getByText('At most 21 credits for at most 21 items.').waitFor();
    await expect.poll(() => text(page, 'balance')).toBe('1,000');
    expect(await text(page, 'last-cost')).toBe('–');
  });

  it('keeps the key in the tab, not in the address or localStorage, and removes it on request (U45)', async () => {
    const { page } = tab;
    await takeKey(page, DEMO_KEY);
    await run(page);
    await expect.poll(() => text(page, 'last-cost')).toContain('21 credits');
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('perch_live_');
    expect(page.url()).not.toContain('perch_live_');
    expect(service.requests.map(({ url }) => url)).not.toContainEqual(expect.stringContaining('perch_live_'));
    await page.reload();
    await expect.poll(() => text(page, 'balance')).toBe('979');
    await page.getByRole('button', { name: 'Forget' }).click();
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('perch_live_');
  });

  it.each([
    ['without a key', null, 'API key required. This read needs a key. Use the demo key, or paste yours above.'],
    ['with an empty wallet', KEYS.broke, 'Not enough credits. The wallet holds 0 credits.'],
    ['too fast', KEYS.hasty, 'Try again in 7 s.'],
  ])('explains what went wrong %s, and that it was free', async (_, key, words) => {
    const { page } = tab;
    await (key === null ? forget(page) : takeKey(page, key));
    await run(page);
    await expect.poll(() => text(page, 'notice')).toContain(words);
    await expect.poll(() => text(page, 'last-cost')).toBe('0 credits');
  });

  it('does not keep a key that is refused or malformed', async () => {
    const { page } = tab;
    await takeKey(page, KEYS.unknown);
    await page.getByText('Invalid API key.').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await page.locator('#key-input').fill('perch_live_short');
    await page.getByRole('button', { name: 'Use key' }).click();
    await page.getByText('Incomplete key').waitFor();
  });

  it('keeps a key that is taken while an earlier one is being refused', async () => {
    const { page } = tab;
    let refuse: (() => void) | undefined;
    await page.route('**/graphql', async (route) => {
      const isLate = route.request().headers()['x-api-key'] === KEYS.unknown;
      if (isLate) await new Promise<void>((resolve) => (refuse = resolve));
      await route.continue();
    });
    await takeKey(page, KEYS.unknown);
    await expect.poll(() => refuse).toBeDefined();
    await forget(page);
    await page.locator('#key-input').fill(DEMO_KEY);
    await page.getByRole('button', { name: 'Use key' }).click();
    await expect.poll(() => text(page, 'balance')).toBe('1,000');
    await Promise.all([page.waitForResponse('**/graphql'), refuse?.()]);
    await run(page);
    await expect.poll(() => text(page, 'last-cost')).toBe('21 credits miss');
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).toContain(DEMO_KEY);
  });

  it('opens a query from the address', async () => {
    await tab.page.goto(`${service.origin}/graphql?query=${encodeURIComponent('query Asked { me { balance } }')}`);
    await tab.page.getByRole('button', { name: 'Asked', exact: true }).waitFor();
    expect(await tab.page.locator('.graphiql-query-editor').textContent()).toContain('query Asked');
  });

  it.each([1440, 360])('passes axe in both schemes, %i px wide, with a notice and each panel open', async (width) => {
    const { page } = tab;
    await page.setViewportSize({ width, height: 900 });
    await run(page);
    // The page must not change while axe checks it.
    await expect.poll(() => text(page, 'last-cost')).toMatch(/credits/);
    const options = page.getByRole('button', { name: 'Options' });
    const openOptions = async (): Promise<void> => ((await options.isVisible()) ? options.click() : undefined);
    await openOptions();
    await page.getByRole('button', { name: 'Estimate cost' }).click();
    await page.locator('#notice').waitFor();
    await page.keyboard.press('Escape');
    await page.evaluate(AXE);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const opener of [null, 'last-cost', 'copy-open', 'saved-open']) {
        if (opener?.endsWith('-open')) await openOptions();
        if (opener !== null) await page.locator(`#${opener}`).click();
        await page.evaluate(STANDS_STILL);
        const faults = await page.evaluate(
          `axe.run({ resultTypes: ['violations'] })
            .then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))`,
        );
        expect({ colorScheme, opener, faults }).toEqual({ colorScheme, opener, faults: [] });
        if (opener !== null) await page.keyboard.press('Escape');
        if (opener?.endsWith('-open')) await page.keyboard.press('Escape');
        if (opener === 'copy-open') await page.keyboard.press('Escape');
      }
    }
  });
});
