import { randomBytes } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { mintKey } from '../../src/access/key.js';
import { describeInChromium, launchChromium, NO_STORAGE, type Visit, visit } from '../kit/browser/chromium.js';
import { demoDatabase } from '../kit/demo.js';
import { startPerch, type TestPerch } from '../kit/perch.js';

const text = (page: Page, id: string) => page.locator(`#${id}`).textContent();
const run = (page: Page) => page.locator('.graphiql-execute-button').click();
const estimate = (page: Page) => page.getByRole('button', { name: 'Estimate cost' }).click();
const focused = (page: Page) =>
  page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.tagName');

async function write(page: Page, editor: string, words: string): Promise<void> {
  await page.locator(`${editor} .CodeMirror`).filter({ visible: true }).first().click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(words);
}
const writeQuery = (page: Page, words: string) => write(page, '.graphiql-query-editor', words);

/** What the page sends when the operation is run. */
async function sentBy(page: Page, act: () => Promise<void>) {
  const [request] = await Promise.all([page.waitForRequest((each) => each.method() === 'POST'), act()]);
  await request.response();
  return { headers: request.headers(), body: request.postDataJSON() as Record<string, unknown> };
}

/** Over the default budget of 1,000: ten profiles with a hundred tweets each. */
const COSTLY = `{ ${Array.from({ length: 10 }, (_, n) => `a${n}: user(handle: "harbor_obs") { tweets(first: 100) { meta { items } } }`).join(' ')} }`;
const LIST = '{ timeline(user: "harbor_obs", first: 10) { meta { items } pageInfo { truncated } } }';

