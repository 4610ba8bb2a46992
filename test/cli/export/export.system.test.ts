/** `perch export` against a service on the demo network: every list, the formats, the budget, and refusals. */
import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CELEBRATED_TWEET_ID, COMET_THREAD_ID, DEMO_HANDLES } from '../../../demo/entry-points.js';
import { openRelay } from '../support/export-relay.js';
import { exporting, idsOf, linesIn, linesOf } from '../support/export-support.js';
import { PERCH } from '../support/support.js';

const SLOW_MS = 120_000;
const here = exporting();
const OBSERVATORY = `@${DEMO_HANDLES.observatory}`;

/** The records of RFC 4180 text, field by field. An empty field is null, a quoted one is text. */
function csvRecords(text: string): (string | null)[][] {
  const records: (string | null)[][] = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  let at = 0;
  for (let match = field.exec(text); match !== null; match = field.exec(text)) {
    const [, quoted, plain = '', end] = match;
    records.at(-1)?.push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'));
    if (end === '\r\n') records.push([]);
    at = field.lastIndex;
  }
  expect(at).toBe(text.length);
  return records.slice(0, -1);
}

/** The value of a CSV field for a JSON value. Lists and objects are JSON text. */
const asField = (value: unknown): string | null => {
  if (value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

const LISTS: readonly (readonly [words: readonly string[], unit: number])[] = [
  [['followers', OBSERVATORY], 0.1],
  [['following', OBSERVATORY], 0.1],
  [['follower-ids', OBSERVATORY], 0.02],
  [['tweets', OBSERVATORY], 1],
  [['thread', COMET_THREAD_ID], 1],
  [['replies', COMET_THREAD_ID], 1],
  [['quotes', CELEBRATED_TWEET_ID], 1],
  [['retweeters', CELEBRATED_TWEET_ID], 0.5],
  [['search', 'comet'], 1],
  [['search', 'harbor', '--product', 'People'], 1],
];

test.each(LISTS.map(([words, unit]) => [words.join(' '), words, unit] as const))(
  'writes a line for each charged item of %s, each once',
  { timeout: SLOW_MS },
  async (name, words, unit) => {
    const file = here.file(`${name.replaceAll(/\W+/g, '-')}.ndjson`);
    // Reads fresh, so that every item has the double price and the sum shows how many were charged.
    const summary = await here.summary(...words, '--max-credits', '300', '--limit', '230', '--fresh', '--out', file);
    const ids = idsOf(await linesOf(file));
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
    expect(summary.items).toBe(ids.length);
    expect(summary.credits_spent).toBeCloseTo(2 * unit * ids.length, 6);
    expect(summary.credits_spent).toBeLessThanOrEqual(300);
    expect(['complete', 'limit', 'max_credits']).toContain(summary.end);
  },
);

describe('formats', () => {
  const words = ['tweets', OBSERVATORY, '--max-credits', '400', '--limit', '130'];

  test('write the same values as CSV and NDJSON, in the order of the interface', { timeout: SLOW_MS }, async () => {
    await here.summary(...words, '--out', here.file('a.ndjson'));
    await here.summary(...words, '--out', here.file('a.csv'));
    const rows = await linesOf(here.file('a.ndjson'));
    const [head = [], ...records] = csvRecords(await readFile(here.file('a.csv'), 'utf8'));
    expect(head.slice(0, 5)).toEqual(['id', 'text', 'lang', 'created_at', 'author_id']);
    expect(rows.flatMap((row) => Object.keys(row)).filter((name) => !head.includes(name))).toEqual([]);
    expect(records).toEqual(rows.map((row) => head.map((name) => asField(row[name ?? '']) || null)));
  });

  test('write the same values as Parquet and NDJSON, with types', { timeout: SLOW_MS }, async () => {
    await here.summary(...words, '--out', here.file('b.ndjson'));
    const { end, state } = await here.summary(...words, '--out', here.file('b.parquet'));
    expect({ end, state }).toEqual({ end: 'limit', state: here.file('b.parquet.perch-state.json') });
    const file = await asyncBufferFromFile(here.file('b.parquet'));
    const rows = await parquetReadObjects({ file });
    const plain = rows.map((row) =>
      Object.fromEntries(
        Object.entries(row)
          .filter(([, value]) => value !== null && value !== undefined)
          .map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
      ),
    );
    expect(JSON.parse(JSON.stringify(plain))).toEqual(await linesOf(here.file('b.ndjson')));
    const { schema } = await parquetMetadataAsync(file);
    const types = Object.fromEntries(schema.map(({ name, type, converted_type }) => [name, converted_type ?? type]));
    expect(types).toMatchObject({
      id: 'UTF8',
      created_at: 'TIMESTAMP_MILLIS',
      likes: 'INT64',
      is_reply: 'BOOLEAN',
      author: 'JSON',
    });
  });

  test('have their columns for ids alone and for no items as well', { timeout: SLOW_MS }, async () => {
    await here.summary(
      'follower-ids',
      OBSERVATORY,
      '--max-credits',
      '1',
      '--limit',
      '2',
      '--out',
      here.file('ids.csv'),
    );
    expect(await readFile(here.file('ids.csv'), 'utf8')).toMatch(/^id\r\n\d+\r\n\d+\r\n$/);
    const none = ['search', 'zzznothingzzz', '--max-credits', '1'];
    expect(await here.summary(...none, '--out', here.file('none.csv'))).toMatchObject({ items: 0, credits_spent: 0 });
    expect(await readFile(here.file('none.csv'), 'utf8')).toMatch(/^id,text,/);
    await here.summary(...none, '--out', here.file('none.parquet'));
    expect(await parquetReadObjects({ file: await asyncBufferFromFile(here.file('none.parquet')) })).toEqual([]);
  });
});

test('writes rows to standard output and the summary to standard error if there is no terminal', {
  timeout: SLOW_MS,
}, async () => {
  const ran = await here.run('followers', OBSERVATORY, '--max-credits', '5', '--fresh');
  expect(linesIn(ran.stdout)).toHaveLength(25);
  expect(ran).toMatchObject({ code: 0, stderr: '25 items for 5 credits: --max-credits spent.\n' });
});

test('resumes when appended to a file with >>, and refuses to resume with >', { timeout: SLOW_MS }, async () => {
  const file = here.file('shell.ndjson');
  const sh = (to: string, limit: number) =>
    promisify(execFile)(
      'sh',
      [
        '-c',
        `"${process.execPath}" "${PERCH}" export follower-ids ${OBSERVATORY} --max-credits 50 --limit ${limit} --state "${file}.state" ${to} "${file}"`,
      ],
      { env: { ...process.env, PERCH_HOME: here.cli.home, PERCH_KEY: here.key, PERCH_BASE_URL: here.url } },
    );
  await sh('>', 250);
  await writeFile(file, 'what was written after the state', { flag: 'a' });
  await sh('>>', 450);
  const ids = idsOf(await linesOf(file));
  expect([ids.length, new Set(ids).size]).toEqual([450, 450]);
  await expect(sh('>', 500)).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('resume with >>') });
});

