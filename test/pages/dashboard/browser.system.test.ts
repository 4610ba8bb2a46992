/** The pages in a browser: they keep their content security policy, fit a phone, and are accessible. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInChromium, launchChromium, visit } from '../../kit/browser/chromium.js';
import { flawsOf, LOOKS } from '../../kit/browser/looks.js';
import { BUSY, EMPTY, FROZEN, HOSTILE } from './fixture.js';
import { receiptOf, uuid } from './fixture-usage.js';
import { type Served, serveHousehold } from './stand-ins.js';

const HOUSEHOLDS = { empty: EMPTY, busy: BUSY, frozen: FROZEN, hostile: HOSTILE };
type Name = keyof typeof HOUSEHOLDS;

const PATHS = [
  '/dashboard',
  '/dashboard/usage?group=day,endpoint',
  '/dashboard/usage/requests',
  '/dashboard/keys',
  `/dashboard/keys/${uuid(101)}`,
  '/dashboard/credits',
  `/dashboard/credits/${uuid(302)}/receipt`,
  `/dashboard/receipts?request_id=${receiptOf(4).requestId}`,
  '/dashboard/watches',
  '/dashboard/alerts',
  '/dashboard/clients',
  '/dashboard/security',
  '/dashboard/account',
  '/dashboard/account/email',
];

/** The fullest pages are checked in the most looks. */
const LOOKS_AT = { busy: LOOKS, hostile: LOOKS.slice(0, 2), frozen: LOOKS.slice(1, 2), empty: LOOKS.slice(0, 1) };

