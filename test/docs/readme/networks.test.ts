/** docs/networks.md names only existing files, names in them, members of the port, codes and headings of the page. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ERROR_CODES } from '../../../src/domain/errors.js';
import { codeIn, ROOT, tableOf } from './markdown.js';

const PAGE = readFileSync(join(ROOT, 'docs/networks.md'), 'utf8');
const PROSE = PAGE.replaceAll(/^```.*?^```$/gms, '');
const NAMED = codeIn(PROSE);
const isPath = (code: string): boolean => /^(?:[\w.-]+\/)+[\w.-]*$/.test(code);
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

it('names existing files', () => {
  const paths = NAMED.filter(isPath);
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it('names the files that every adapter over HTTP has', () => {
  const files = tableOf(PAGE, 'File').flatMap(([cell = '']) => codeIn(cell));
  for (const network of ['bluesky', 'x', 'mastodon']) {
    const there = readdirSync(join(ROOT, 'adapters/networks', network));
    expect([network, files.filter((file) => !there.includes(file))]).toEqual([network, []]);
  }
});

it('names all members of the port', () => {
  const port = /export interface Network \{(.*?)^\}/ms.exec(read('src/ports/network.ts'))?.[1] ?? '';
  const members = [...port.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, name]) => name);
  const documented = tableOf(PAGE, 'Member').flatMap(([cell = '']) => codeIn(cell));
  expect(new Set(['name', ...documented])).toEqual(new Set(members));
});

it('names existing codes', () => {
  const documented = tableOf(PAGE, 'Thrown').flatMap(([cell = '']) => codeIn(cell));
  const codes = documented.filter((code) => code.includes('_'));
  expect(codes.length).toBeGreaterThan(4);
  expect(codes.filter((code) => !(code in ERROR_CODES))).toEqual([]);
});

it('has each name in the file that the page says', () => {
  const inFile = [...PROSE.matchAll(/`(\w+)` in `([\w./-]+\.ts)`/g)].map(([, name = '', path = '']) => ({
    name,
    path,
  }));
  expect(inFile.length).toBeGreaterThan(4);
  expect(inFile.filter(({ name, path }) => !new RegExp(`export .*\\b${name}\\b`).test(read(path)))).toEqual([]);
  const rows = tableOf(PAGE, 'Where').map(([where = '', what = '']) => ({
    path: codeIn(where)[0] ?? '',
    names: codeIn(what),
  }));
  expect(rows.flatMap(({ path, names }) => names.filter((name) => !read(path).includes(name)))).toEqual([]);
});

it('has every other name in some file of the code or its tests', () => {
  const names = new Set(NAMED.filter((code) => /^[a-zA-Z]+$/.test(code)));
  const folders = ['src/domain', 'src/lib', 'src/ports', 'src/config', 'adapters/networks', 'test/networks/contract'];
  const text =
    folders.flatMap(filesOf).map(read).join('\n') +
    read('src/config/config.ts') +
    read('app/networks.ts') +
    read('tools/modules.ts');
  expect([...names].filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});

it('links to existing headings of the page', () => {
  const places = [...PROSE.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading.toLowerCase().replaceAll(' ', '-'),
  );
  const links = [...PROSE.matchAll(/\]\(#([^)\s]+)\)/g)].map(([, place = '']) => place);
  expect(links.filter((place) => !places.includes(place))).toEqual([]);
});

function filesOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder)).flatMap((name) => {
    const path = `${folder}/${name}`;
    if (statSync(join(ROOT, path)).isDirectory()) return filesOf(path);
    return path.endsWith('.ts') ? [path] : [];
  });
}
