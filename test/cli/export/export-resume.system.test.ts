/** An export that was interrupted continues without a repeat and without a gap. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openRelay, type Relay } from '../support/export-relay.js';
import { exporting, idsOf, linesOf } from '../support/export-support.js';

const SLOW_MS = 120_000;
const here = exporting();

let relay: Relay;
beforeEach(async () => {
  relay = await openRelay(here.url);
});
afterEach(() => relay.close());

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
const FOLLOWERS = ['followers', '@harbor_obs', '--max-credits', '500'];

/** The ids of an uninterrupted run. */
let whole: readonly string[];
beforeAll(async () => {
  const file = here.file('whole.ndjson');
  await here.summary(...FOLLOWERS, '--out', file);
  whole = idsOf(await linesOf(file));
}, SLOW_MS);

describe('after Ctrl-C in the middle', () => {
  test.each(['ndjson', 'csv', 'parquet'])(
    'keeps the page in progress, and fetches the rest once: %s',
    { timeout: SLOW_MS },
    async (format) => {
      const words = [...FOLLOWERS, '--url', relay.url, '--out', here.file(`int.${format}`)];
      const first = here.start(words);
      relay.before = ({ pages }) => void (pages === 2 && first.process.kill('SIGINT'));
      const ended = await first.end;
      expect(ended).toMatchObject({ code: 130, stderr: expect.stringContaining('run the same command to resume') });
      expect(ended.stdout).toContain('600 items');
      expect(relay.calls).toHaveLength(3);

      relay.before = () => undefined;
      const summary = await here.summary(...words);
      expect(summary).toMatchObject({
        end: 'complete',
        items: whole.length,
        repeats: 0,
        credits_unsure: 0,
        state: null,
      });
      // No page was requested twice.
      expect(relay.calls.flatMap(({ ids }) => ids)).toEqual(whole);
      expect(summary.credits_spent).toBeCloseTo(
        relay.calls.reduce((sum, { charged }) => sum + charged, 0),
        6,
      );
      if (format === 'ndjson') expect(idsOf(await linesOf(here.file('int.ndjson')))).toEqual(whole);
      for (const trace of ['perch-state.json', 'perch-rows.ndjson']) {
        expect(await isThere(here.file(`int.${format}.${trace}`))).toBe(false);
      }
    },
  );

  test('resumes an export to a pipe from a named state file', { timeout: SLOW_MS }, async () => {
    const words = [...FOLLOWERS, '--url', relay.url, '--state', here.file('stdout.json')];
    const first = here.start(words);
    relay.before = ({ pages }) => void (pages === 1 && first.process.kill('SIGINT'));
    const ended = await first.end;
    expect(ended.code).toBe(130);
    relay.before = () => undefined;
    const second = await here.start(words).end;
    expect(second.code).toBe(0);
    const ids = (ended.stdout + second.stdout)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).id);
    expect(ids).toEqual(whole);
  });
});

describe('after kill -9', () => {
  test.each(['ndjson', 'csv'])(
    'removes half a row, repeats nothing, and counts the lost answer as spent: %s',
    { timeout: SLOW_MS },
    async (format) => {
      const file = here.file(`kill.${format}`);
      const words = [...FOLLOWERS, '--url', relay.url, '--out', file];
      const first = here.start(words);
      relay.after = async ({ pages }) => {
        if (pages !== 2) return;
        first.process.kill('SIGKILL');
        await first.end;
      };
      await first.end;
      relay.after = () => {};
      await writeFile(file, `${await readFile(file, 'utf8')}{"id":"HALF`);

      const summary = await here.summary(...words);
      // A page of 200 profiles costs 20 credits at most.
      expect(summary).toMatchObject({ end: 'complete', items: whole.length, repeats: 0, credits_unsure: 20 });
      const text = await readFile(file, 'utf8');
      expect(text.includes('HALF')).toBe(false);
      const ids =
        format === 'ndjson'
          ? idsOf(await linesOf(file))
          : text
              .split('\r\n')
              .slice(1, -1)
              .map((line) => line.split(',')[0]);
      expect(ids).toEqual(whole);
    },
  );

  test('keeps the charges of all runs together within the budget, killed or not', { timeout: SLOW_MS }, async () => {
    const words = [
      'followers',
      '@harbor_obs',
      '--max-credits',
      '50',
      '--fresh',
      '--url',
      relay.url,
      '--out',
      here.file('tight.ndjson'),
    ];
    const first = here.start(words);
    relay.after = async () => {
      first.process.kill('SIGKILL');
      await first.end;
    };
    await first.end;
    relay.after = () => {};
    expect(await here.summary(...words)).toMatchObject({
      end: 'max_credits',
      items: 50,
      credits_spent: 10,
      credits_unsure: 40,
    });
    expect(relay.calls.reduce((sum, { charged }) => sum + charged, 0)).toBeLessThanOrEqual(50);
  });
});

