/** Full disks, closed pipes, lost services, awkward texts: the output stays whole, and the export can be resumed. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Summary } from '../../../adapters/cli/export/summary.js';
import { describeOnSmallDisk } from '../../kit/postgres/small-disk.js';
import { openRelay, type Relay } from '../support/export-relay.js';
import { exporting, idsOf, linesIn, linesOf } from '../support/export-support.js';
import { until } from '../support/service.js';

const SLOW_MS = 120_000;
const here = exporting();

let relay: Relay;
beforeEach(async () => {
  relay = await openRelay(here.url);
});
afterEach(() => relay.close());

const FOLLOWERS = ['followers', '@harbor_obs', '--max-credits', '500', '--limit', '700'];
const IDS = ['follower-ids', '@harbor_obs', '--max-credits', '50'];

describe('a disk that is full', () => {
  // No file of these runs may be larger than this number of blocks.
  const SMALL = 'ulimit -f 200;';

  test.each<[string, string, string[]]>([
    ['a file', '"$@"', ['--out']],
    ['standard output', '"$@" > "$FILE"', ['--state']],
  ])(
    'leaves whole rows in %s, and lets the export resume once there is space',
    { timeout: SLOW_MS },
    async (name, line, option) => {
      const file = here.file(`full-${name.replace(' ', '-')}.ndjson`);
      const words = [...FOLLOWERS, ...option, option[0] === '--out' ? file : `${file}.state`];
      const ran = await here.shell(`${SMALL} ${line}`, words, { FILE: file });
      expect(ran.code).toBe(1);
      expect(ran.stderr).toMatch(
        /^perch: \S+(?: output)? cannot be written \(EFBIG\); run the same command to resume\n$/,
      );
      const some = idsOf(await linesOf(file));
      expect(some.length).toBeGreaterThan(0);
      expect((await readFile(file, 'utf8')).endsWith('\n')).toBe(true);
      expect(await here.shell(line.replace('>', '>>'), words, { FILE: file })).toMatchObject({ code: 0 });
      const ids = idsOf(await linesOf(file));
      expect([ids.length, new Set(ids).size]).toEqual([700, 700]);
      expect(ids.slice(0, some.length)).toEqual(some);
    },
  );

  test('leaves a whole Parquet file or none', { timeout: SLOW_MS }, async () => {
    const file = here.file('full.parquet');
    const words = [...FOLLOWERS, '--out', file];
    expect(await here.shell(`${SMALL} "$@"`, words)).toMatchObject({ code: 1 });
    await expect(stat(file)).rejects.toThrow('ENOENT');
    // A folder with the name of the temporary file, so that the file cannot be written.
    await mkdir(`${file}.new`);
    expect(await here.shell('"$@"', words)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${file} cannot be written (EISDIR); run the same command to try again`),
    });
    await rmdir(`${file}.new`);
    expect(await here.shell('"$@"', words)).toMatchObject({ code: 0 });
    expect(await parquetReadObjects({ file: await asyncBufferFromFile(file) })).toHaveLength(700);
  });

  test.skipIf(!existsSync('/dev/full'))('is reported with what to do', { timeout: SLOW_MS }, async () => {
    const ran = await here.shell('"$@" > /dev/full', IDS);
    expect(ran).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'perch: standard output cannot be written (ENOSPC); no state was saved: to be able to resume, use --out, or --state and >>\n',
    });
  });
});

describeOnSmallDisk('a whole disk that is full', 1, (folder) => {
  test.each(['ndjson', 'csv', 'parquet'])(
    'breaks neither rows nor the state file: %s',
    { timeout: SLOW_MS },
    async (format) => {
      const file = join(folder(), `f.${format}`);
      const ballast = join(folder(), 'ballast');
      // Leaves so little space that rows of some 450 bytes do not fit.
      await writeFile(ballast, 'x'.repeat(900_000));
      const words = [...FOLLOWERS, '--out', file];
      expect(await here.run(...words)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/cannot be written \(ENOSPC\); run the same command to resume/),
      });
      await rm(ballast);
      expect(await here.summary(...words)).toMatchObject({ end: 'limit', items: 700, repeats: 0 });
      for (const name of await readdir(folder())) await rm(join(folder(), name));
    },
  );
});

test('ends without an error when the reader closes the pipe', { timeout: SLOW_MS }, async () => {
  const ran = await here.shell('{ "$@"; echo "ended with $?" >&2; } | head -n 1', FOLLOWERS);
  expect(linesIn(ran.stdout)).toHaveLength(1);
  expect(ran.stderr).toBe('ended with 0\n');
});

describe('a service that goes away in the middle', () => {
  test('is waited for if it comes back', { timeout: SLOW_MS }, async () => {
    const file = here.file('restart.ndjson');
    const started = here.start([...IDS, '--url', relay.url, '--out', file]);
    relay.after = ({ pages }) => (pages === 1 ? relay.down() : undefined);
    await until(() => started.said.stderr.includes('waiting 2 s: cannot connect to '), 'it waits', started);
    relay.after = () => {};
    await relay.up();
    expect(await started.end).toMatchObject({ code: 0 });
    const ids = idsOf(await linesOf(file));
    expect(relay.calls.flatMap(({ ids: read }) => read)).toEqual(ids);
  });

  test.each([
    ['with 500', 500, '{"error":{"code":"internal","message":"Broken."}}', /Broken; run the same command to resume/],
    [
      'with what is not from Perch',
      502,
      '<html>',
      /returned a response that is not from Perch \(HTTP 502\); run the same command to resume/,
    ],
  ])('ends the export, which can be resumed: %s', { timeout: SLOW_MS }, async (name, status, body, says) => {
    const words = [...IDS, '--url', relay.url, '--out', here.file(`${name.replaceAll(' ', '-')}.ndjson`)];
    relay.before = ({ pages }) => (pages === 2 ? { status, body } : undefined);
    expect(await here.run(...words)).toMatchObject({ code: 1, stderr: expect.stringMatching(says) });
    relay.before = () => undefined;
    const { items, end, credits_unsure } = await here.summary(...words);
    expect({ items, end }).toEqual({ items: new Set(relay.calls.flatMap(({ ids }) => ids)).size, end: 'complete' });
    // A call whose answer was lost may have been charged: 200 ids, at most 4 credits.
    expect(credits_unsure).toBe(status === 500 ? 0 : 4);
  });

  describe('a page whose charge is unknown', () => {
    const unknown = (requestId: string) => ({
      status: 503,
      // The answer of earlier versions of the service.
      headers: { 'retry-after': '1' },
      body: JSON.stringify({
        error: { code: 'upstream_error', message: 'Not known.', reason: 'charge_unknown' },
        request_id: requestId,
      }),
    });

    test('is looked up, counted and read again when it was charged', { timeout: SLOW_MS }, async () => {
      let lost = 0;
      relay.before = async ({ pages, address }) => {
        if (pages !== 1 || lost > 0) return undefined;
        const read = await fetch(address, { headers: { 'x-api-key': here.key } });
        const { request_id, credits_charged } = (await read.json()) as { request_id: string; credits_charged: number };
        lost = credits_charged;
        return unknown(request_id);
      };
      const words = [...IDS, '--url', relay.url, '--out', here.file('charge-unknown.ndjson'), '--json'];
      const ran = await here.run(...words);
      const { end, credits_spent, credits_unsure } = JSON.parse(ran.stdout) as Summary;
      const delivered = relay.calls.reduce((sum, { charged }) => sum + charged, 0);
      expect(lost).toBeGreaterThan(0);
      expect({ end, credits_unsure, spent: credits_spent.toFixed(3) }).toEqual({
        ...{ end: 'complete', credits_unsure: 0, spent: (delivered + lost).toFixed(3) },
      });
      expect(ran.stderr).toContain(`a page that did not arrive was charged ${lost} credits; reading it again`);
    });

    test('counts at its maximum cost until there is a receipt', { timeout: SLOW_MS }, async () => {
      relay.before = () => unknown('0195a000-0000-7000-8000-000000000000');
      const words = ['follower-ids', '@harbor_obs', '--max-credits', '4', '--url', relay.url, '--json'];
      const ran = await here.run(...words, '--out', here.file('never-charged.ndjson'));
      expect(JSON.parse(ran.stdout)).toMatchObject({ end: 'max_credits', credits_spent: 0, credits_unsure: 4 });
      expect(ran.stderr).toContain('a page did not arrive and may have been charged');
    });
  });

  test('is read again after a 503 that says when', { timeout: SLOW_MS }, async () => {
    const body = '{"error":{"code":"upstream_error","message":"The network is away."}}';
    let refused = 0;
    relay.before = () => {
      refused += 1;
      return refused === 1 ? { status: 503, headers: { 'retry-after': '2' }, body } : undefined;
    };
    const ran = await here.run(...IDS, '--limit', '3', '--url', relay.url);
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('waiting 2 s: The network is away.') });
  });
});

describe('texts', () => {
  const TEXTS = ['one\u2028line\u2029still', '=cmd|"/c calc"!A0', '+1, "quoted"', '@a\r\nb', '-2\n', '\ttab', ''];
  const tweets = TEXTS.map((text, at) => ({
    id: String(at + 1),
    text,
    likes: at,
    media: [{ type: 'photo', url: text }],
  }));

  beforeEach(() => {
    relay.before = ({ query }) => {
      const [at, count] = [Number(query.get('cursor') ?? 0), Number(query.get('count'))];
      const next = at + count < tweets.length ? { next_cursor: String(at + count) } : {};
      const data = tweets.slice(at, at + count);
      return { status: 200, body: JSON.stringify({ data, credits_charged: data.length, ...next }) };
    };
  });
  const words = (name: string) => [
    'tweets',
    '@harbor_obs',
    '--max-credits',
    '50',
    '--url',
    relay.url,
    '--out',
    here.file(name),
  ];

  test.each(['ndjson', 'parquet'])(
    'stay unchanged, even when an export is resumed: %s',
    { timeout: SLOW_MS },
    async (format) => {
      const file = `texts.${format}`;
      await here.summary(...words(file), '--limit', '2', '--count', '2');
      expect(await here.summary(...words(file), '--count', '2')).toMatchObject({
        end: 'complete',
        items: tweets.length,
      });
      const rows =
        format === 'ndjson'
          ? await linesOf(here.file(file))
          : await parquetReadObjects({
              file: await asyncBufferFromFile(here.file(file)),
              columns: ['id', 'text', 'media'],
            });
      expect(rows).toEqual(
        rows.map((_, at) => expect.objectContaining({ id: String(at + 1), text: TEXTS[at], media: tweets[at]?.media })),
      );
      expect(rows).toHaveLength(tweets.length);
    },
  );

  test('are not altered for spreadsheets in CSV', { timeout: SLOW_MS }, async () => {
    await here.summary(...words('texts.csv'), '--limit', '2', '--count', '2');
    await here.summary(...words('texts.csv'), '--count', '2');
    const text = await readFile(here.file('texts.csv'), 'utf8');
    for (const cell of [TEXTS[0], '"=cmd|""/c calc""!A0"', '"+1, ""quoted"""', '"@a\r\nb"', '"-2\n"', '\ttab']) {
      expect(text).toContain(`,${cell},`);
    }
    expect(text.match(/^\d+,/gm)).toHaveLength(tweets.length);
  });
});

/** `script` of util-linux gives a command a terminal of its own. */
const hasScript = process.platform === 'linux' && spawnSync('sh', ['-c', 'command -v script']).status === 0;

