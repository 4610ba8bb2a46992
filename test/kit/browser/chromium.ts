import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { describe } from 'vitest';

/** The headless shell comes first: it opens a tab in a quarter of the processor time, and shows the same pages. */
const PATHS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const findChromium = (): string | undefined => {
  const given = process.env.CHROMIUM_PATH;
  return given ? given : PATHS.find((path) => existsSync(path));
};

/**
 * A suite that needs a browser. Without one it is skipped and its name says why, except in CI, where it fails. `inOrder`: its
 * tests build on each other, so they are not shuffled.
 */
export function describeInChromium(name: string, suite: () => void, { inOrder = false } = {}): void {
  if (findChromium() !== undefined || process.env.CI === 'true') {
    describe(name, inOrder ? { shuffle: false } : {}, suite);
  } else describe.skip(`${name} [left out: no chromium; install it, or name it in CHROMIUM_PATH]`, suite);
}

/** How Chromium is started. Throws if there is none. */
export function chromiumLaunch(): { executablePath: string; args: string[] } {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('No chromium was found: install it, or name it in CHROMIUM_PATH');
  return { executablePath, args: ARGS };
}

export const launchChromium = (): Promise<Browser> => chromium.launch({ ...chromiumLaunch(), headless: true });

/** A script for a tab of a browser that refuses access to storage, as with all cookies blocked. */
export const NO_STORAGE = `for (const name of ['localStorage', 'sessionStorage']) {
  Object.defineProperty(window, name, { get() { throw new DOMException('Access is denied.', 'SecurityError'); } });
}`;

/** A tab, and everything it did that it should not have. */
export interface Visit {
  readonly page: Page;
  /** Addresses of other origins that it requested. None of the requests was let through. */
  readonly foreign: string[];
  /** Breaches of the page's Content-Security-Policy, as `directive: what`. */
  readonly violations: string[];
  /** Uncaught exceptions, and errors on the console. */
  readonly errors: string[];
  /** Requests without an answer, or with one that is an error. */
  readonly failed: string[];
  close(): Promise<void>;
}

/** Opens a tab that can reach only `origin` and `others`. */
export async function visit(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
  others: readonly string[] = [],
): Promise<Visit> {
  const context = await browser.newContext({ serviceWorkers: 'block', ...options });
  // Shorter than the timeout of a test, so that the error names what the tab waited for.
  context.setDefaultTimeout(30_000);
  const foreign: string[] = [];
  const violations: string[] = [];
  const errors: string[] = [];
  const failed: string[] = [];
  await context.route('**/*', (route) => {
    const { href, protocol, origin: requestOrigin } = new URL(route.request().url());
    if (requestOrigin === origin || others.includes(requestOrigin) || protocol === 'data:') return route.continue();
    foreign.push(href);
    return route.abort();
  });
  await context.exposeFunction('reportBreach', (breach: string) => violations.push(breach));
  // Text, because it runs in the browser, whose types are not those of this project.
  await context.addInitScript(`addEventListener('securitypolicyviolation', (event) => {
    reportBreach(event.violatedDirective + ': ' + (event.blockedURI || event.sourceFile) + ' ' + event.sample);
  });`);
  const page = await context.newPage();
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('response', (response) => {
    if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`);
  });
  page.on('requestfailed', (request) => {
    const { errorText = '' } = request.failure() ?? {};
    // Requests in flight are aborted when the page is left.
    if (errorText !== 'net::ERR_ABORTED') failed.push(`${errorText} ${request.url()}`);
  });
  return { page, foreign, violations, errors, failed, close: () => context.close() };
}