describeInChromium('the dashboard in a browser', () => {
  let browser: Browser;
  let served: Record<Name, Served>;

  beforeAll(async () => {
    browser = await launchChromium();
    const names = Object.keys(HOUSEHOLDS) as Name[];
    const started = await Promise.all(
      names.map(async (name) => [name, await serveHousehold(HOUSEHOLDS[name])] as const),
    );
    served = Object.fromEntries(started) as Record<Name, Served>;
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all(Object.values(served ?? {}).map((one) => one.close()));
  });

  it.each((Object.keys(HOUSEHOLDS) as Name[]).flatMap((name) => PATHS.map((path) => [name, path] as const)))(
    '%s %s asks no other host, keeps its policy, does not scroll sideways, and passes axe',
    async (name, path) => {
      const { url } = served[name];
      const tab = await visit(browser, url);
      const answer = await tab.page.goto(`${url}${path}`);
      const flaws = await flawsOf(tab.page, LOOKS_AT[name]);
      const { foreign, violations, errors } = tab;
      await tab.close();
      // A missing key answers 404, which the console reports.
      expect(answer?.status() === 200 ? errors : []).toEqual([]);
      expect({ flaws, foreign, violations }).toEqual({ flaws: [], foreign: [], violations: [] });
    },
  );

  it.each(PATHS.filter((path) => !path.includes('/keys/')))('%s fits the screen of a phone', async (path) => {
    const tab = await visit(browser, served.hostile.url);
    await tab.page.setViewportSize({ width: 360, height: 780 });
    await tab.page.goto(`${served.hostile.url}${path}`);
    const beyond = await tab.page.evaluate(`[...document.querySelectorAll('.data :is(th, td)')]
      .filter((cell) => !cell.closest('thead') && cell.getBoundingClientRect().right > 360)
      .map((cell) => cell.innerText)`);
    await tab.close();
    expect(beyond).toEqual([]);
  });

  it('breaks no short name of a key in the table of requests', async () => {
    const tab = await visit(browser, served.busy.url);
    await tab.page.goto(`${served.busy.url}/dashboard/usage/requests`);
    const heights = await tab.page.evaluate(`[...document.querySelectorAll('.data bdi.clip')].map((name) => {
      name.textContent = 'demo';
      return name;
    }).map((name) => name.getBoundingClientRect().height / parseFloat(getComputedStyle(name).lineHeight))`);
    await tab.close();
    expect(new Set((heights as number[]).map(Math.round))).toEqual(new Set([1]));
  });

  it('cuts no row of a long table on a phone', async () => {
    const tab = await visit(browser, served.busy.url);
    await tab.page.setViewportSize({ width: 360, height: 780 });
    await tab.page.goto(`${served.busy.url}/dashboard/usage?group=day,endpoint`);
    const hidden = await tab.page.evaluate(`[...document.querySelectorAll('.scroll.tall')]
      .map((box) => box.scrollHeight - box.clientHeight)`);
    await tab.close();
    expect(new Set(hidden as number[])).toEqual(new Set([0]));
  });

  it.each(['/dashboard', '/dashboard/keys', '/dashboard/connect', '/dashboard/usage', '/dashboard/receipts'])(
    '%s in test mode has the band, does not scroll sideways, and passes axe',
    async (path) => {
      const { url } = served.busy;
      const tab = await visit(browser, url);
      await tab.page.context().addCookies([{ name: 'perch-mode', value: 'test', url }]);
      await tab.page.goto(url + path);
      await tab.page.getByText('9,993.5 of 10,000 play credits').waitFor();
      expect({ flaws: await flawsOf(tab.page, LOOKS), errors: tab.errors }).toEqual({ flaws: [], errors: [] });
      await tab.close();
    },
  );

  it('shows a new key with a button to copy it', async () => {
    const tab = await visit(browser, served.busy.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    await tab.page.goto(`${served.busy.url}/dashboard/keys`);
    await tab.page.getByLabel('Name').fill('Reader');
    await tab.page.getByRole('button', { name: 'Create key' }).click();
    await tab.page.getByText('Copy the key now').waitFor();
    await tab.page.locator('.copy').first().click();
    await tab.page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await tab.page.evaluate('navigator.clipboard.readText()')).toMatch(/^perch_live_[0-9A-Za-z]+$/);
    expect(await flawsOf(tab.page, LOOKS.slice(0, 1))).toEqual([]);
    expect(tab.violations).toEqual([]);
    await tab.close();
  });

  it('sends a form that is clicked twice once, and a form that stays on the page again after 10 seconds', async () => {
    const tab = await visit(browser, served.busy.url);
    const { page } = tab;
    let posts = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST') posts += 1;
    });
    const headers = { 'content-disposition': 'attachment; filename="perch.ndjson"' };
    await page.route('**/dashboard/account/export', (route) => route.fulfill({ headers, body: '{}' }));
    await page.clock.install();
    await page.goto(`${served.busy.url}/dashboard/account`);
    const button = page.getByRole('button', { name: 'Download all data' });
    await Promise.all([page.waitForEvent('download'), button.dblclick({ delay: 20 })]);
    expect(posts).toBe(1);
    await page.clock.fastForward(10_000);
    await Promise.all([page.waitForEvent('download'), button.click()]);
    expect(posts).toBe(2);
    expect([tab.errors, tab.violations]).toEqual([[], []]);
    await tab.close();
  });

  it('moves the secret of an address change from the URL into the form', async () => {
    const tab = await visit(browser, served.busy.url);
    const secret = 'a'.repeat(43);
    await tab.page.goto(`${served.busy.url}/dashboard/account/email#change=${secret}`);
    await tab.page.waitForFunction("location.hash === ''");
    expect(await tab.page.getByLabel('The link from the email').inputValue()).toBe(secret);
    expect(await tab.page.evaluate('document.activeElement.textContent')).toBe('Use the new address');
    expect([tab.errors, tab.violations]).toEqual([[], []]);
    await tab.close();
  });

  it.each(['A4', 'Letter'])('prints a receipt on one page of %s, without the menu, dark on white', async (format) => {
    const tab = await visit(browser, served.busy.url, { colorScheme: 'dark' });
    await tab.page.goto(`${served.busy.url}/dashboard/credits/${uuid(302)}/receipt`);
    const pdf = await tab.page.pdf({ format, preferCSSPageSize: false });
    expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(1);
    await tab.page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const shown = (selector: string) => tab.page.locator(selector).first().isVisible();
    const wanted = ['h1', '#purchase', '.facts', '.data tfoot'];
    const unwanted = ['.side', 'header.top', 'footer', '.no-print', '.dash form', '.skip'];
    for (const selector of wanted) expect([selector, await shown(selector)]).toEqual([selector, true]);
    for (const selector of unwanted) expect([selector, await shown(selector)]).toEqual([selector, false]);
    const colours = `[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('.facts dd')).color]`;
    expect(await tab.page.evaluate(colours)).toEqual(['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
    await tab.close();
  });

  it('leads from a purchase to the processor, whose origin the policy allows for forms', async () => {
    // Stands for the processor: another origin.
    const processor = await serveHousehold(EMPTY);
    const shop = await serveHousehold(BUSY, { checkoutUrl: `${processor.url}/dashboard/receipts` });
    const tab = await visit(browser, shop.url);
    await tab.page.goto(`${shop.url}/dashboard/credits`);
    await tab.page.getByRole('button', { name: 'Buy starter for $10' }).click();
    await tab.page.waitForURL(`${processor.url}/dashboard/receipts`);
    const { violations } = tab;
    await tab.close();
    await Promise.all([shop.close(), processor.close()]);
    expect(violations).toEqual([]);
  });

  it('works without a script, and by keyboard alone', async () => {
    const tab = await visit(browser, served.busy.url, { javaScriptEnabled: false });
    await tab.page.goto(`${served.busy.url}/dashboard/keys/${uuid(101)}`);
    const summary = tab.page.getByText('Revoke this key…');
    await summary.focus();
    expect(await tab.page.getByRole('button', { name: 'Revoke now' }).isVisible()).toBe(false);
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('button', { name: 'Revoke now' }).waitFor();
    await tab.page.goto(`${served.busy.url}/dashboard/usage`);
    await tab.page.getByLabel('Endpoint').check();
    await tab.page.getByRole('button', { name: 'Show' }).click();
    await tab.page.getByRole('columnheader', { name: 'Endpoint' }).waitFor();
    await tab.close();
  });
});
