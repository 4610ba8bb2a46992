/** The overview keeps itself up to date while it is open: over a real service, in a real browser. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeInChromium, launchChromium, type Visit, visit } from '../../kit/browser/chromium.js';
import { type Customer, type DashboardService, startDashboard } from './service.js';

describeInChromium('the overview, left open', () => {
  let service: DashboardService;
  let browser: Browser;
  let ada: Customer;
  let keyId: string;
  let tab: Visit;
  let page: Page;
  /** How many updates the page has requested. */
  let requests: number;

  beforeAll(async () => {
    service = await startDashboard();
    browser = await launchChromium();
  });
  beforeEach(async () => {
    ada = await service.customer('ada@harbour.example');
    await ada.grant(1000);
    ({ keyId } = await ada.key());
    await open();
  });
  afterEach(() => tab?.close());
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const open = async (options: { javaScriptEnabled?: boolean; timezoneId?: string } = {}) => {
    await tab?.close();
    tab = await visit(browser, service.url, options);
    ({ page } = tab);
    // The clock stands still until a test moves it, so a page that opens slowly requests no update too early.
    const now = Date.now();
    await page.clock.install({ time: now });
    await page.clock.pauseAt(now + 60_000);
    await page.context().addCookies([ada.cookie]);
    requests = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/dashboard/live')) requests += 1;
    });
    await page.goto(`${service.url}/dashboard`);
  };
  /**
   * Runs the page's next update. The page plans it once it has shown the answer before, so tests wait for that first.
   * The clock moves no further: it also ends a request that takes too long, after which the page updates less often.
   */
  const look = (run: () => Promise<void> = () => page.clock.runFor(5_000)) =>
    Promise.all([page.waitForRequest(`${service.url}/dashboard/live`), run()]);
  const balance = () => page.locator('#live-balance');
  const hide = (hidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} });
      document.dispatchEvent(new Event('visibilitychange'))`);

  it('shows a new request and the balance after it without a reload, and breaks no policy', async () => {
    await page.getByText('No paid requests yet.').waitFor();
    const requestId = await ada.read(keyId, 20);
    await look();
    await page.locator(`a[href$="${requestId}"]`).waitFor();
    expect(await balance().innerText()).toBe('980 credits');
    expect(await page.locator('#live-buys').innerText()).toContain('980');
    expect({ violations: tab.violations, errors: tab.errors }).toEqual({ violations: [], errors: [] });
  });

  it('shows times in the zone of the reader, new ones as well, and does not replace unchanged elements', async () => {
    await open({ timezoneId: 'Asia/Tokyo' });
    const requestId = await ada.read(keyId, 20);
    await look();
    const time = page.locator(`a[href$="${requestId}"] time`);
    await time.waitFor();
    const at = (await time.getAttribute('datetime')) ?? '';
    const tokyo = new Date(Date.parse(at) + 9 * 3_600_000).toISOString();
    expect(await time.innerText()).toBe(`${tokyo.slice(0, 10)} ${tokyo.slice(11, 16)}`);
    expect(await time.getAttribute('title')).toContain(`${at.slice(0, 10)} ${at.slice(11, 16)} UTC`);
    expect(await page.getByRole('columnheader', { name: 'When' }).first().innerText()).toBe('When (GMT+9)');
    await page.evaluate(`document.querySelector('a[href$="${requestId}"]').id = 'the-same'`);
    const answered = page.waitForResponse(`${service.url}/dashboard/live`);
    await look();
    await (await answered).finished();
    await page.clock.runFor(10);
    expect(await page.locator('#the-same').count()).toBe(1);
  });

  it('shows the warning of an empty wallet without a reload, and removes it after a top-up', async () => {
    await ada.read(keyId, 1000);
    await look();
    await page.getByText('The wallet is empty.').waitFor();
    await ada.grant(500);
    await look();
    await page.getByText('The wallet is empty.').waitFor({ state: 'detached' });
  });

  it('does not show the figures of another account to which another tab has switched', async () => {
    const other = await service.customer('ada@harbour.example');
    const switchTo = (account: string) => ada.post('/dashboard/accounts/switch', { account });
    await switchTo(other.accountId);
    const answered = page.waitForResponse(`${service.url}/dashboard/live`);
    await look();
    await (await answered).finished();
    await page.clock.runFor(10);
    expect(await balance().innerText()).toBe('1,000 credits');
    await switchTo(ada.accountId);
    await ada.read(keyId, 20);
    await look();
    await balance().getByText('980').waitFor();
  });

  it('keeps the focus on a link', async () => {
    const first = await ada.read(keyId, 1);
    await look();
    await page.locator(`a[href$="${first}"]`).focus();
    const second = await ada.read(keyId, 1);
    await look();
    await page.locator(`a[href$="${second}"]`).waitFor();
    expect(await page.evaluate('document.activeElement.href')).toContain(first);
  });

  it('announces changes to screen readers politely, at most once a minute', async () => {
    const said = page.locator('#live-said');
    expect(await said.getAttribute('role')).toBe('status');
    await ada.read(keyId, 10);
    await look();
    await balance().getByText('990').waitFor();
    expect(await said.textContent()).toBe('');
    await ada.read(keyId, 10);
    await look(() => page.clock.fastForward(60_000));
    await said.filter({ hasText: 'Balance: 980 credits' }).waitFor({ state: 'attached' });
  });

  it('sends no request while hidden or paused, and one as soon as it is visible again', async () => {
    await hide(true);
    await page.clock.runFor(60_000);
    expect(requests).toBe(0);
    await ada.read(keyId, 100);
    await hide(false);
    await balance().getByText('900').waitFor();
    await page.getByRole('button', { name: 'Pause updates' }).click();
    const before = requests;
    await page.clock.runFor(60_000);
    expect(requests).toBe(before);
    await ada.read(keyId, 100);
    await page.getByRole('button', { name: 'Resume updates' }).click();
    await balance().getByText('800').waitFor();
  });

  it('stops after half an hour without use, so that it does not keep the session alive', async () => {
    await page.clock.fastForward(1_800_000);
    await page.clock.runFor(600_000);
    expect(requests).toBe(0);
    await page.keyboard.press('Tab');
    await look();
  });

  it('ends with the session', async () => {
    await service.sql`update sessions set ended_at = now() where account_id = ${ada.accountId}`;
    await look();
    await page.getByRole('button', { name: 'Pause updates' }).waitFor({ state: 'detached' });
    const before = requests;
    await page.clock.runFor(600_000);
    expect(requests).toBe(before);
  });

  it('shows the current state without scripts, and updates it on a reload', async () => {
    await open({ javaScriptEnabled: false });
    await ada.read(keyId, 20);
    expect(await balance().innerText()).toBe('1,000 credits');
    expect(await page.getByRole('button', { name: 'Pause updates' }).count()).toBe(0);
    await page.reload();
    expect(await balance().innerText()).toBe('980 credits');
  });
});
