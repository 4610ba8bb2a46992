/** Examples on the pages for readers cost and answer what the pages say. Each page runs against a node of its own. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRelay } from '../cli/support/export-relay.js';
import { demoDatabase } from '../kit/demo.js';
import { startPerch, type TestPerch } from '../kit/perch.js';
import { answersOf, compareExamples, type Example, examplesOf, hasCurl, withoutCurl } from './readme/examples.js';
import { blocksOf, commandsOf, ROOT } from './readme/markdown.js';

const PAGES = [
  'quickstart.md',
  'authentication.md',
  'graphql.md',
  'rest.md',
  'pricing.md',
  'cursors.md',
  'search.md',
  'errors.md',
];

const read = (name: string): string => readFileSync(join(ROOT, 'docs', name), 'utf8');

let perch: TestPerch;
beforeAll(async () => {
  perch = await startPerch({ openDatabase: demoDatabase });
});
afterAll(() => perch?.close());

describe.each(PAGES)('docs/%s', (name) => {
  const page = read(name);
  const examples = examplesOf(page);

  describe.skipIf(!hasCurl)(`examples${withoutCurl}`, () => {
    let answers: Map<Example, unknown> | undefined;

    // A new node has an empty cache, so no page depends on the reads of the page before.
    beforeAll(async () => {
      const [node, live] = [await perch.another(), await perch.account({ credits: 1000 })];
      // The quickstart has its reader make a test key.
      const account = name === 'quickstart.md' ? await perch.testKey(live) : live;
      const balance = () => perch.balance(account);
      answers = await answersOf(examples, { url: node.url, account, balance, variables: {} });
      await node.close();
    });

    compareExamples(examples, () => answers);
  });

  it('shows only answers and queries that are tried out', () => {
    const blocks = blocksOf(page);
    const shown = blocks.filter(({ language }) => language === 'json');
    expect(examples.filter((example) => example.shown !== undefined)).toHaveLength(shown.length);
    for (const { language, before, line } of blocks) {
      expect(['graphql', 'json', 'sh'], `line ${line}`).toContain(language);
      if (language === 'graphql') expect(before, `line ${line}`).toMatch(/\*\*[\d.]+ credits?\*\*/);
    }
  });

  it('runs every command of the page', () => {
    const commands = blocksOf(page)
      .filter((block) => block.language === 'sh' && !block.text.includes('while'))
      .flatMap(commandsOf);
    const calls = examples.filter((example) => !example.name.includes(', run '));
    expect(calls.map(({ name }) => name.replace(/^line \d+: /, ''))).toEqual(
      commands.map(({ command }) => command.replace(/^curl -s /, '')),
    );
  });
});

it.skipIf(!hasCurl)(
  `prints each id once in the loop over a whole list, and stops at a refusal${withoutCurl}`,
  async () => {
    const { text = '' } = blocksOf(read('cursors.md')).find((block) => block.text.includes('while')) ?? {};
    const { key } = await perch.account({ credits: 1000 });
    const relay = await openRelay(perch.url);
    const env = { ...process.env, PERCH_KEY: key };
    const command = text.replaceAll('http://127.0.0.1:4000', relay.url);
    const ids = async (): Promise<string[]> =>
      (await promisify(execFile)('sh', ['-c', command], { env })).stdout.trim().split('\n');
    const all = await ids();
    let calls = 0;
    relay.before = () => {
      calls += 1;
      return calls === 2 ? { status: 429, headers: { 'retry-after': '1' }, body: '{}' } : undefined;
    };
    const stopped = await ids();
    await relay.close();
    const profile = await fetch(`${perch.url}/v1/users/quay_library`, { headers: { 'x-api-key': key } });
    const { data } = (await profile.json()) as { data: { followers: number } };
    expect(new Set(all).size).toBe(all.length);
    expect(all).toHaveLength(data.followers);
    expect(stopped).toEqual(all.slice(0, 200));
  },
);

it('lists every status of bad_request in docs/errors.md', async () => {
  const { key } = await perch.account();
  const send = async (path: string, init: RequestInit & { headers?: Record<string, string> }) => {
    const response = await fetch(`${perch.url}${path}`, { ...init, headers: { 'x-api-key': key, ...init.headers } });
    return { status: response.status, text: await response.text() };
  };
  const json = { 'content-type': 'application/json' };
  const refusals = await Promise.all([
    send('/v1/me', { method: 'DELETE' }),
    send('/v1/users/batch', { method: 'POST', headers: json, body: JSON.stringify({ handles: ['x'.repeat(70_000)] }) }),
    send(`/v1/users/harbor_obs?fields=${'x'.repeat(9_000)}`, {}),
    send('/graphql', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' }),
    send('/graphql', {
      method: 'POST',
      headers: { ...json, accept: 'application/graphql-response+json' },
      body: '{"query":"{ nothing }"}',
    }),
    send('/v1/me', { headers: { 'x-large': 'x'.repeat(20_000) } }),
  ]);
  for (const { text } of refusals) expect(text).toContain('"bad_request"');
  const statuses = refusals.map(({ status }) => status);
  expect(statuses).toEqual([405, 413, 414, 415, 422, 431]);
  expect(/^- Also: (.*)$/m.exec(read('errors.md'))?.[1]?.match(/\d{3}/g)?.sort()).toEqual(statuses.map(String));
});