describe.skipIf(!hasScript)(
  `on a terminal${hasScript ? '' : ' [left out: no script of util-linux on the PATH]'}`,
  () => {
    const onTerminal = (line: string, words: readonly string[], file: string) =>
      here.shell(`script -qec "'$1' '$2' $3 ${words.join(' ')} ${line}" /dev/null`, [], { FILE: file });

    test('shows what is spent in a bar without colours, with the summary below it', {
      timeout: SLOW_MS,
    }, async () => {
      const file = here.file('bar.ndjson');
      const { stdout } = await onTerminal('--out $FILE', [...IDS, '--fresh', '--limit', '600'], file);
      expect(stdout).toMatch(/Exporting █.*600 items, 24 of 50 credits/);
      expect(stdout).toMatch(/\n600 items in .* for 24 credits: --limit reached/);
      expect(stdout).not.toContain('\u001b[3');
    });

    test('fills the bar at the end of a timeline, whatever budget is left', { timeout: SLOW_MS }, async () => {
      const file = here.file('timeline.ndjson');
      const words = ['tweets', '@harbor_obs', '--max-credits', '5000', '--limit', '100'];
      const { stdout } = await onTerminal('--out $FILE', words, file);
      expect(stdout).toMatch(/Exporting █{30} 100% 100 items, \d+ of 5,000 credits/);
    });

    test('shows no bar between rows', { timeout: SLOW_MS }, async () => {
      const { stdout } = await onTerminal('', [...IDS, '--limit', '600'], '');
      expect(stdout.match(/^\{"id"/gm)).toHaveLength(600);
      expect(stdout).not.toContain('Exporting');
    });
  },
);

test('says so if the budget is below the price of one item', { timeout: SLOW_MS }, async () => {
  const ran = await here.run('followers', '@harbor_obs', '--max-credits', '0.01', '--out', here.file('tiny.ndjson'));
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('--max-credits does not cover one item') });
});
