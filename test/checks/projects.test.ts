/** The name of a test file says what it needs, so that the fast projects need only what npm installs. */
import { describe, expect, test } from 'vitest';
import { importsOf, isCode, readSources } from '../kit/sources.js';
import { LONG, ON_ONE_NODE, PROJECTS, type Project } from '../projects.js';

const SOURCES = readSources(['test', 'bench']).filter(isCode);
const IMPORTS = new Map(SOURCES.map((source) => [source.path.replace(/\.\w+$/, ''), importsOf(source)]));
const FILES = SOURCES.map(({ path }) => path).filter((path) => path.endsWith('.test.ts'));

/** Processes, browsers, Redis, and another Postgres than that of the run. */
const OUTSIDE = /^(?:node:child_process|node:cluster|playwright-core|ioredis|adapters\/postgres\/embedded\/launcher)$/;
const DATABASE = /^test\/kit\/postgres\/(?:locale-)?database$/;
/** Runs once, outside the tests. */
const SETUP = 'test/kit/global-setup';

const matches = (glob: string, path: string): boolean =>
  new RegExp(`^${glob.replaceAll('.', '\\.').replaceAll('*', '[^/]*').replaceAll('[^/]*[^/]*/', '(?:.*/)?')}$`).test(
    path,
  );

const projectsOf = (path: string): Project['name'][] =>
  PROJECTS.filter(
    ({ include, exclude }) =>
      include.some((glob) => matches(glob, path)) && !exclude.some((glob) => matches(glob, path)),
  ).map(({ name }) => name);

/** All files of the tests that a test imports, directly or through others. */
function reachOf(path: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [path.replace(/\.ts$/, '')];
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    for (const { to, isTypeOnly } of IMPORTS.get(from) ?? []) {
      if (isTypeOnly || to === SETUP || reached.has(to)) continue;
      reached.add(to);
      open.push(to);
    }
  }
  return reached;
}

/** The projects that a test may be in, given what it imports. Any test may be in `system`, merely because it takes long. */
function allowedFor(path: string): Project['name'][] {
  const reach = reachOf(path);
  if ([...reach].some((to) => OUTSIDE.test(to))) return ['system'];
  return [...reach].some((to) => DATABASE.test(to)) ? ['postgres', 'system'] : ['unit', 'checks', 'system'];
}

describe('every test file', () => {
  test('is in exactly one project', () => {
    expect(FILES.map((path) => [path, projectsOf(path)]).filter(([, names]) => names?.length !== 1)).toEqual([]);
  });

  test('uses no database, process or browser that the project of its name excludes', () => {
    const misplaced = FILES.filter((path) => !projectsOf(path).some((name) => allowedFor(path).includes(name)));
    const advice = misplaced.map((path) => `${path} reaches what belongs into: ${allowedFor(path).join(' or ')}`);
    expect(advice).toEqual([]);
  });

  test('is classified by what it imports', () => {
    expect(allowedFor('test/engine/ports/redis-cache.system.test.ts')).toEqual(['system']);
    expect(allowedFor('test/pages/dashboard/browser.system.test.ts')).toEqual(['system']);
    expect(allowedFor('test/cli/serve.system.test.ts')).toEqual(['system']);
    expect(allowedFor('test/interfaces/v1/me.postgres.test.ts')).toEqual(['postgres', 'system']);
    expect(allowedFor('test/engine/access/key.test.ts')).toEqual(['unit', 'checks', 'system']);
  });
});

test('leaves out on a second Node only existing files, and none of the tests in one process', () => {
  for (const glob of Object.values(ON_ONE_NODE).flat()) {
    const names = FILES.filter((path) => matches(glob, path)).flatMap(projectsOf);
    expect(names).not.toEqual([]);
    expect(names).not.toContain('unit');
  }
});

test('begins each project with existing files', () => {
  expect(LONG.filter((path) => !FILES.includes(path))).toEqual([]);
});
