/** Two exports never write the same file, and one that has died delays none where its process can be looked up. */

import { stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openRelay, type Relay } from '../support/export-relay.js';
import { exporting, idsOf, linesOf } from '../support/export-support.js';
import { until } from '../support/service.js';

const SLOW_MS = 120_000;
const here = exporting();

let relay: Relay;
beforeEach(async () => {
  relay = await openRelay(here.url);
});
afterEach(() => relay.close());

const IDS = ['follower-ids', '@harbor_obs', '--max-credits', '50', '--limit', '450'];
const throughRelay = (...words: string[]): string[] => [...IDS, '--url', relay.url, ...words];
/** The id of no process: larger than any that a system assigns. */
const NOBODY = 2 ** 31 - 2;

describe('while an export runs', () => {
  test.each<[string, (file: string) => string[]]>([
    ['the same command', (file) => ['--out', file]],
    ['another state for the same file', (file) => ['--out', file, '--state', `${file}.other`]],
    ['standard output with the same state', (file) => ['--state', `${file}.perch-state.json`]],
  ])('refuses %s and says which process holds the lock', { timeout: SLOW_MS }, async (name, words) => {
    const file = here.file(`${name.replaceAll(' ', '-')}.ndjson`);
    const first = here.start(throughRelay('--out', file));
    const second = new Promise<Awaited<typeof first.end>>((done) => {
      relay.before = async ({ pages }) => {
        if (pages === 1) done(await here.run(...IDS, ...words(file)));
        return undefined;
      };
    });
    expect(await second).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`process ${first.process.pid} on ${hostname()} is writing this export`),
    });
    expect(await first.end).toMatchObject({ code: 0 });
    const ids = idsOf(await linesOf(file));
    expect([ids.length, new Set(ids).size]).toEqual([450, 450]);
    await expect(stat(`${file}.perch-lock`)).rejects.toThrow('ENOENT');
  });
});

test('keeps touching its lock so that it does not look stale', {
  timeout: SLOW_MS,
}, async () => {
  const file = here.file('touched.ndjson');
  const lock = `${file}.perch-lock`;
  const aMinuteAgo = new Date(Date.now() - 60_000);
  const started = here.start(throughRelay('--out', file));
  relay.before = async ({ pages }) => {
    if (pages !== 0) return undefined;
    await utimes(lock, aMinuteAgo, aMinuteAgo);
    await until(async () => (await stat(lock)).mtimeMs > aMinuteAgo.getTime() + 30_000, 'it is touched', started);
    return undefined;
  };
  expect(await started.end).toMatchObject({ code: 0 });
});

test('refuses to write while a process in another container of the same host name does', {
  timeout: SLOW_MS,
}, async () => {
  const file = here.file('container.ndjson');
  const lock = `${file}.perch-lock`;
  // Its id means nothing here.
  await writeFile(lock, JSON.stringify({ pid: NOBODY, host: hostname(), run: 'there', namespace: 'another' }));
  const touching = setInterval(() => void utimes(lock, new Date(), new Date()), 1_000);
  const refused = await here.run(...IDS, '--out', file);
  clearInterval(touching);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`process ${NOBODY} on ${hostname()}`) });
  // It ends without giving the lock back.
  expect(await here.summary(...IDS, '--out', file)).toMatchObject({ items: 450 });
});

describe('a lock that was left behind', () => {
  test('by a killed process does not block the next run', { timeout: SLOW_MS }, async () => {
    const file = here.file('killed.ndjson');
    const first = here.start(throughRelay('--out', file));
    relay.before = async ({ pages }) => {
      if (pages !== 1) return undefined;
      first.process.kill('SIGKILL');
      await first.end;
      return undefined;
    };
    await first.end;
    expect((await stat(`${file}.perch-lock`)).isFile()).toBe(true);
    relay.before = () => undefined;
    expect(await here.summary(...throughRelay('--out', file))).toMatchObject({ end: 'limit', items: 450 });
    await expect(stat(`${file}.perch-lock`)).rejects.toThrow('ENOENT');
  });

  test('is taken over by one of two that find it', { timeout: SLOW_MS }, async () => {
    const file = here.file('both.ndjson');
    await writeFile(`${file}.perch-lock`, JSON.stringify({ pid: NOBODY, host: hostname(), run: 'gone' }));
    const both = [0, 1].map(() => here.start(throughRelay('--out', file)));
    // The one that has the lock waits for the end of the other.
    relay.before = () => Promise.race(both.map(({ end }) => end)).then(() => undefined);
    const codes = (await Promise.all(both.map(({ end }) => end))).map(({ code }) => code);
    expect(codes.sort()).toEqual([0, 1]);
    const ids = idsOf(await linesOf(file));
    expect([ids.length, new Set(ids).size]).toEqual([450, 450]);
  });

  test.each([
    [
      'another machine',
      JSON.stringify({ pid: 1, host: 'elsewhere.example', run: 'x' }),
      'process 1 on elsewhere.example',
    ],
    ['nobody knows whom', '', 'another process'],
  ])('by %s is ignored when it has not been touched for a while', { timeout: SLOW_MS }, async (name, text, says) => {
    const file = here.file(`${name.replaceAll(' ', '-')}.ndjson`);
    await writeFile(`${file}.perch-lock`, text);
    expect(await here.run(...IDS, '--out', file)).toMatchObject({ code: 1, stderr: expect.stringContaining(says) });
    const aMinuteAgo = new Date(Date.now() - 60_000);
    await utimes(`${file}.perch-lock`, aMinuteAgo, aMinuteAgo);
    expect(await here.summary(...IDS, '--out', file)).toMatchObject({ items: 450 });
  });
});
