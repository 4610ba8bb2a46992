/** The pages for readers: what they tell to run costs and answers what they say (each against a node of its own). */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answersOf, compareExamples, type Example, examplesOf, hasCurl, withoutCurl } from '../readme/examples.js';
import { blocksOf, README, ROOT } from '../readme/markdown.js';
import { fillDemo } from '../support/demo.js';
import { startPerch, type TestPerch } from '../support/perch.js';

const PAGES = ['graphql.md', 'rest.md', 'pricing.md', 'cursors.md', 'errors.md'];

const read = (name: string): string => readFileSync(join(ROOT, 'docs', name), 'utf8');

/** As the places of a page are named by its headings. */
const placesOf = (page: string): string[] =>
  [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

let perch: TestPerch;
beforeAll(async () => {
  perch = await startPerch({ prepare: fillDemo });
});
afterAll(() => perch?.close());

describe.each(PAGES)('docs/%s', (name) => {
  const page = read(name);
  const examples = examplesOf(page);

  describe.skipIf(!hasCurl)(`examples${withoutCurl}`, () => {
    let answers: Map<Example, unknown> | undefined;

    // Another node holds nothing yet: no page depends on what the page before has read.
    beforeAll(async () => {
      const [node, account] = [await perch.another(), await perch.account({ credits: 1000 })];
      const balance = () => perch.balance(account);
      answers = await answersOf(examples, { url: node.url, account, balance, variables: {} });
      await node.close();
    });

    compareExamples(examples, () => answers);
  });

  it('shows no answer, and no query, that is not tried out', () => {
    const blocks = blocksOf(page);
    const shown = blocks.filter(({ language }) => language === 'json');
    expect(examples.filter((example) => example.shown !== undefined)).toHaveLength(shown.length);
    for (const { language, before, line } of blocks) {
      expect(['graphql', 'json', 'sh'], `line ${line}`).toContain(language);
      if (language === 'graphql') expect(before, `line ${line}`).toMatch(/\*\*[\d.]+ credits?\*\*/);
    }
  });

  it('links to what is there', () => {
    for (const [, target = ''] of page.matchAll(/\]\(([^)\s]+)\)/g)) {
      const [file = '', place] = target.split('#');
      if (file !== '') expect(existsSync(join(ROOT, 'docs', file)), target).toBe(true);
      if (place === undefined) continue;
      const places = placesOf(file === '' ? page : read(file));
      expect(
        places.filter((each) => each === place),
        target,
      ).toHaveLength(1);
    }
  });

  it('is found from the README', () => {
    expect(README).toContain(`](docs/${name})`);
  });
});

it.skipIf(!hasCurl)(`the loop over a whole list prints each id once${withoutCurl}`, async () => {
  const { text = '' } = blocksOf(read('cursors.md')).find((block) => block.text.includes('while')) ?? {};
  const { key } = await perch.account({ credits: 1000 });
  const env = { ...process.env, PERCH_KEY: key };
  const command = text.replaceAll('http://127.0.0.1:4000', perch.url);
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { env });
  const ids = stdout.trim().split('\n');
  const profile = await fetch(`${perch.url}/v1/users/quay_library`, { headers: { 'x-api-key': key } });
  const { data } = (await profile.json()) as { data: { followers: number } };
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toHaveLength(data.followers);
});
