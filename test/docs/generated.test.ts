/** Pages that are generated from the code are up to date, and the tables of other pages agree with the code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { problemFacts } from '../../adapters/pages/site/problems.js';
import { ROUTES } from '../../adapters/rest/routes.js';
import { SETTINGS } from '../../src/config/settings.js';
import { LIMITS } from '../../src/documents/limits.js';
import { ERROR_CODES, type ErrorCode } from '../../src/domain/errors.js';
import { generatedPages, networksPage } from '../../tools/docs/generate.js';
import { onOneLine, README, ROOT, tableOf } from './readme/markdown.js';

const read = (name: string): string => readFileSync(join(ROOT, 'docs', name), 'utf8');

it('matches the pages that `npm run docs` generates from the code', () => {
  for (const [name, text] of Object.entries(generatedPages())) expect(read(name) === text, name).toBe(true);
});

it('generates the same pages twice', () => {
  expect(generatedPages()).toEqual(generatedPages());
});

it('docs/networks.md has the calls that each read takes, counted over every network', async () => {
  expect(await networksPage()).toBe(read('networks.md'));
});

it('docs/rest.md has every endpoint once', () => {
  const headings = read('rest.md').match(/^### (?:GET|POST) \/v1\/.*$/gm) ?? [];
  const streams = '### GET /v1/live';
  expect(headings.sort()).toEqual([...ROUTES.map(({ method, path }) => `### ${method} ${path}`), streams].sort());
});

describe('docs/errors.md', () => {
  const sections = read('errors.md').split(/^## /m).slice(1);

  it('has each code once, under the heading that /problems links to', () => {
    expect(sections.map((section) => section.split('\n')[0])).toEqual(Object.keys(ERROR_CODES));
  });

  it.each(Object.keys(ERROR_CODES) as ErrorCode[])('%s: status, meaning and advice of /problems', (code) => {
    const section = sections.find((each) => each.startsWith(`${code}\n`));
    const { status, means, todo, title, retry_after } = problemFacts(code);
    expect(section).toContain(`- Status: ${status}\n`);
    for (const text of [title, means, todo]) expect(section).toContain(text);
    expect(section?.includes('yes, after `Retry-After`')).toBe(retry_after !== undefined);
  });
});

describe('docs/pricing.md', () => {
  const page = read('pricing.md');

  it('has the prices of the README, which match the code', () => {
    expect(tableOf(page, 'Item')).toEqual(tableOf(README, 'Item'));
  });
});

it('docs/graphql.md has the limits of a document, and the default budget of an operation', () => {
  const page = onOneLine(read('graphql.md'));
  const { depth, rootFields, aliases } = LIMITS;
  expect(page).toContain(`${depth} levels deep and have ${rootFields} root fields and ${aliases} aliases`);
  const budget = Number(SETTINGS.PERCH_MAX_OPERATION_CREDITS.fallback).toLocaleString('en');
  for (const name of ['graphql.md', 'pricing.md']) expect(onOneLine(read(name))).toContain(`${budget} credits`);
});