test('resumes with a larger budget after the first is used up', { timeout: SLOW_MS }, async () => {
  const file = here.file('more.ndjson');
  const first = await here.summary('followers', '@harbor_obs', '--max-credits', '3.3', '--fresh', '--out', file);
  expect(first).toMatchObject({ end: 'max_credits', items: 16, credits_spent: 3.2 });
  const second = await here.summary('followers', '@harbor_obs', '--max-credits', '500', '--fresh', '--out', file);
  const ids = idsOf(await linesOf(file));
  expect(second).toMatchObject({ end: 'complete', items: ids.length });
  expect(ids).toEqual(whole);
});

test('resumes with another page size', { timeout: SLOW_MS }, async () => {
  const words = ['followers', '@harbor_obs', '--max-credits', '500', '--out', here.file('sizes.ndjson')];
  await here.summary(...words, '--count', '7', '--limit', '20');
  await here.summary(...words, '--count', '200', '--limit', '333');
  expect(await here.summary(...words)).toMatchObject({ end: 'complete', items: whole.length, repeats: 0 });
  expect(idsOf(await linesOf(here.file('sizes.ndjson')))).toEqual(whole);
});

test('omits an item that appears again because the list has moved', { timeout: SLOW_MS }, async () => {
  const page = (next?: string) => ({
    status: 200,
    body: JSON.stringify({
      data: ['1', next === undefined ? '3' : '2'],
      credits_charged: 0.04,
      ...(next && { next_cursor: next }),
    }),
  });
  relay.before = ({ query }) => page(query.has('cursor') ? undefined : 'c');
  const file = here.file('moved.ndjson');
  const summary = await here.summary(
    'follower-ids',
    '@harbor_obs',
    '--max-credits',
    '9',
    '--url',
    relay.url,
    '--out',
    file,
  );
  expect(summary).toMatchObject({ items: 3, repeats: 1, credits_spent: 0.08 });
  expect(idsOf(await linesOf(file))).toEqual(['1', '2', '3']);
});

describe('refuses to resume, and keeps the file, from', () => {
  const begun = async (name: string): Promise<string> => {
    const file = here.file(name);
    await here.summary('tweets', '@harbor_obs', '--max-credits', '3', '--out', file);
    return file;
  };

  test('the state of a different export', { timeout: SLOW_MS }, async () => {
    const file = await begun('other.ndjson');
    const ran = await here.run('tweets', '@brindle_wx', '--max-credits', '3', '--out', file);
    expect(ran).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('subject @harbor_obs, not @brindle_wx'),
    });
  });

  test('fresh rows after cached ones', { timeout: SLOW_MS }, async () => {
    const file = await begun('mixed.ndjson');
    const ran = await here.run('tweets', '@harbor_obs', '--max-credits', '9', '--fresh', '--out', file);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('fresh false, not true') });
  });

  test('a file without its state, a shortened file, or an invalid state', { timeout: SLOW_MS }, async () => {
    const words = ['tweets', '@harbor_obs', '--max-credits', '3'];
    const file = await begun('short.ndjson');
    await writeFile(file, '');
    expect(await here.run(...words, '--out', file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is shorter'),
    });
    await writeFile(`${file}.perch-state.json`, '{');
    expect(await here.run(...words, '--out', file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not an export state file'),
    });
    const own = here.file('own.ndjson');
    await writeFile(own, 'mine');
    expect(await here.run(...words, '--out', own)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('already exists'),
    });
    expect(await readFile(own, 'utf8')).toBe('mine');
  });

  test('a cursor that the service no longer accepts', { timeout: SLOW_MS }, async () => {
    const file = await begun('expired.ndjson');
    const state = JSON.parse(await readFile(`${file}.perch-state.json`, 'utf8'));
    await writeFile(`${file}.perch-state.json`, JSON.stringify({ ...state, cursor: 'bm90IG91cnM' }));
    const before = await readFile(file, 'utf8');
    const ran = await here.run('tweets', '@harbor_obs', '--max-credits', '9', '--out', file);
    expect(ran).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /cannot be resumed \(.*[^.]\)\. What .* to start over, remove .*state\.json and .*ndjson$/m,
      ),
    });
    expect(await readFile(file, 'utf8')).toBe(before);
  });
});