describeInChromium('working in GraphiQL, over the demo network', () => {
  let browser: Browser;
  let perch: TestPerch;
  let tab: Visit;
  let page: Page;

  beforeAll(async () => {
    browser = await launchChromium();
    const demoKey = mintKey(randomBytes);
    perch = await startPerch({ openDatabase: demoDatabase, demoKey });
    await perch.account({ credits: 5000, qps: 100, key: demoKey });
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await perch?.close();
  });

  beforeEach(async () => {
    tab = await visit(browser, perch.url, { viewport: { width: 1000, height: 800 } });
    page = tab.page;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${perch.url}/graphql`);
    await expect.poll(() => text(page, 'balance')).toMatch(/\d/);
    await page.locator('.graphiql-execute-button').waitFor();
  });
  afterEach(async () => {
    expect({ foreign: tab.foreign, violations: tab.violations }).toEqual({ foreign: [], violations: [] });
    await tab.close();
  });

  it.each([
    ['the estimate says that it would be refused', estimate, 'It would be refused: This operation can cost up to 1010'],
    ['the run is refused', run, 'This operation can cost up to 1010'],
  ])('explains an exceeded budget when %s, and offers a button with one that is enough', async (_, act, words) => {
    await writeQuery(page, COSTLY);
    await act(page);
    await page.getByRole('button', { name: 'Set the budget to 1,010 credits' }).waitFor();
    expect(await text(page, 'notice-text')).toContain(words);
    await page.getByRole('button', { name: 'Set the budget to 1,010 credits' }).click();
    expect(await page.locator('#budget').inputValue()).toBe('1010');
    expect(await page.locator('#notice').isHidden()).toBe(true);
    const { body } = await sentBy(page, () => run(page));
    expect(body.extensions).toEqual({ maxCredits: 1010 });
    await expect.poll(() => text(page, 'last-cost')).toMatch(/^[\d.,]+ credits (?:miss|hit|mixed)$/);
    expect(await page.locator('#notice').isHidden()).toBe(true);
  });

  it('cuts a list to the budget, as the estimate announced', async () => {
    await writeQuery(page, LIST);
    await page.getByLabel('Budget').fill('3');
    await estimate(page);
    await page.getByText('The budget is 3 credits: lists would be cut to fit').waitFor();
    await run(page);
    await expect.poll(() => page.locator('.result-window').textContent()).toContain('"max_credits"');
    expect(Number.parseFloat((await text(page, 'last-cost')) ?? '')).toBeLessThanOrEqual(3);
  });

  it('says which list the budget cut, even if the query does not ask, and offers a budget for all of it', async () => {
    await writeQuery(page, '{ user(handle: "harbor_obs") { tweets(first: 20) { nodes { id } } } }');
    await page.getByLabel('Budget').fill('3');
    await run(page);
    await page.getByRole('button', { name: 'Set the budget to 21 credits' }).waitFor();
    expect(await text(page, 'notice-text')).toMatch(/^Your budget cut user\.tweets to \d of the 20 requested\. Set/);
    expect(await page.locator('#notice').getAttribute('data-tone')).toBe('warn');
    await page.getByRole('button', { name: 'Set the budget to 21 credits' }).click();
    await run(page);
    await expect.poll(() => page.locator('#notice').isHidden()).toBe(true);
  });

  it('names the budget, not its header, when a read does not fit into it', async () => {
    await writeQuery(page, '{ tweet(id: "1898072654607286272", fresh: true) { id } }');
    await page.getByLabel('Budget').fill('0.4');
    await run(page);
    await page.locator('#notice').waitFor();
    expect(await text(page, 'notice-text')).toMatch(/raise the budget\./);
    expect(await text(page, 'notice-text')).not.toContain('X-Max-Credits');
  });

  it('copies a link that opens the query and its variables in a tab without running it', async () => {
    await writeQuery(page, 'query Shared($handle: String!) { user(handle: $handle) { name } }');
    await page.getByRole('button', { name: 'Variables', exact: true }).click();
    await write(page, '.graphiql-editor-tool', '{ "handle": "quay_library" }');
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Link copied.').waitFor();
    const link = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(link).toMatch(new RegExp(`^${perch.url}/graphql#query=`));
    expect(link).not.toContain('perch_live_');
    const other = await visit(browser, perch.url, { viewport: { width: 1000, height: 800 } });
    const bodies: string[] = [];
    other.page.on('request', (request) => bodies.push(request.postData() ?? ''));
    for (const address of [link, link.replace('#', '?')]) {
      await other.page.goto(address);
      await other.page.getByRole('button', { name: 'Shared', exact: true }).waitFor();
      expect(await other.page.locator('.graphiql-query-editor').textContent()).toContain('query Shared');
      await expect.poll(() => other.page.evaluate('JSON.stringify(localStorage)')).toContain('quay_library');
      expect(other.page.url()).toBe(`${perch.url}/graphql`);
    }
    await expect.poll(() => text(other.page, 'balance')).toMatch(/\d/);
    expect(bodies.filter((body) => body.includes('Shared'))).toEqual([]);
    await other.close();
  });

  it('opens a link that arrives while the page is open in a further tab', async () => {
    const before = await page.locator('.graphiql-tab').count();
    await page.evaluate('location.hash = "query=query Later { me { balance } }"');
    await page.getByRole('button', { name: 'Later', exact: true }).waitFor();
    expect(await page.locator('.graphiql-tab').count()).toBe(before + 1);
  });

  it('saves a query under a name, keeps it after a reload, and deletes it', async () => {
    await writeQuery(page, 'query Mine { me { balance } }');
    await page.getByRole('button', { name: 'Saved', exact: true }).click();
    await page.getByRole('button', { name: 'Save this query' }).click();
    await page.getByText('Give the query a name.').waitFor();
    await page.locator('#save-name').fill('My balance');
    await page.getByRole('button', { name: 'Save this query' }).click();
    await page.getByText('Saved as My balance.').waitFor();
    expect(await page.evaluate('localStorage.getItem("perch.saved")')).not.toContain('perch_live_');
    await page.evaluate('localStorage.removeItem("graphiql:tabState")');
    await page.reload();
    await page.locator('.graphiql-execute-button').waitFor();
    await page.getByRole('button', { name: 'Saved', exact: true }).click();
    await page.getByRole('button', { name: 'My balance', exact: true }).click();
    await expect.poll(() => page.locator('.graphiql-query-editor').textContent()).toContain('query Mine');
    await page.getByRole('button', { name: 'Saved', exact: true }).click();
    await page.getByRole('button', { name: 'Delete My balance' }).click();
    expect(await page.evaluate('localStorage.getItem("perch.saved")')).toBe('[]');
  });

  it('saves no more queries than it says', async () => {
    const rows = Array.from({ length: 50 }, (_, n) => ({ name: `n${n}`, query: '{ me { balance } }', variables: '' }));
    await page.evaluate(`localStorage.setItem('perch.saved', ${JSON.stringify(JSON.stringify(rows))})`);
    await page.getByRole('button', { name: 'Saved', exact: true }).click();
    await page.locator('#save-name').fill('one more');
    await page.getByRole('button', { name: 'Save this query' }).click();
    await page.getByText('You already have 50 saved queries. Delete one first.').waitFor();
    expect(await page.locator('#save-name').inputValue()).toBe('one more');
  });

  it('sends nothing while the budget is not a number', async () => {
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.method()));
    await page.getByLabel('Budget').fill('ten');
    for (const act of [run, estimate]) {
      await act(page);
      await page.getByText('The budget must be a number of credits').first().waitFor();
      await page.locator('#notice-close').click();
    }
    expect(await page.getByLabel('Budget').getAttribute('aria-invalid')).toBe('true');
    expect(sent).toEqual([]);
  });

  it('labels a run mixed when it was charged for cached and for uncached items', async () => {
    await writeQuery(page, '{ users(handles: ["brindle_wx"]) { meta { cache } } }');
    await run(page);
    await expect.poll(() => text(page, 'last-cost')).toBe('1 credit miss');
    await writeQuery(page, '{ users(handles: ["brindle_wx", "gull_and_grain"]) { meta { cache } } }');
    await run(page);
    await expect.poll(() => text(page, 'last-cost')).toBe('1.5 credits mixed');
  });

  const unknownCharge = {
    errors: [
      { message: 'It may have been charged.', extensions: { code: 'upstream_error', reason: 'charge_unknown' } },
    ],
  };
  it.each([
    [
      'the service does not know',
      { status: 503, contentType: 'application/json', body: JSON.stringify(unknownCharge) },
    ],
    ['a proxy answers', { status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }],
    ['the answer is lost', null],
  ] as const)('calls the cost unknown, not 0, if %s', async (_name, answer) => {
    await page.route('**/graphql', (route) => (answer === null ? route.abort() : route.fulfill(answer)));
    await run(page);
    await expect.poll(() => text(page, 'last-cost')).toBe('unknown');
    expect(await text(page, 'cost-lines')).toBe('It may have been charged. The next response shows your balance.');
    await page.unroute('**/graphql');
    await run(page);
    await expect.poll(() => text(page, 'last-cost')).toContain('credits');
  });

  it('advises on an unknown handle without mentioning addresses', async () => {
    await writeQuery(page, '{ user(handle: "nobody_sits_here") { id } }');
    await run(page);
    await page.locator('#notice').waitFor();
    expect(await text(page, 'notice-text')).toBe('Not found. No such user. Check the handle or id. not_found');
  });

  it('shows prices beside the fields: in completion, and in the docs, which open on Query', async () => {
    const priced = (selector: string) =>
      page.evaluate(
        `Object.fromEntries([...document.querySelectorAll('${selector}')].map((n) => [n.textContent, n.dataset.price]))`,
      );
    await writeQuery(page, '{ ');
    await page.keyboard.type('use');
    await page.locator('.CodeMirror-hints li[data-price]').first().waitFor();
    expect(await priced('.CodeMirror-hints > li')).toMatchObject({ user: '1 credit each', users: '1 credit each' });
    await page.keyboard.press('Escape');
    await page.getByLabel('Show Documentation Explorer').click();
    expect(await page.locator('.graphiql-doc-explorer-title').textContent()).toBe('Query');
    const fields = await priced('.graphiql-doc-explorer-field-name');
    expect(fields).toMatchObject({ followers: '0.1 credits each', followerIds: '0.02 credits each', me: 'free' });
    await page.getByRole('link', { name: 'User', exact: true }).first().click();
    expect(await priced('.graphiql-doc-explorer-field-name')).toMatchObject({ tweets: '1 credit each', name: 'free' });
  });

  it('moves the focus out of each editor by Escape and Tab, while Tab alone indents (WCAG 2.1.2)', async () => {
    await page.getByRole('button', { name: 'Variables', exact: true }).click();
    for (const name of ['Query', 'Variables']) {
      const editor = page.getByRole('textbox', { name, exact: true });
      await editor.focus();
      await page.keyboard.press('Tab');
      expect(await focused(page), name).toBe(name);
      expect(await editor.getAttribute('aria-describedby')).toBe('leave-hint');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Tab');
      expect(await focused(page), name).toBe(`${name}, scrollable`);
      await page.keyboard.press('Shift+Tab');
      expect(await focused(page), name).toBe(name);
    }
    await page.getByRole('textbox', { name: 'Response', exact: true }).focus();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Response, scrollable');
    expect(await text(page, 'leave-hint')).toBe('To leave an editor with the keyboard: Esc, then Tab.');
  });

  it('skips a closed editor when the focus moves', async () => {
    await page.getByRole('button', { name: 'Show editor tools' }).focus();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Response');
  });

  it('keeps tabs in their row after a notice of two lines, also while one is dragged', async () => {
    await writeQuery(page, COSTLY);
    await estimate(page);
    await page.locator('.offer').waitFor();
    await page.evaluate(`(() => {
      const top = (node) => node.getBoundingClientRect().top;
      window.offsets = new Set();
      const sample = () => {
        const header = top(document.querySelector('.graphiql-session-header'));
        for (const tab of document.querySelectorAll('.graphiql-tab')) offsets.add(Math.round(top(tab) - header));
        requestAnimationFrame(sample);
      };
      sample();
    })()`);
    const { x, y } = (await page.locator('.graphiql-tab').nth(1).boundingBox()) ?? { x: 0, y: 0 };
    await page.mouse.move(x + 20, y + 10);
    await page.mouse.down();
    await page.mouse.move(x + 170, y + 10, { steps: 12 });
    await page.mouse.up();
    await expect.poll(() => page.locator('.graphiql-tab-button').nth(1).textContent()).not.toBe('Search');
    await page.locator('#notice-close').click();
    await page.locator('.graphiql-tab-button').nth(3).click();
    expect(await page.evaluate('[...offsets]')).toEqual([expect.any(Number)]);
  });

  it('sends variables and headers, prefers a key among them to the tab’s, and stores no header', async () => {
    const other = await perch.account({ credits: 7 });
    await writeQuery(page, 'query Named($handle: String!) { user(handle: $handle) { handle } me { balance } }');
    await page.getByRole('button', { name: 'Variables', exact: true }).click();
    await write(page, '.graphiql-editor-tool', '{ "handle": "quay_library" }');
    await page.getByRole('button', { name: 'Headers', exact: true }).click();
    await write(page, '.graphiql-editor-tool', JSON.stringify({ 'X-Api-Key': other.key, 'X-Trace': 'abc' }));
    const { headers, body } = await sentBy(page, () => run(page));
    expect(headers).toMatchObject({ 'x-api-key': other.key, 'x-trace': 'abc' });
    expect(body.variables).toEqual({ handle: 'quay_library' });
    await expect.poll(() => text(page, 'balance')).toMatch(/^6(\.5)?$/);
    await expect.poll(() => page.evaluate('JSON.stringify(localStorage)')).toContain('quay_library');
    const kept = await page.evaluate('JSON.stringify(localStorage)');
    expect(kept).not.toContain(other.key);
    expect(kept).not.toContain('X-Trace');
  });

  it('copies the operation as curl, as fetch, in Python and for the typed client, without the key', async () => {
    await writeQuery(page, LIST);
    await page.getByLabel('Budget').fill('3');
    await page.getByRole('button', { name: 'Copy as' }).click();
    for (const [name, words] of [
      ['curl', `curl -s '${perch.url}/graphql'`],
      ['fetch', `await fetch("${perch.url}/graphql"`],
      ['Python', `    "${perch.url}/graphql",`],
      ['TypeScript client', `createPerch({ baseUrl: "${perch.url}"`],
    ] as const) {
      await page.getByRole('button', { name, exact: true }).click();
      await expect.poll(() => text(page, 'copy-said')).toBe('Copied.');
      const copied = await page.evaluate('navigator.clipboard.readText()');
      expect(copied).toBe(await page.getByRole('textbox', { name: 'The request' }).inputValue());
      expect(copied).toContain(words);
      expect(copied).toMatch(/"maxCredits": ?3/);
      expect(copied).not.toContain('perch_live_');
    }
  });

  it('copies and prices a subscription as a stream, and still copies where the last kind has nothing', async () => {
    // The name of the fragment's type is not the operation's.
    await writeQuery(
      page,
      'fragment F on TweetPage { nodes { text } } subscription { timeline(user: "harbor_obs") { ...F } }',
    );
    const copyAs = page.getByRole('button', { name: 'Copy as' });
    await copyAs.click();
    await page.getByRole('button', { name: 'TypeScript client', exact: true }).click();
    await expect.poll(() => text(page, 'copy-said')).toContain('copy this one as fetch');
    await page.keyboard.press('Escape');
    await copyAs.click();
    await expect
      .poll(() => page.getByRole('textbox', { name: 'The request' }).inputValue())
      .toContain("-H 'accept: text/event-stream'");
    await page.keyboard.press('Escape');
    await estimate(page);
    await expect
      .poll(() => text(page, 'notice-text'))
      .toMatch(/^At most 20 credits for each result of at most 20 items\./);
    const { headers } = await sentBy(page, () => run(page));
    expect(headers.accept).toBe('text/event-stream');
  });

  it('works in a browser that refuses access to storage, with a key that is lost with the page', async () => {
    await page.addInitScript(NO_STORAGE);
    await page.reload();
    await expect.poll(() => text(page, 'balance')).toMatch(/\d/);
    await writeQuery(page, '{ user(handle: "harbor_obs") { handle } }');
    await run(page);
    await expect.poll(() => text(page, 'last-cost')).toContain('credit');
    await page.getByRole('button', { name: 'Saved' }).click();
    await page.getByLabel('Name').fill('mine');
    await page.getByRole('button', { name: 'Save this query' }).click();
    await page.getByRole('button', { name: 'mine', exact: true }).waitFor();
    expect(tab.errors).toEqual([]);
  });

  it('takes a test key like any other', async () => {
    await page.getByRole('button', { name: 'Forget' }).click();
    await page.locator('#key-input').fill(`perch_test_${'x'.repeat(32)}`);
    const { headers } = await sentBy(page, () => page.getByRole('button', { name: 'Use key' }).click());
    expect(headers['x-api-key']).toBe(`perch_test_${'x'.repeat(32)}`);
  });

  it('opens with the demo’s key when the tab’s key is of an earlier demo', async () => {
    await page.evaluate(`sessionStorage.setItem('perch.key', 'perch_live_${'y'.repeat(32)}')`);
    await page.reload();
    await page.getByText('Demo key', { exact: true }).waitFor();
    await expect.poll(() => text(page, 'balance')).toMatch(/\d/);
    expect(await page.locator('#notice').isHidden()).toBe(true);
  });

  it('follows a subscription, whose cost counts up until its reader stops it', async () => {
    await writeQuery(page, 'subscription { timeline(user: "posts_often") { nodes { text } } }');
    await run(page);
    const result = page.locator('.result-window');
    // The account posts every 30 s.
    const patience = { timeout: 60_000, interval: 500 };
    await expect.poll(() => result.textContent(), patience).toContain('The harbor bell rang at');
    const first = Number.parseFloat((await text(page, 'cost-sum')) ?? '');
    expect(first).toBeGreaterThan(0);
    await expect
      .poll(async () => Number.parseFloat((await text(page, 'cost-sum')) ?? ''), patience)
      .toBeGreaterThan(first);
    // The same button stops it.
    await run(page);
    await page.locator('.graphiql-execute-button[aria-label^="Execute"]').waitFor();
  }, 150_000);
});
