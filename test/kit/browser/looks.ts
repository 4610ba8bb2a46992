import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const require = createRequire(import.meta.url);

// Half as long as `axe.source`, and it is sent to every page.
export const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export interface Look {
  readonly colorScheme: 'light' | 'dark';
  /** Pixels. */
  readonly width: number;
}

/** A phone and a desktop, in both schemes. */
export const LOOKS: readonly Look[] = [
  { colorScheme: 'light', width: 360 },
  { colorScheme: 'dark', width: 1440 },
  { colorScheme: 'dark', width: 360 },
  { colorScheme: 'light', width: 1440 },
];

// Text, because it runs in the browser, whose types are not those of this project.
// The picture of another scheme is another file. Pictures further down are loaded as if the reader had scrolled to them.
const SETTLED = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => {
  for (const image of document.images) image.loading = 'eager';
  return Promise.all([...document.images].filter((image) => !image.complete).map((image) => new Promise((done) => {
    for (const event of ['load', 'error']) image.addEventListener(event, done);
  })));
})`;
// Finds text that is cut off at a side, by the window or by a box that hides its overflow, and boxes that scroll sideways
// without a shadow as a hint. On a phone no table may scroll, because it lists its cells there. Text for screen readers
// alone, which is clipped to nothing, and text that ends in an ellipsis do not count.
const CUT = `(() => {
  const found = [];
  const range = document.createRange();
  const look = (element, left, right) => {
    // Not what is folded away either.
    if (!element.checkVisibility({ visibilityProperty: true })) return;
    const style = getComputedStyle(element);
    if (style.clipPath.startsWith('inset(50%') || style.textOverflow === 'ellipsis') return;
    if (/auto|scroll/.test(style.overflowX)) {
      const mayScroll = style.backgroundImage.includes('gradient') && !(innerWidth < 640 && element.querySelector('table'));
      if (element.scrollWidth > element.clientWidth + 1 && !mayScroll) found.push('scrolls to a side without a hint ' + element.outerHTML.slice(0, 80));
      [left, right] = [-Infinity, Infinity];
    } else if (style.overflowX !== 'visible') {
      const box = element.getBoundingClientRect();
      [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
    }
    for (const node of element.childNodes) {
      if (node.nodeType !== Node.TEXT_NODE || node.data.trim() === '') continue;
      range.selectNodeContents(node);
      const text = range.getBoundingClientRect();
      if (text.width > 1 && (text.right > right + 1 || text.left < left - 1)) found.push('cut off ' + node.data.trim().slice(0, 60));
    }
    for (const child of element.children) look(child, left, right);
  };
  look(document.body, 0, document.documentElement.clientWidth);
  return found;
})()`;

/** Text, because it runs in the browser, after `AXE`. `rules`: options of axe; null: only what depends on the width. */
const flawsScript = (rules: object | null): string => `(${SETTLED}).then(async () => [
  ...(window.breaches ?? []).splice(0),
  ...(document.documentElement.scrollWidth > innerWidth ? ['wider than the window'] : []),
  ...[...document.images].filter((image) => image.naturalWidth === 0).map((image) => 'broken ' + image.currentSrc),
  ...${CUT},
  ...${rules === null ? '[]' : `(await axe.run({ resultTypes: ['violations'], ...${JSON.stringify(rules)} })).violations.map(({ id, nodes }) => id + ' ' + nodes[0].html)`},
])`;

/** What axe checks by default, and whether targets are large enough for a finger. */
const EVERYTHING = { rules: { 'target-size': { enabled: true } } };

/** The rules that depend on the scheme, for a page whose layout was checked in the other one. */
const COLOURS = { runOnly: ['color-contrast', 'link-in-text-block'] };

/** A phone, a tablet, a desktop. */
export const WIDTHS = [360, 768, 1440] as const;

/** A tab of any browser whose width can be changed. */
interface Resized {
  resize(width: number): Promise<void>;
  run<T>(script: string): Promise<T>;
}

/** What is wrong with a page at each width, as in `flawsOf`, in the scheme it is shown in. axe runs at the first one only. */
export async function flawsAtWidths(tab: Resized, widths: readonly number[]): Promise<string[]> {
  const found: string[] = [];
  await tab.run(AXE);
  for (const [nth, width] of widths.entries()) {
    await tab.resize(width);
    const seen = await tab.run<string[]>(flawsScript(nth === 0 ? EVERYTHING : null));
    found.push(...seen.map((flaw) => `at ${width}: ${flaw}`));
  }
  return found;
}

/** What is wrong with a page in each look: sideways scrolling, broken pictures, what axe finds. It is loaded only once. */
export async function flawsOf(page: Page, looks: readonly Look[] = LOOKS): Promise<string[]> {
  const found: string[] = [];
  const widths = new Set<number>();
  await page.evaluate(AXE);
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    const seen: string[] = await page.evaluate(flawsScript(widths.has(width) ? COLOURS : EVERYTHING));
    found.push(...seen.map((flaw) => `${colorScheme} ${width}: ${flaw}`));
    widths.add(width);
  }
  return found;
}
