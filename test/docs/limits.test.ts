/** docs/limits.md lists every bound, with its value in the code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/config/settings.js';
import { MEMORIES, memoryRows } from '../../src/lib/memory-table.js';
import { isCode, readSources } from '../kit/sources.js';
import { boundsIn, writtenAs } from './bounds.js';
import { codeIn, ROOT } from './readme/markdown.js';

const PAGE = join(ROOT, 'docs/limits.md');

/** Code that callers of the service cannot reach, such as the demo network. */
const APART = [
  /^adapters\/cli\//,
  /^adapters\/networks\/corpus\/demo\//,
  /^src\/config\//,
  // docs/networks.md has the limits that networks set.
  /^adapters\/networks\/(?:bluesky|mastodon|x)\//,
  /^adapters\/networks\/upstream\/rate-headers/,
];

/** Constants that are named like a bound of the service but are not one, each with the reason. */
const NO_BOUNDS: Readonly<Record<string, string>> = {
  'adapters/networks/corpus/import/files/archive.ts MAX_PREFIX_BYTES': 'where the beginning of a script is looked for',
  'adapters/networks/corpus/import/summary.ts FAULTS_KEPT': 'all are counted, and reported as they are found',
  'src/account/deliveries.ts MOST_FAILURES': 'of the mail server, before it is left alone',
  'src/account/deliveries.ts KEPT_MS': 'told with those of a run',
  'src/sign-in/safe-next.ts LONGEST': 'where to go on after signing in: longer is the dashboard',
  'src/sign-in/sessions.ts LONGEST_MS': 'how long a session lasts: docs/security.md',
  'src/sign-in/sessions.ts KEPT_MS': 'how long an ended session is shown',
  'src/lib/digest.ts LONGEST_NAME': 'longer keys are digests',
  'src/lib/quota-set.ts DROPPED_SHARE': 'how much is dropped at once where a memory is full',
  'src/lib/fair-log.ts DROPPED_SHARE': 'how much is dropped at once where a memory is full',
  'src/documents/limits.ts MOST': 'where counting ends',
  'adapters/postgres/embedded/launcher.ts PATIENCE_MS': 'how long another process may take to start the server',
  'adapters/postgres/embedded/launcher.ts PATIENCE_STEP_MS': 'the same',
  'adapters/postgres/embedded/launcher.ts PATIENCE_STEPS': 'the same',
  'adapters/postgres/ledger/ledger-check.ts MOST_FAULTS': 'that a command names',
  'adapters/postgres/retry.ts LONGEST_DELAY_MS': 'between two tries of a statement',
  'adapters/postgres/ledger/maintenance.ts LONGEST_RUN_MS': 'of one round of housekeeping',
  'adapters/postgres/ledger/sums.ts MOST_AGAIN': 'of one round of housekeeping',
  'src/account/webhook-sender.ts MOST_ROUNDS': 'looks in a row: the next ones go on',
  'adapters/redis/client.ts LONGEST_BACKOFF_MS': 'between two tries to connect',
  'adapters/redis/tombstones/shown-names.ts MOST_LOOKS': 'at the start',
  'adapters/stripe/payments.ts MOST': 'of a list that is asked of Stripe',
  'adapters/pages/graphiql/browser/transport.js PATIENCE_SECONDS': 'of a page',
};

/** Settings that change a bound. */
const BOUND_SETTING = /MAX|_MB$|_DEADLINE_|_PACE_|_TTL_|_LIMIT|_SHARE/;

const bounds = readSources(['app', 'src', 'schema', 'adapters'])
  .filter(isCode)
  .filter(({ path }) => !APART.some((room) => room.test(path)))
  .flatMap(boundsIn)
  .filter(({ where }) => !(where in NO_BOUNDS));

/** The rows of its tables. A row names its bounds between backquotes, such as `src/documents/limits.ts LIMITS.depth`. */
const rows = readFileSync(PAGE, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'));

const rowOf = (name: string): string | undefined => rows.find((row) => codeIn(row).includes(name));

describe('docs/limits.md', () => {
  it('has a row for every bound, with its value', () => {
    const missing = bounds.filter(({ where, value }) => {
      const row = rowOf(where)?.replaceAll(/`[^`]*`/g, '');
      return !writtenAs(value).some((figure) => row && isIn(row, figure));
    });
    expect(missing.map(({ where, value }) => `| … | ${value.toLocaleString('en-US')} | | … | \`${where}\` |`)).toEqual(
      [],
    );
  });

  it('has a row for every setting that changes a bound, with its default', () => {
    const missing = Object.entries(SETTINGS).filter(([name, setting]) => {
      if (!BOUND_SETTING.test(name)) return false;
      const row = rowOf(name);
      const usual = 'fallback' in setting ? setting.fallback : setting.unset;
      return row === undefined || !(row.includes(usual) || row.includes(Number(usual).toLocaleString('en-US')));
    });
    expect(missing.map(([name]) => name)).toEqual([]);
  });

  it('describes every memory as the code does', () => {
    const isDocumented = (texts: readonly string[]): boolean =>
      rows.some((row) => texts.every((text) => row.includes(text)));
    const missing = memoryRows().filter(({ name, contents: holds, limit, beyond }) =>
      name in MEMORIES ? !isDocumented([name, holds, limit, beyond]) : !isDocumented([limit.replace(/\.$/, '')]),
    );
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it('lists only bounds that the code has', () => {
    const known = new Set(bounds.map(({ where }) => where));
    const documented = rows.flatMap(codeIn).filter((code) => /^(?:app|src|schema|adapters)\/\S+ [A-Z]/.test(code));
    expect(documented.filter((where) => !known.has(where))).toEqual([]);
  });
});

/** Whether the row has the figure on its own, not as a part of a longer one. */
const isIn = (row: string, figure: string): boolean =>
  new RegExp(`(?<![\\d.,])${figure.replaceAll('.', '\\.')}(?![\\d]|[.,]\\d)`).test(row);

describe('the bounds of the code', () => {
  it('are found by their names, also inside objects', () => {
    const text =
      'const MIB = 1024 * 1024;\nexport const MOST_WAITING = 1_000;\nconst LIMITS = { depth: 10, bytes: 4 * MIB } as const;';
    expect(boundsIn({ path: 'src/a.ts', text })).toEqual([
      { where: 'src/a.ts MOST_WAITING', value: 1000 },
      { where: 'src/a.ts LIMITS.depth', value: 10 },
      { where: 'src/a.ts LIMITS.bytes', value: 4 * 1024 * 1024 },
    ]);
    expect(bounds.length).toBeGreaterThan(20);
  });
});