test('says once that ids of more than 63 bits cannot be imported (I15)', { timeout: SLOW_MS }, async () => {
  const relay = await openRelay(here.url);
  onTestFinished(() => relay.close());
  const ids = ['9223372036854775807', '9223372036854775808', '9223372036854775809'];
  relay.before = () => ({ status: 200, body: JSON.stringify({ data: ids, credits_charged: 0.06 }) });
  const words = ['follower-ids', OBSERVATORY, '--max-credits', '1', '--url', relay.url];
  const ran = await here.run(...words, '--out', here.file('wide.ndjson'));
  expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('"perch import" cannot read this export') });
  expect(ran.stderr.match(/63 bits/g)).toHaveLength(1);
  relay.before = () => undefined;
  const fitting = await here.run(...words, '--limit', '5', '--out', here.file('narrow.ndjson'));
  expect(fitting).toMatchObject({ code: 0, stderr: expect.not.stringContaining('63 bits') });
});

test('waits as long as a 429 says, and stops waiting on Ctrl-C', { timeout: SLOW_MS }, async () => {
  const relay = await openRelay(here.url);
  const busy = {
    status: 429,
    headers: { 'retry-after': '2' },
    body: '{"error":{"code":"rate_limited","message":"Slower."}}',
  };
  try {
    let refused = 0;
    relay.before = () => {
      refused += 1;
      return refused === 1 ? busy : undefined;
    };
    const ran = await here.run('follower-ids', OBSERVATORY, '--max-credits', '2', '--limit', '3', '--url', relay.url);
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('waiting 2 s: Slower.') });

    const started = here.start(['follower-ids', OBSERVATORY, '--max-credits', '2', '--url', relay.url]);
    relay.before = () => {
      setTimeout(() => started.process.kill('SIGINT'), 100);
      return { ...busy, headers: { 'retry-after': '100' } };
    };
    expect(await started.end).toMatchObject({ code: 130, stdout: '' });
  } finally {
    await relay.close();
  }
});

