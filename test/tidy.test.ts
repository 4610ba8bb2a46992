/** The house keeps its order: who may import whom, how long a file may be, how things are called. */
import { describe, expect, test } from 'vitest';
import { ROUTES } from '../adapters/rest/routes.js';
import { ROWS } from './parity/rows.js';
import { functionsOf, hasDefaultExport, type Import, importsOf, isCode, readSources } from './support/sources.js';

const SOURCES = readSources();
const CODE = SOURCES.filter(isCode);
const HOUSE = CODE.filter(({ path }) => /^(?:app|src|schema|adapters)\//.test(path));

interface Room {
  /** What of it may be imported: rooms, single files, or all. */
  readonly may: readonly string[];
  /** And of these, types. */
  readonly types?: readonly string[];
}

const ALL = ['app', 'src', 'schema', 'adapters'];
const CORE = ['src/core', 'src/ports'];
const SECRETS = ['src/access/key', 'src/access/secret'];
const NETWORK = [...CORE, 'adapters/networks/search', 'adapters/networks/upstream'];
const ENGINE = ['src/access', 'src/read', 'src/metering', 'src/account', 'src/billing', 'src/sign-in'];
/** What callers share of a process, whichever door they come by. */
const SHARES = ['src/access/fair-share', 'src/access/places', 'src/access/processor-time'];
/** Pages and protocols for customers: over the account's own services, in the frame of all pages. */
const CUSTOMERS = [...CORE, 'src/account', 'src/billing', 'src/sign-in', 'src/oauth', 'adapters/http', 'adapters/site'];

/** "Who may import whom": the first row whose name a file's path begins with is its room. A room may import itself. */
const ROOMS: Readonly<Record<string, Room>> = {
  'src/core': { may: [] },
  'src/ports': { may: [], types: ['src/core'] },
  'src/access': { may: CORE },
  // Reads write lines on the receipt that they are given.
  'src/read': { may: CORE, types: ['src/metering'] },
  'src/metering': { may: CORE },
  'src/account': { may: [...CORE, ...SECRETS] },
  'src/billing': { may: CORE },
  'src/sign-in': { may: [...CORE, ...SECRETS] },
  'src/oauth': { may: [...CORE, ...SECRETS] },
  // The account and its billing are what resolvers are given.
  'src/serve': {
    may: [...CORE, 'src/access', 'src/metering', 'src/read', 'src/account'],
    types: ['src/billing'],
  },
  'src/config': { may: ['src/core', 'src/read/lifetimes'] },
  // The whole is put together here, and nowhere else.
  app: { may: ALL },
  schema: { may: ['src/core', 'src/read/subjects', 'src/account/account'], types: [...ENGINE, 'src/ports'] },
  'adapters/http': {
    may: ['src/core', 'src/serve', 'src/access/rate-headers', 'src/access/address', ...SHARES],
    types: ['src/ports', 'src/sign-in/sessions'],
  },
  'adapters/rest': { may: ['src/core', 'src/serve', 'schema', 'adapters/http', 'src/read/subjects'] },
  'adapters/graphql/graphiql': { may: ['src/core', 'adapters/site'], types: ['adapters/http'] },
  'adapters/graphql': { may: ['src/core', 'src/serve', 'schema', 'adapters/http'] },
  // A tool takes and answers what its endpoint does.
  'adapters/mcp': { may: ['src/core', 'src/serve', 'schema', 'adapters/http', 'adapters/rest'] },
  'adapters/metrics': { may: ['src/core', 'adapters/http'], types: ['src/read/pool/health'] },
  'adapters/telemetry': { may: [...CORE, 'adapters/http'] },
  'adapters/site': { may: ['src/core', 'adapters/http'] },
  'adapters/postgres': { may: CORE },
  'adapters/redis': { may: CORE },
  'adapters/memory': { may: CORE },
  'adapters/stripe': { may: CORE },
  'adapters/mail': { may: CORE },
  'adapters/client-documents': { may: CORE },
  'adapters/oauth': { may: CUSTOMERS },
  'adapters/sign-in': { may: CUSTOMERS },
  // Passkeys are shown where sessions are.
  'adapters/dashboard': { may: [...CUSTOMERS, 'adapters/sign-in'] },
  // What networks have in common: the grammar of searches, and HTTP.
  'adapters/networks/search': { may: CORE },
  'adapters/networks/upstream': { may: CORE },
  'adapters/networks/corpus': { may: [...CORE, 'adapters/networks/search'] },
  'adapters/networks/bluesky': { may: NETWORK },
  'adapters/networks/x': { may: NETWORK },
  'adapters/networks/mastodon': { may: NETWORK },
  // Commands for operators: they open the stores themselves.
  'adapters/cli': { may: ALL },
};

const isIn = (path: string, room: string): boolean =>
  path === room || path.startsWith(`${room}/`) || path.startsWith(`${room}.`);

const roomOf = (path: string): string | undefined => Object.keys(ROOMS).find((room) => isIn(path, room));

function isAllowed({ from, to, isTypeOnly }: Import): boolean {
  const room = roomOf(from);
  if (room === undefined) return false;
  const { may, types = [] } = ROOMS[room] ?? { may: [] };
  return [room, ...may, ...(isTypeOnly ? types : [])].some((target) => isIn(to, target));
}

const shown = ({ from, to, isTypeOnly }: Import): string => `${from} -> ${to}${isTypeOnly ? ' (types)' : ''}`;

describe('who may import whom', () => {
  const steps = HOUSE.flatMap(importsOf).filter(({ isFile }) => isFile);

  test('every file is in a room of the table', () => {
    expect(HOUSE.filter(({ path }) => roomOf(path) === undefined).map(({ path }) => path)).toEqual([]);
  });

  test('rooms import what the table allows', () => {
    expect(steps.filter((step) => !isAllowed(step)).map(shown)).toEqual([]);
  });

  test('the whole is built by the command line alone', () => {
    const users = steps.filter((step) => step.to === 'app/compose').map(({ from }) => from);
    expect(users.filter((from) => !from.startsWith('adapters/cli/'))).toEqual([]);
  });

  test('the engine opens no sockets, files or databases', () => {
    const engine = HOUSE.filter(({ path }) => /^src\//.test(path));
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
  const linesOf = (text: string): number => text.trimEnd().split('\n').length;

  test('no file has more than 300 lines', () => {
    const long = CODE.filter(({ text }) => linesOf(text) > 300);
    expect(long.map(({ path, text }) => `${path}: ${linesOf(text)}`)).toEqual([]);
  });

  test('no function has more than 60 lines', () => {
    const long = HOUSE.flatMap(functionsOf).filter(({ lines }) => lines > 60);
    expect(long.map(({ name, lines }) => `${name}: ${lines}`)).toEqual([]);
  });
});

describe('names', () => {
  test('files and folders are kebab-case', () => {
    const isKebab = (part: string): boolean => /^[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(part) || part === 'README.md';
    expect(SOURCES.map(({ path }) => path).filter((path) => !path.split('/').every(isKebab))).toEqual([]);
  });

  test('exports have names; only what a tool asks for by default has none', () => {
    const tools = /(?:\.config|\/global-setup)\.ts$/;
    expect(
      CODE.filter((source) => hasDefaultExport(source) && !tools.test(source.path)).map(({ path }) => path),
    ).toEqual([]);
  });
});

describe('tests', () => {
  test('every route is asked for in some test', () => {
    // What a command prices is not asked for.
    const texts = SOURCES.filter(({ path }) => /^test\/(?!tidy|cli\/)/.test(path));
    const written = texts.flatMap(({ text }) => text.match(/\/v1\/[^\s'"`?#,)]+/g) ?? []);
    // Those of lists are asked for by name of the list.
    const asked = [...written, ...ROWS.map(({ path }) => path.replace(/\?.*$/, ''))];
    const rowOf = (path: string) =>
      ROUTES.find((row) => new RegExp(`^${row.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`).test(path));
    const covered = new Set(asked.map((path) => rowOf(path)?.path));
    expect(ROUTES.filter(({ path }) => !covered.has(path)).map(({ path }) => path)).toEqual([]);
  });

  test('none is left out or singled out for good', () => {
    const marks = /\b(?:test|it|describe)\.(?:only|skip|todo|fails)\b(?!If)/;
    const marked = CODE.filter(
      ({ path, text }) => path.startsWith('test/') && path !== 'test/tidy.test.ts' && marks.test(text),
    );
    // These helpers leave out what needs a browser, Redis, a disk or real answers where there is none, and say so.
    const helpers = ['support/chromium', 'support/redis', 'support/small-disk', 'networks/contract/shared'];
    const isHelper = (path: string): boolean => helpers.some((name) => path === `test/${name}.ts`);
    expect(marked.map(({ path }) => path).filter((path) => !isHelper(path))).toEqual([]);
  });
});
