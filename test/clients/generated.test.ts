import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pythonFiles } from '../../clients/python/generate.js';
import { typescriptFiles } from '../../clients/typescript/generate.js';

const stored = (path: string): string => readFileSync(new URL(`../../clients/${path}`, import.meta.url), 'utf8');

it('matches the TypeScript client that `npm run clients` generates from the interface', async () => {
  for (const [name, text] of Object.entries(await typescriptFiles())) {
    expect(stored(`typescript/src/${name}`) === text, name).toBe(true);
  }
});

it('matches the Python client that `npm run clients` generates from the interface', () => {
  for (const [name, text] of Object.entries(pythonFiles())) {
    expect(stored(`python/src/perch_client/${name}`) === text, name).toBe(true);
  }
});

it('generates the same clients twice', async () => {
  expect(await typescriptFiles()).toEqual(await typescriptFiles());
  expect(pythonFiles()).toEqual(pythonFiles());
});

it('has the version of the service in both clients', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(JSON.parse(stored('typescript/package.json')).version).toBe(version);
  expect(stored('python/pyproject.toml')).toContain(`version = "${version}"`);
});

it('has the licence of the service in both clients', () => {
  const licence = readFileSync(new URL('../../LICENSE', import.meta.url), 'utf8');
  expect([stored('typescript/LICENSE'), stored('python/LICENSE')]).toEqual([licence, licence]);
});
