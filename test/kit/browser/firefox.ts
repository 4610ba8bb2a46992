import { existsSync } from 'node:fs';
import axe from 'axe-core';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { describe } from 'vitest';

const PATHS = ['/usr/bin/firefox-esr', '/usr/bin/firefox'];

const findFirefox = (): string | undefined => process.env.FIREFOX_PATH || PATHS.find((path) => existsSync(path));

/** As `describeInChromium`: left out where there is none, but on CI; its tests are steps of one way. */
export function describeInFirefox(name: string, suite: () => void): void {
  if (findFirefox() !== undefined || process.env.CI === 'true') describe(name, { shuffle: false }, suite);
  else describe.skip(`${name} [left out: no Firefox; install it, or name it in FIREFOX_PATH]`, suite);
}

/** Debian's own, as people have it, by WebDriver BiDi: Playwright drives only a Firefox that it has changed. */
export async function launchFirefox(): Promise<Browser> {
  const executablePath = findFirefox();
  if (executablePath === undefined) throw new Error('No Firefox was found: install it, or name it in FIREFOX_PATH');
  return puppeteer.launch({ browser: 'firefox', executablePath, headless: true });
}

// Text, because it runs in the browser, whose types are not those of this project.
const WATCH = `window.breaches = [];
addEventListener('securitypolicyviolation', (event) => breaches.push(event.violatedDirective + ': ' + event.blockedURI));`;
const FLAWS = `Promise.all([...document.images].map((image) => image.decode().catch(() => {})))
.then(() => axe.run({ resultTypes: ['violations'] }))
.then(({ violations }) => [
  ...breaches,
  ...(document.documentElement.scrollWidth > innerWidth ? ['wider than the window'] : []),
  ...violations.map(({ id, nodes }) => id + ' ' + nodes[0].html),
])`;

/** What is clicked for a role. */
const TAGS = { button: 'button', link: 'a', radio: 'label' } as const;

const ID_OF_LABELLED = `[...document.querySelectorAll('label')].find((each) => each.innerText.trim() === LABEL)?.control.id`;

/** A tab, and everything it did that it should not have. */
export class FirefoxTab {
  /** Addresses of another origin that it asked for. */
  readonly foreign: string[] = [];
  /** Uncaught exceptions, and errors on the console. */
  readonly errors: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly origin: string,
  ) {
    page.setDefaultTimeout(20_000);
    page.on('request', (request) => {
      const { origin: asked, protocol, href } = new URL(request.url());
      if (asked !== this.origin && protocol !== 'data:') this.foreign.push(href);
    });
    page.on('pageerror', (error) => this.errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') this.errors.push(message.text());
    });
  }

  static async open(browser: Browser, origin: string): Promise<FirefoxTab> {
    const page = await browser.newPage();
    await page.evaluateOnNewDocument(WATCH);
    return new FirefoxTab(page, origin);
  }

  /** By a path of the service, or a whole address. Gives the status. */
  async goto(path: string): Promise<number | undefined> {
    return (await this.page.goto(new URL(path, this.origin).href))?.status();
  }

  /** By the whole text. Not by the accessible name: on a long page each search for that takes seconds. */
  click(role: keyof typeof TAGS, text: string): Promise<void> {
    return this.page.locator(`::-p-xpath(//${TAGS[role]}[normalize-space()="${text}"])`).click();
  }

  /** By the whole label. */
  async fill(label: string, text: string): Promise<void> {
    const id = await this.page.evaluate(ID_OF_LABELLED.replace('LABEL', JSON.stringify(label)));
    if (typeof id !== 'string') throw new Error(`Nothing is labelled ${label} on ${this.page.url()}`);
    await this.page.locator(`#${id}`).fill(text);
  }

  async sees(text: string): Promise<void> {
    await this.page.locator(`::-p-text(${text})`).wait();
  }

  async words(selector = 'main'): Promise<string> {
    return this.page.$eval(selector, (element) => (element as unknown as { innerText: string }).innerText);
  }

  async isAt(path: string): Promise<void> {
    const href = new URL(path, this.origin).href;
    await this.page.waitForFunction(`location.href === ${JSON.stringify(href)}`);
  }

  /** What nobody should find on the page, on a phone and on a desk: as `flawsOf` has it in Chromium. */
  async flaws(): Promise<string[]> {
    const flaws: string[] = [];
    await this.page.evaluate(axe.source);
    for (const width of [360, 1440]) {
      await this.page.setViewport({ width, height: 900 });
      const seen = (await this.page.evaluate(FLAWS)) as string[];
      flaws.push(...seen.map((flaw) => `${new URL(this.page.url()).pathname} at ${width}: ${flaw}`));
    }
    return flaws;
  }
}
