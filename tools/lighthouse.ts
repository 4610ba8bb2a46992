/** `npm run lighthouse`: measures the main pages of a demo for the table of docs/performance.md. */
import { startDemo } from '../test/cli/support/service.js';
import {
  type Audited,
  audit,
  CATEGORIES,
  DEVICES,
  openTab,
  PUBLIC_PAGES,
  SIGNED_IN_PAGES,
  signIn,
} from '../test/pages/lighthouse.js';

const HELP = `npm run lighthouse [-- PATH…]

Starts a demo, and prints what Lighthouse says of its main pages (or of those named) on a phone and on a desk: scores, bytes, times.
The phone is slowed down as Lighthouse does it: a connection of 1.6 Mbit/s, and a quarter of this processor. Needs chromium, and
a machine that does nothing else.`;

const named = process.argv.slice(2);
if (named.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}

const ms = (figure: number): string => Math.round(figure).toLocaleString('en-US');
const row = (cells: readonly unknown[]): void => console.log(`| ${cells.join(' | ')} |`);

function print(path: string, device: string, { scores, faults, ...seen }: Audited): void {
  const paints = [seen.firstPaint, seen.largestPaint, seen.blocked].map(ms);
  const rated = CATEGORIES.map((each) => (scores[each] ?? 0).toFixed(2));
  row([
    `\`${path}\``,
    device,
    (seen.bytes / 1000).toFixed(0),
    seen.requests,
    ...paints,
    seen.shift.toFixed(3),
    ...rated,
  ]);
  if (faults.length > 0) console.error(`  ${path} on a ${device}: ${faults.join(', ')}`);
}

row([
  'Page',
  'Device',
  'KB',
  'Requests',
  'First paint, ms',
  'Largest, ms',
  'Blocked, ms',
  'Shift',
  'Performance',
  'Accessibility',
  'Best practices',
]);
row(['---', '---', ...Array(9).fill('--:')]);
const demo = await startDemo();
const { browser, page } = await openTab();
try {
  const visit = async (paths: readonly string[]): Promise<void> => {
    for (const path of paths.filter((each) => named.length === 0 || named.includes(each))) {
      for (const device of DEVICES) print(path, device, await audit(page, `${demo.url}${path}`, device));
    }
  };
  await visit(PUBLIC_PAGES);
  await signIn(page, demo.signInLink);
  await visit(SIGNED_IN_PAGES);
} finally {
  await browser.close();
  await demo.close();
}
