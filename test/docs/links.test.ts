/** Links, paths and scripts on the pages lead to existing files and headings. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isCode, readSources } from '../kit/sources.js';
import { blocksOf, codeIn, commandsOf, PAGES, placesOf, README, ROOT, readPage } from './readme/markdown.js';

const proseOf = (page: string): string => page.replaceAll(/^```.*?^```$/gms, '');

/** The targets of a page's links and pictures, without those on other hosts. */
const targetsOf = (page: string): string[] =>
  [...proseOf(page).matchAll(/(?:\]\(|src="|srcset=")([^)"\s]+)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^(?:https?|mailto):/.test(target));

describe.each(PAGES)('%s', (path) => {
  const page = readPage(path);

  it('links to existing files and headings', () => {
    const broken = targetsOf(page).filter((target) => {
      const [file = '', place] = target.split('#');
      const there = file === '' ? path : join(dirname(path), file);
      if (!existsSync(join(ROOT, there))) return true;
      return place !== undefined && placesOf(readPage(there)).filter((each) => each === place).length !== 1;
    });
    expect(broken).toEqual([]);
  });

  // The changelog may name deleted files.
  it.skipIf(path === 'CHANGELOG.md')('names existing files and folders', () => {
    const tops = 'app|src|schema|adapters|demo|clients|examples|test|bench|docs';
    const named = codeIn(proseOf(page)).flatMap((code) => {
      const [, file = ''] = new RegExp(`^((?:${tops})/[\\w./-]*)(?: [\\w.]+)?$`).exec(code) ?? [];
      return file === '' || /\b[A-Z]{3,}\b/.test(file.replace('README', '')) ? [] : [file];
    });
    const isThere = (name: string): boolean =>
      ['', '.ts', '.mjs'].some((end) => existsSync(join(ROOT, `${name}${end}`)));
    expect(named.filter((name) => !isThere(name))).toEqual([]);
  });

  it('names scripts that the package has', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const inBlocks = blocksOf(page).filter(({ language }) => language === 'sh');
    const commands = [...codeIn(proseOf(page)), ...inBlocks.flatMap(commandsOf).map(({ command }) => command)];
    const named = commands.flatMap((command) => {
      const [, name = ''] = /\bnpm (?:run (?:-s )?)?([a-z][\w:]*)/.exec(command) ?? [];
      return ['', 'run', 'ci', 'install', 'pack', 'audit', 'sbom'].includes(name) ? [] : [name];
    });
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

it('names existing pages and headings in the code', () => {
  // Not in tests, which also name missing ones.
  const named = readSources(['app', 'src', 'schema', 'adapters', 'demo', 'bench', 'tools'])
    .filter((file) => isCode(file) || file.path.endsWith('.sql'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\bdocs\/([\w-]+\.md)(?:#([\w-]+))?/g)].map(([, page = '', place]) => ({ path, page, place })),
    );
  expect(named.length).toBeGreaterThan(15);
  const broken = named.filter(({ page, place }) => {
    if (!PAGES.includes(`docs/${page}`)) return true;
    return place !== undefined && !placesOf(readPage(`docs/${page}`)).includes(place);
  });
  expect(broken).toEqual([]);
});

describe('the README', () => {
  it('can be read in ten minutes: has at most 200 lines', () => {
    expect(README.trimEnd().split('\n').length).toBeLessThanOrEqual(200);
  });

  it('has a table of contents with all sections in order', () => {
    const contents = /^## Contents\n+((?:- .*\n)+)/m.exec(README)?.[1] ?? '';
    const listed = [...contents.matchAll(/^- \[([^\]]+)\]\(#([^)]+)\)$/gm)].map(([, title, place]) => ({
      title,
      place,
    }));
    const sections = [...README.matchAll(/^## (.+)$/gm)]
      .map(([, title = '']) => title)
      .filter((title) => title !== 'Contents');
    expect(listed).toEqual(sections.map((title) => ({ title, place: placesOf(`## ${title}`)[0] })));
  });

  it('links to every page of docs/', () => {
    const missing = PAGES.filter((path) => path !== 'README.md' && !README.includes(`](${path})`));
    expect(missing).toEqual([]);
  });
});
