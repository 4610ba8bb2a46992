import lighthouse, { type Config, desktopConfig, type Flags, type Result, snapshot } from 'lighthouse';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { chromiumLaunch } from '../kit/browser/chromium.js';

export const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const;
export type Category = (typeof CATEGORIES)[number];

export const DEVICES = ['phone', 'desk'] as const;
export type Device = (typeof DEVICES)[number];

export interface Ratings {
  /** From 0 to 1. */
  readonly scores: Readonly<Partial<Record<Category, number>>>;
  /** Audits that cost a point, by id. */
  readonly faults: readonly string[];
}

/** What Lighthouse reports for a page that it opened with an empty browser cache. */
export interface Audited extends Ratings {
  /** Compressed, headers included. */
  readonly bytes: number;
  readonly requests: number;
  /** Milliseconds. */
  readonly firstPaint: number;
  readonly largestPaint: number;
  readonly blocked: number;
  /** Without a unit: see web.dev/cls. */
  readonly shift: number;
}

/** The main pages, for visitors and for those who signed in. */
export const PUBLIC_PAGES = [
  ...['/', '/sign-in', '/docs', '/docs/graphql', '/docs/api', '/docs/api/usersBatch', '/docs/types/User'],
  ...['/status', '/legal', '/graphql'],
] as const;
export const SIGNED_IN_PAGES = [
  ...['/dashboard', '/dashboard/usage', '/dashboard/keys', '/dashboard/alerts'],
  ...['/operator', '/operator/money', '/operator/traffic'],
] as const;

/** Opens a tab in a new Chromium. The caller closes its browser. */
export async function openTab(): Promise<{ browser: Browser; page: Page }> {
  const browser = await puppeteer.launch({ ...chromiumLaunch(), headless: true });
  return { browser, page: await browser.newPage() };
}

/** Signs the tab in with the link that a demo prints at its start. */
export async function signIn(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.locator('::-p-aria([name="Sign in"][role="button"])').click();
  await page.waitForFunction(`location.pathname === '/dashboard'`);
}

const configOf = (device: Device): Config | undefined => (device === 'desk' ? desktopConfig : undefined);

/** Throws if Lighthouse could not open the page, or was redirected to another one. */
export async function audit(page: Page, url: string, device: Device): Promise<Audited> {
  const flags: Flags = {
    onlyCategories: [...CATEGORIES],
    logLevel: 'error',
    // Keeps the session. This setting keeps the cache as well, so the cache is cleared here.
    disableStorageReset: true,
  };
  await (await page.createCDPSession()).send('Network.clearBrowserCache');
  const result = await lighthouse(url, flags, configOf(device), page);
  if (result === undefined) throw new Error(`Lighthouse has nothing to say of ${url}`);
  const { lhr } = result;
  if (lhr.runtimeError !== undefined) throw new Error(`${url}: ${lhr.runtimeError.message}`);
  if (lhr.finalDisplayedUrl !== url) throw new Error(`${url} led to ${lhr.finalDisplayedUrl}`);
  const figure = (id: string): number => lhr.audits[id]?.numericValue ?? Number.NaN;
  return {
    ...ratingsIn(lhr),
    bytes: figure('total-byte-weight'),
    requests: requestsOf(lhr.audits['network-requests']?.details),
    firstPaint: figure('first-contentful-paint'),
    largestPaint: figure('largest-contentful-paint'),
    blocked: figure('total-blocking-time'),
    shift: figure('cumulative-layout-shift'),
  };
}

const requestsOf = (details: object | undefined): number =>
  details !== undefined && 'items' in details && Array.isArray(details.items) ? details.items.length : Number.NaN;

/** Rates a page as it is now, by the audits that need neither a slow phone nor a second load. */
export async function look(page: Page): Promise<Ratings> {
  const result = await snapshot(page, {
    flags: { onlyCategories: ['accessibility', 'best-practices'], logLevel: 'error' },
  });
  if (result === undefined) throw new Error(`Lighthouse has nothing to say of ${page.url()}`);
  return ratingsIn(result.lhr);
}

function ratingsIn({ categories, audits }: Result): Ratings {
  const counted = Object.values(categories).flatMap(({ auditRefs }) => auditRefs.filter(({ weight }) => weight > 0));
  return {
    scores: Object.fromEntries(Object.values(categories).map(({ id, score }) => [id, score ?? 0])),
    faults: counted.map(({ id }) => id).filter((id) => (audits[id]?.score ?? 1) < 1),
  };
}
