/** Every page over every fixture: valid HTML that keeps the policy, with its headings in order and its place in the menu. */
import { HtmlValidate } from 'html-validate/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUSY, EMPTY, FROZEN, HOSTILE, type Household } from './fixture.js';
import { PATHS } from './paths.js';
import { type Served, serveHousehold } from './stand-ins.js';

const HOUSEHOLDS = { empty: EMPTY, busy: BUSY, frozen: FROZEN, hostile: HOSTILE } satisfies Record<string, Household>;
type Name = keyof typeof HOUSEHOLDS;
const NAMES = Object.keys(HOUSEHOLDS) as Name[];

let served: Record<Name, Served>;
beforeAll(async () => {
  const started = await Promise.all(NAMES.map(async (name) => [name, await serveHousehold(HOUSEHOLDS[name])] as const));
  served = Object.fromEntries(started) as Record<Name, Served>;
});
afterAll(() => Promise.all(Object.values(served ?? {}).map((one) => one.close())));

const page = async (name: Name, path: string): Promise<string> =>
  (await fetch(served[name].url + path, { headers: { accept: 'text/html' } })).text();

const validator = new HtmlValidate({
  extends: ['html-validate:recommended', 'html-validate:a11y'],
  rules: {
    'doctype-style': 'off',
    'void-style': 'off',
    'attribute-boolean-style': 'off',
    'long-title': 'off',
    // Checkboxes of one group share their name.
    'form-dup-name': ['error', { shared: ['radio', 'button', 'reset', 'submit', 'checkbox'] }],
  },
});

describe.each(NAMES)('the pages of the %s account', (name) => {
  it.each(PATHS)('%s is valid HTML', async (path) => {
    const { results } = await validator.validateString(await page(name, path));
    expect(results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => `${ruleId}: ${message}`))).toEqual(
      [],
    );
  });

  it.each(PATHS)('%s has no inline script or style, one h1, and headings in order', async (path) => {
    const html = await page(name, path);
    expect(html).not.toMatch(/<style|<script(?! src="\/assets\/)|\sstyle=|\son[a-z]+="/);
    const levels = [...html.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));
    expect(levels.filter((level) => level === 1)).toEqual([1]);
    expect(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)).toEqual([]);
  });

  it.each(PATHS)('%s marks its place in the menu', async (path) => {
    const [base = ''] = path.split(/[?]/);
    const menu = /<nav aria-label="Dashboard">.*?<\/nav>/.exec(await page(name, path))?.[0] ?? '';
    const marked = [...menu.matchAll(/<a href="([^"]+)" aria-current="(page|true)"/g)].map(([, href]) => href);
    // The page of a missing key or purchase marks no place.
    const isMissing = name === 'empty' && /\/0000/.test(base);
    const place = base
      .replace(/\/0000.*|\/(?:email|deliveries)$/, '')
      .replace(/\/(?:accounts|invitations\/.*)$/, '/members');
    expect(marked).toEqual(isMissing ? [] : [place]);
  });
});
