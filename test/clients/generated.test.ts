import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pythonFiles } from '../../clients/python/generate.js';
import { typescriptFiles } from '../../clients/typescript/generate.js';

const stored = (path: string): string => readFileSync(new URL(`../../clients/${path}`, import.meta.url), 'utf8');

it('the TypeScript client is what `npm run clients` makes of the interface', async () => {
  for (const [name, text] of Object.entries(await typescriptFiles())) {
    expect(stored(`typescript/src/${name}`) === text, name).toBe(true);
  }
});

it('so is the Python client', () => {
  for (const [name, text] of Object.entries(pythonFiles())) {
    expect(stored(`python/src/perch_client/${name}`) === text, name).toBe(true);
  }
});

it('both are made the same twice', async () => {
  expect(await typescriptFiles()).toEqual(await typescriptFiles());
  expect(pythonFiles()).toEqual(pythonFiles());
});

it('both have the version of the service', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(JSON.parse(stored('typescript/package.json')).version).toBe(version);
  expect(stored('python/pyproject.toml')).toContain(`version = "${version}"`);
});

it('both have the licence of the service', () => {
  const licence = readFileSync(new URL('../../LICENSE', import.meta.url), 'utf8');
  expect([stored('typescript/LICENSE'), stored('python/LICENSE')]).toEqual([licence, licence]);
});