describe('an end without credits', () => {
  const account = async (credits: string) =>
    (await here.cli.json<{ key: string }>('account', 'create', '--name', 'p', '--qps', '1000', '--credits', credits))
      .key;

  test('is exit code 1 if the wallet is empty, with all paid rows written', { timeout: SLOW_MS }, async () => {
    const file = here.file('poor.ndjson');
    const words = ['followers', OBSERVATORY, '--max-credits', '500', '--fresh', '--out', file];
    const ran = await here.start(words, { PERCH_KEY: await account('30') }).end;
    expect(ran).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the wallet is empty; run the same command to resume'),
    });
    expect(await linesOf(file)).toHaveLength(150);
  });
});

describe('explains an immediate failure and leaves no file', () => {
  const file = () => here.file('never.ndjson');
  const words = (what = OBSERVATORY): string[] => ['followers', what, '--max-credits', '5', '--out', file()];

  test.each<[string, () => string[], Record<string, string>, number, RegExp]>([
    ['a bad key', () => words(), { PERCH_KEY: `perch_live_${'x'.repeat(32)}` }, 1, /key/i],
    ['a key that is none', () => words(), { PERCH_KEY: 'a b' }, 2, /PERCH_KEY does not contain a key/],
    ['a key file that is not there', () => [...words(), '--key-file', '/nowhere'], {}, 2, /\/nowhere cannot be read/],
    ['an unknown handle', () => words('@nobody_sits_here'), {}, 1, /nobody_sits_here/],
    [
      'no key for another machine',
      () => [...words(), '--url', 'http://perch.invalid'],
      { PERCH_KEY: '' },
      2,
      /no API key: set PERCH_KEY/,
    ],
    ['a folder that is not there', () => [...words().slice(0, -1), '/nowhere/f'], {}, 2, /cannot be written/],
    ['a state in a folder that is not there', () => [...words(), '--state', '/nowhere/s'], {}, 2, /cannot be written/],
    ['one file for rows and state', () => [...words(), '--state', file()], {}, 2, /must be different files/],
    ['a file of another kind', () => [...words().slice(0, -1), here.file('f.xlsx')], {}, 2, /\.xlsx is not .*--format/],
    ['not a tweet', () => ['replies', '@a', '--max-credits', '5'], {}, 2, /requires the numeric id of a tweet/],
    [
      'parquet without a file',
      () => [...words().slice(0, -2), '--format', 'parquet'],
      {},
      2,
      /parquet requires a file: use --out/,
    ],
    ['a query that cannot be read', () => ['search', 'from:', '--max-credits', '5'], {}, 2, /character 6/],
  ])('%s', { timeout: SLOW_MS }, async (_, given, env, code, says) => {
    const ran = await here.start(given(), env).end;
    expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(says) });
    await expect(stat(file())).rejects.toThrow('ENOENT');
    await expect(stat(`${file()}.perch-state.json`)).rejects.toThrow('ENOENT');
    await expect(stat(`${file()}.perch-lock`)).rejects.toThrow('ENOENT');
  });

  test('no service', { timeout: SLOW_MS }, async () => {
    const { url, close } = await openRelay(here.url);
    await close();
    const ran = await here.run(...words(), '--url', url);
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(`cannot connect to ${url}`) });
    await expect(stat(file())).rejects.toThrow('ENOENT');
  });
});
