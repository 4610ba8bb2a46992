import { existsSync } from 'node:fs';
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer-core';
import { describe } from 'vitest';
import { flawsAtWidths, WIDTHS } from './looks.js';
import type { Clicked, Tab } from './tab.js';

const PATHS = ['/usr/bin/firefox-esr', '/usr/bin/firefox'];

const findFirefox = (): string | undefined => process.env.FIREFOX_PATH || PATHS.find((path) => existsSync(path));

/** Like `describeInChromium`: skipped without Firefox, except in CI. Its tests build on each other. */
export function describeInFirefox(name: string, suite: () => void): void {
  if (findFirefox() !== undefined || process.env.CI === 'true') describe(name, { shuffle: false }, suite);
  else describe.skip(`${name} [left out: no Firefox; install it, or name it in FIREFOX_PATH]`, suite);
}

/** Starts Debian's Firefox, as users have it, with WebDriver BiDi: Playwright drives only its own patched Firefox. */
export async function launchFirefox(): Promise<Browser> {
  const executablePath = findFirefox();
  if (executablePath === undefined) throw new Error('No Firefox was found: install it, or name it in FIREFOX_PATH');
  return puppeteer.launch({ browser: 'firefox', executablePath, headless: true });
}

// Text, because it runs in the browser, whose types are not those of this project.
const WATCH = `window.breaches = [];
addEventListener('securitypolicyviolation', (event) => breaches.push(event.violatedDirective + ': ' + event.blockedURI));`;

const TAGS: Readonly<Record<Clicked, string>> = { button: 'button', link: 'a', radio: 'label' };

const ID_OF_LABELLED = `[...document.querySelectorAll('label')].find((each) => each.innerText.trim() === LABEL)?.control.id`;

/** A tab, and everything it did that it should not have. */
export class FirefoxTab implements Tab {
  /** Addresses of other origins that it requested. */
  readonly foreign: string[] = [];
  /** Uncaught exceptions, and errors on the console. */
  readonly errors: string[] = [];
  /** Requests without an answer, or with one that is an error. */
  readonly failed: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly origin: string,
  ) {
    page.setDefaultTimeout(30_000);
    page.on('request', (request) => {
      const { origin: requestOrigin, protocol, href } = new URL(request.url());
      if (requestOrigin !== this.origin && protocol !== 'data:') this.foreign.push(href);
    });
    page.on('pageerror', (error) => this.errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') this.errors.push(message.text());
    });
    page.on('response', (response) => {
      if (response.status() >= 400) this.failed.push(`${response.status()} ${response.url()}`);
    });
    page.on('requestfailed', (request) => {
      const { errorText = '' } = request.failure() ?? {};
      // Requests in flight are aborted when the page is left.
      if (errorText !== 'NS_BINDING_ABORTED') this.failed.push(`${errorText} ${request.url()}`);
    });
  }

  static async open(browser: Browser | BrowserContext, origin: string): Promise<FirefoxTab> {
    const page = await browser.newPage();
    await page.evaluateOnNewDocument(WATCH);
    return new FirefoxTab(page, origin);
  }

  /** Opens a path of the service, or a whole address. Returns the status. */
  async goto(path: string): Promise<number | undefined> {
    // In a tab that is not in front, no element ever becomes stable enough to be clicked.
    await this.page.bringToFront();
    return (await this.page.goto(new URL(path, this.origin).href))?.status();
  }

  /** Finds the element by its whole text. On a long page, a search by the accessible name would take seconds. */
  click(role: Clicked, name: string, within?: string): Promise<void> {
    const where = within === undefined ? '' : `//nav[@aria-label="${within}"]`;
    return this.page.locator(`::-p-xpath(${where}//${TAGS[role]}[normalize-space()="${name}"])`).click();
  }

  async fill(label: string, text: string): Promise<void> {
    await this.page.locator(await this.#labelled(label)).fill(text);
  }

  async choose(label: string, option: string): Promise<void> {
    const select = await this.#labelled(label);
    const find = `[...document.querySelector('${select}').options].find((each) => each.text.trim() === ${JSON.stringify(option)}).value`;
    await this.page.select(select, String(await this.page.evaluate(find)));
  }

  async #labelled(label: string): Promise<string> {
    const id = await this.page.evaluate(ID_OF_LABELLED.replace('LABEL', JSON.stringify(label)));
    if (typeof id !== 'string') throw new Error(`Nothing is labelled ${label} on ${this.page.url()}`);
    return `#${id}`;
  }

  async sees(text: string): Promise<void> {
    // Not by a locator: it would wait for the first element with the text, which may be in a menu that is closed.
    const said = `document.body?.innerText.replaceAll(/\\s+/g, ' ').includes(${JSON.stringify(text)})`;
    await this.page.waitForFunction(said);
  }

  async words(selector = 'main'): Promise<string> {
    return this.page.$eval(selector, (element) => (element as unknown as { innerText: string }).innerText);
  }

  async isAt(path: string): Promise<void> {
    const href = new URL(path, this.origin).href;
    await this.page.waitForFunction(`location.href === ${JSON.stringify(href)}`);
  }

  resize(width: number): Promise<void> {
    return this.page.setViewport({ width, height: 900 });
  }

  async run<T>(script: string): Promise<T> {
    return (await this.page.evaluate(script)) as T;
  }

  /** What is wrong with the page, at each width. */
  async flaws(): Promise<string[]> {
    const flaws = await flawsAtWidths(this, WIDTHS);
    return flaws.map((flaw) => `${new URL(this.page.url()).pathname} ${flaw}`);
  }

  troubles(): string[] {
    return [this.foreign, this.failed, this.errors].flatMap((each) => each.splice(0));
  }

  /** Closes all tabs of the same person. */
  close(): Promise<void> {
    return this.page.browserContext().close();
  }
}
