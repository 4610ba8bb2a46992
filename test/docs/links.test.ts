/** Pages lead to what is there: files, headings, and the paths and scripts they name. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isCode, readSources } from '../kit/sources.js';
import { blocksOf, codeIn, commandsOf, PAGES, placesOf, README, ROOT, readPage } from './readme/markdown.js';

const proseOf = (page: string): string => page.replaceAll(/^```.*?^```$/gms, '');

/** Where a page leads: links and pictures, those to other hosts left out. */
const targetsOf = (page: string): string[] =>
  [...proseOf(page).matchAll(/(?:\]\(|src="|srcset=")([^)"\s]+)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^(?:https?|mailto):/.test(target));

describe.each(PAGES)('%s', (path) => {
  const page = readPage(path);

  it('links to files and headings that are there', () => {
    const broken = targetsOf(page).filter((target) => {
      const [file = '', place] = target.split('#');
      const there = file === '' ? path : join(dirname(path), file);
      if (!existsSync(join(ROOT, there))) return true;
      return place !== undefined && placesOf(readPage(there)).filter((each) => each === place).length !== 1;
    });
    expect(broken).toEqual([]);
  });

  // What is gone may be told of in the history.
  it.skipIf(path === 'CHANGELOG.md')('names files and folders that are there', () => {
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

it('code names pages, and headings of them, that are there', () => {
  // Tests name some that are not there.
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
  it('is the first ten minutes: at most 200 lines', () => {
    expect(README.trimEnd().split('\n').length).toBeLessThanOrEqual(200);
  });

  it('has a table of contents, of all its sections in their order', () => {
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

  it('leads to every page of docs/', () => {
    const missing = PAGES.filter((path) => path !== 'README.md' && !README.includes(`](${path})`));
    expect(missing).toEqual([]);
  });
});
