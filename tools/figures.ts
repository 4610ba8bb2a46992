/** Prints the size and shape of the code next to the agreed limits: `npm run figures`. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import {
  functionsOf,
  isCode,
  linesOf,
  longFolders,
  readSources,
  type Source,
  smallNeighbours,
} from '../test/kit/sources.js';

const SOURCES = readSources(
  ['app', 'src', 'schema', 'adapters', 'demo', 'test'].filter((folder) => existsSync(folder)),
);
const isTest = ({ path }: Source): boolean => path.startsWith('test/');
const PRODUCT = SOURCES.filter((source) => !isTest(source) && /\.(?:ts|tsx|js|mjs|css|sql)$/.test(source.path));
const CODE = PRODUCT.filter(isCode);

const sumOf = (sources: readonly Source[]): number => sources.reduce((sum, source) => sum + linesOf(source.text), 0);

/** Names that more than one file exports. Not counted in a `.d.ts`, which repeats those of its script. */
function exportedTwice(): string[] {
  const files = new Map<string, Set<string>>();
  for (const { path, text } of CODE.filter((source) => !source.path.endsWith('.d.ts'))) {
    for (const [, name = ''] of text.matchAll(
      /^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm,
    )) {
      files.set(name, (files.get(name) ?? new Set()).add(path));
    }
  }
  return [...files].filter(([, paths]) => paths.size > 1).map(([name]) => name);
}

const countOf = (pattern: RegExp): number =>
  CODE.reduce((sum, { text }) => sum + (text.match(pattern)?.length ?? 0), 0);

/** Of the last 60 commits. */
function longSubjects(): number {
  const subjects = execFileSync('git', ['log', '--no-merges', '-60', '--format=%s'], { encoding: 'utf8' })
    .trim()
    .split('\n');
  return subjects.filter((subject) => subject.length > 72).length;
}

/** Except V8, which means the engine. */
const decisions = [...readFileSync('docs/decisions.md', 'utf8').matchAll(/^\| ([A-Z]\d+) \|/gm)]
  .map(([, id]) => id)
  .filter((id) => id !== 'V8');
const harness = SOURCES.filter((source) => isTest(source) && isCode(source) && !/\.test\.tsx?$/.test(source.path));
const testFolders = new Set(SOURCES.filter(isTest).flatMap(({ path }) => path.match(/^test\/[^/]+(?=\/)/) ?? []));
const words = readFileSync('docs/glossary.md', 'utf8').match(/^\| [a-z ]+ \| .+ \|$/gm) ?? [];

const FIGURES: readonly (readonly [name: string, value: number, agreed: number])[] = [
  ['lines of the product', sumOf(PRODUCT), 61_500],
  ['files of the product', PRODUCT.length, 730],
  ['files of at most 20 lines', CODE.filter((source) => linesOf(source.text) <= 20).length, 60],
  ['files of at most 60 lines that only a neighbour imports', smallNeighbours(CODE).length, 60],
  ['folders of more than 20 files', longFolders(SOURCES).length, 0],
  ['citations of decisions', countOf(new RegExp(`\\b(?:${decisions.join('|')})\\b(?!:)`, 'g')), 250],
  ['names exported twice', exportedTwice().length, 60],
  ['functions called …Of', countOf(/(?:const|function) \w+Of\b(?= ?[=(<:])/g), 250],
  ['functions of more than 60 lines', CODE.flatMap(functionsOf).filter(({ lines }) => lines > 60).length, 10],
  ['words of the glossary', words.length, 40],
  ['folders of tests', testFolders.size, 16],
  ['lines of the test harness', sumOf(harness), 18_000],
  ['of the last 60 commit subjects, longer than 72 characters', longSubjects(), 0],
];

for (const [name, value, agreed] of FIGURES) {
  console.log(
    `${String(value).padStart(7)}  at most ${String(agreed).padStart(6)}  ${value > agreed ? 'ABOVE ' : '      '}${name}`,
  );
}
if (process.argv.includes('--list')) {
  console.log(
    ['', 'Folders:', ...longFolders(SOURCES), '', 'Small files with one neighbour:', ...smallNeighbours(CODE)].join(
      '\n',
    ),
  );
  console.log(['', 'Exported twice:', exportedTwice().join(' ')].join('\n'));
}
