/** Which modules may import which, how long files may be, and how they are named. */
import { describe, expect, test } from 'vitest';
import { ROUTES } from '../../adapters/rest/routes.js';
import { isAllowed, moduleOf } from '../../tools/modules.js';
import {
  hasDefaultExport,
  type Import,
  importsOf,
  isCode,
  linesOf,
  longFolders,
  readSources,
  smallNeighbours,
} from '../kit/sources.js';
import { ROWS } from '../rules/support/rows.js';

const SOURCES = readSources();
const CODE = SOURCES.filter(isCode);
const PRODUCT = CODE.filter(({ path }) => /^(?:app|src|schema|adapters|demo)\//.test(path));

const shown = ({ from, to, isTypeOnly }: Import): string => `${from} -> ${to}${isTypeOnly ? ' (types)' : ''}`;

describe('imports between modules', () => {
  const steps = PRODUCT.flatMap(importsOf).filter(({ isFile }) => isFile);

  test('every file is in a module of the table', () => {
    expect(PRODUCT.filter(({ path }) => moduleOf(path) === undefined).map(({ path }) => path)).toEqual([]);
  });

  test('modules import what the table allows', () => {
    expect(steps.filter((step) => !isAllowed(step)).map(shown)).toEqual([]);
  });

  test('no files import each other, not even types, in a circle of any length', () => {
    let left = steps.map((step) => ({ ...step, from: step.from.replace(/\.\w+$/, '') }));
    for (let before = Number.POSITIVE_INFINITY; left.length < before; ) {
      before = left.length;
      const importers = new Set(left.map(({ from }) => from));
      // A file that imports none of the files that are left is in no circle.
      left = left.filter(({ to }) => importers.has(to));
    }
    expect(left.map(shown)).toEqual([]);
  });

  test('only the command line composes the whole', () => {
    const users = steps.filter((step) => step.to === 'app/compose').map(({ from }) => from);
    expect(users.filter((from) => !from.startsWith('adapters/cli/'))).toEqual([]);
  });

  test('the engine opens no sockets, files or databases', () => {
    const engine = PRODUCT.filter(({ path }) => /^src\//.test(path));
    const outside =
      /^(?:node:(?:fs|net|http|https|tls|dns|child_process|cluster|worker_threads)|postgres|fastify|ioredis)/;
    expect(
      engine
        .flatMap(importsOf)
        .filter(({ to }) => outside.test(to))
        .map(shown),
    ).toEqual([]);
  });
});

describe('size', () => {
  // A test file may be as long as its subject, because splitting it for its length alone would hide half of its cases.
  test('keeps files of code at 400 lines', () => {
    const long = CODE.filter(({ path, text }) => !/\.(?:test|suite)\.tsx?$/.test(path) && linesOf(text) > 400);
    expect(long.map(({ path, text }) => `${path}: ${linesOf(text)}`)).toEqual([]);
  });

  test('keeps folders at twenty files', () => {
    expect(longFolders(SOURCES)).toEqual([]);
  });

  // The bounds above alone would favour many small files.
  test('keeps few small files that only a neighbour imports', () => {
    expect(smallNeighbours(PRODUCT).length).toBeLessThanOrEqual(60);
  });
});

describe('timeouts', () => {
  test('gives AbortSignal.any no timeout that nothing else holds', () => {
    const lost = /AbortSignal\.any\(\[[^\]]*AbortSignal\.timeout/;
    expect(CODE.filter(({ text }) => lost.test(text)).map(({ path }) => path)).toEqual([]);
  });
});

describe('names', () => {
  test('files and folders are kebab-case', () => {
    const isKebab = (part: string): boolean => /^[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(part) || part === 'README.md';
    expect(SOURCES.map(({ path }) => path).filter((path) => !path.split('/').every(isKebab))).toEqual([]);
  });

  test('exports have names, except default exports that a tool requires', () => {
    const tools = /(?:\.config|\/global-setup)\.ts$/;
    expect(
      CODE.filter((source) => hasDefaultExport(source) && !tools.test(source.path)).map(({ path }) => path),
    ).toEqual([]);
  });
});

describe('tests', () => {
  test('requests every route in some test', () => {
    // Not in tests of commands, which price routes without requesting them.
    const texts = SOURCES.filter(({ path }) => /^test\/(?!checks\/|cli\/)/.test(path));
    const written = texts.flatMap(({ text }) => text.match(/\/v1\/[^\s'"`?#,)]+/g) ?? []);
    // Routes of lists are requested by the name of the list.
    const requested = [...written, ...ROWS.map(({ path }) => path.replace(/\?.*$/, ''))];
    const rowOf = (path: string) =>
      ROUTES.find((row) => new RegExp(`^${row.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`).test(path));
    const covered = new Set(requested.map((path) => rowOf(path)?.path));
    expect(ROUTES.filter(({ path }) => !covered.has(path)).map(({ path }) => path)).toEqual([]);
  });

  test('skip or single out nothing permanently', () => {
    const marks = /\b(?:test|it|describe)\.(?:only|skip|todo|fails)\b(?!If)/;
    const marked = CODE.filter(
      ({ path, text }) => path.startsWith('test/') && path !== 'test/checks/structure.test.ts' && marks.test(text),
    );
    // These helpers skip tests that need a browser, Redis, a disk or real answers if there is none, and say so.
    const helpers = [
      'kit/browser/chromium',
      'kit/browser/firefox',
      'kit/redis/redis',
      'kit/postgres/small-disk',
      'networks/contract/shared',
    ];
    const isHelper = (path: string): boolean => helpers.some((name) => path === `test/${name}.ts`);
    expect(marked.map(({ path }) => path).filter((path) => !isHelper(path))).toEqual([]);
  });
});
