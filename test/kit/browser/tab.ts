import { describeInChromium, launchChromium, type Visit, visit } from './chromium.js';
import { describeInFirefox, FirefoxTab, launchFirefox } from './firefox.js';

/** The kinds of elements that are clicked. */
export type Clicked = 'button' | 'link' | 'radio';

/** What a walk needs of a tab, in any browser. */
export interface Tab {
  /** Opens a path of the service, or a whole address. */
  goto(path: string): Promise<unknown>;
  /** Clicks the element with this whole text. `within`: only in the navigation of that name. */
  click(role: Clicked, name: string, within?: string): Promise<void>;
  /** Fills the field with this whole label. */
  fill(label: string, text: string): Promise<void>;
  /** Chooses the option with this text in the field with this whole label. */
  choose(label: string, option: string): Promise<void>;
  /** Waits until the text is shown, on this page or on the one that is being opened. */
  sees(text: string): Promise<void>;
  /** Waits until the page of the path has been opened. */
  isAt(path: string): Promise<void>;
  /** The visible text of an element, or of the page's main part if none is named. */
  words(selector?: string): Promise<string>;
  resize(width: number): Promise<void>;
  /** Runs a script in the page. */
  run<T>(script: string): Promise<T>;
  /** What the tab did that it should not have, since the last call. */
  troubles(): string[];
  close(): Promise<void>;
}

/** A browser whose tabs share nothing, because each belongs to another person. */
export interface People {
  person(origin: string): Promise<Tab>;
  close(): Promise<void>;
}

/** Each browser by its name, with the `describe` of suites in it, which skips them if the browser is missing. */
export const BROWSERS = [
  { name: 'Chromium', describeIn: describeInChromium, launch: launchedChromium },
  { name: 'Firefox', describeIn: describeInFirefox, launch: launchedFirefox },
] as const;

async function launchedChromium(): Promise<People> {
  const browser = await launchChromium();
  return {
    person: async (origin) => chromiumTab(await visit(browser, origin), origin),
    close: () => browser.close(),
  };
}

async function launchedFirefox(): Promise<People> {
  const browser = await launchFirefox();
  return {
    person: async (origin) => FirefoxTab.open(await browser.createBrowserContext(), origin),
    close: () => browser.close(),
  };
}

export function chromiumTab(seen: Visit, origin: string): Tab {
  const { page } = seen;
  return {
    goto: (path) => page.goto(new URL(path, origin).href),
    click: (role, name, within) =>
      (within === undefined ? page : page.getByRole('navigation', { name: within, exact: true }))
        .getByRole(role, { name, exact: true })
        .first()
        .click(),
    fill: (label, text) => page.getByLabel(label, { exact: true }).fill(text),
    choose: async (label, option) =>
      void (await page.getByLabel(label, { exact: true }).selectOption({ label: option })),
    sees: (text) => page.getByText(text).filter({ visible: true }).first().waitFor(),
    isAt: (path) => page.waitForURL(new URL(path, origin).href),
    words: (selector = 'main') => page.locator(selector).innerText(),
    resize: (width) => page.setViewportSize({ width, height: 900 }),
    run: <T>(script: string) => page.evaluate<T>(script),
    troubles: () =>
      [seen.foreign, seen.violations, seen.failed, seen.errors]
        .flatMap((each) => each.splice(0))
        // The console repeats what is in `failed`.
        .filter((trouble) => !trouble.startsWith('Failed to load resource')),
    close: () => seen.close(),
  };
}
