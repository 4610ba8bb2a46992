import axe from 'axe-core';
import type { Page } from 'playwright-core';

export interface Look {
  readonly colorScheme: 'light' | 'dark';
  /** Pixels. */
  readonly width: number;
}

/** On a phone and on a desk, in both schemes. */
export const LOOKS: readonly Look[] = [
  { colorScheme: 'light', width: 360 },
  { colorScheme: 'dark', width: 1440 },
  { colorScheme: 'dark', width: 360 },
  { colorScheme: 'light', width: 1440 },
];

// Text, because it runs in the browser, whose types are not those of this project.
// A picture of the other scheme is another file; one further down is loaded as if somebody had scrolled to it.
const SETTLED = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => {
  for (const image of document.images) image.loading = 'eager';
  return Promise.all([...document.images].filter((image) => !image.complete).map((image) => new Promise((done) => {
    for (const event of ['load', 'error']) image.addEventListener(event, done);
  })));
})`;
const flaws = (
  rules: object,
): string => `axe.run({ resultTypes: ['violations'], ...${JSON.stringify(rules)} }).then(({ violations }) => [
  ...(document.documentElement.scrollWidth > innerWidth ? ['wider than the window'] : []),
  ...[...document.images].filter((image) => image.naturalWidth === 0).map((image) => 'broken ' + image.currentSrc),
  ...violations.map(({ id, nodes }) => id + ' ' + nodes[0].html),
])`;

/** What a scheme changes of a page whose layout was looked at in the other one. */
const COLOURS = { runOnly: ['color-contrast', 'link-in-text-block'] };

/** What nobody should find on a page: that it scrolls sideways, a broken picture, what axe finds; look by look, loaded once. */
export async function flawsOf(page: Page, looks: readonly Look[] = LOOKS): Promise<string[]> {
  const found: string[] = [];
  const widths = new Set<number>();
  await page.evaluate(axe.source);
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(SETTLED);
    const seen: string[] = await page.evaluate(flaws(widths.has(width) ? COLOURS : {}));
    found.push(...seen.map((flaw) => `${colorScheme} ${width}: ${flaw}`));
    widths.add(width);
  }
  return found;
}
