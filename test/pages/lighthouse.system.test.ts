/** Accessibility, best practices and size. Performance depends on the machine: `npm run lighthouse` measures it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoHome } from '../cli/support/demo-home.js';
import { type Demo, SLOW_MS, startDemo } from '../cli/support/service.js';
import { describeInChromium } from '../kit/browser/chromium.js';
import { look, openTab, signIn } from './lighthouse.js';

const LEAST = 0.95;
/** Bytes as sent. Only GraphiQL brings an editor and React; other pages have at most a library for the search. */
const MOST_BYTES = 40_000;
/** With a picture of the dashboard. */
const MOST_LANDING_BYTES = 200_000;
const MOST_GRAPHIQL_BYTES = 520_000;

// A string, because it runs in the browser, whose types this project does not have. Cached files count as 0 bytes, so
// the cache is off.
const BYTES = `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .reduce((sum, { transferSize }) => sum + transferSize, 0)`;

describeInChromium('the main pages, as Lighthouse sees them', () => {
  let demo: Demo;
  let tab: Awaited<ReturnType<typeof openTab>>;

  beforeAll(async () => {
    demo = await startDemo({}, await openDemoHome());
    tab = await openTab();
    await tab.page.setCacheEnabled(false);
    await signIn(tab.page, demo.signInLink);
  }, SLOW_MS);

  afterAll(async () => {
    await tab?.browser.close();
    await demo?.close();
  });

  it.each([
    ['/', MOST_LANDING_BYTES, 'main'],
    ['/docs/api/usersBatch', MOST_BYTES, 'main'],
    ['/graphql', MOST_GRAPHIQL_BYTES, '.graphiql-execute-button'],
    ['/dashboard', MOST_BYTES, 'main'],
    ['/operator', MOST_BYTES, 'main'],
  ])('%s scores well in Lighthouse, and stays small', { timeout: SLOW_MS }, async (path, mostBytes, ready) => {
    await tab.page.goto(`${demo.url}${path}`);
    await tab.page.locator(ready).wait();
    const { scores, faults } = await look(tab.page);
    expect(Math.min(...Object.values(scores)), faults.join(', ')).toBeGreaterThanOrEqual(LEAST);
    expect(await tab.page.evaluate(BYTES)).toBeLessThan(mostBytes);
  });
});
