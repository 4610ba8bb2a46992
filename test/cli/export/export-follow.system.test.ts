/** An export that continues with new items, as a real process. */
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ExportClient } from '../../../adapters/cli/export/client.js';
import { range } from '../../kit/networks/scripted-network.js';
import type { TestAccount } from '../../kit/perch.js';
import { type Service, startService } from '../../rules/support/service.js';
import { openRelay, type Relay } from '../support/export-relay.js';
import { exporting, idsOf, linesIn } from '../support/export-support.js';

const SLOW_MS = 120_000;
const here = exporting();

let service: Service;
let relay: Relay;
let account: TestAccount;
beforeAll(async () => {
  service = await startService({ fill: (net) => void net.users([1]) });
}, SLOW_MS);
afterAll(() => service?.close());

let last = 100;
let ids: string[] = [];
/** Adds that many tweets on top of the timeline, and expires its cached page. */
function add(count: number): string[] {
  service.clock.advance(180_000);
  const added = service.net.tweets(range(count, last + 1), { text: 'line one\nline "two", and more' });
  last += count;
  ids = [...added.toReversed(), ...ids];
  service.net.list('timeline', '1', ids, { pageSize: 10 });
  return added;
}

beforeEach(async () => {
  relay = await openRelay(service.perch.url);
  account = await service.perch.account({ credits: 1000 });
  ids = [];
  add(25);
});
afterEach(() => relay.close());

const start = (...words: string[]) =>
  here.start(['tweets', '1', '--follow', '--interval', '1', '--url', relay.url, ...words], { PERCH_KEY: account.key });

/** The ids in a file, once it has that many. */
async function idsIn(path: string, count: number): Promise<string[]> {
  const read = async (): Promise<string[]> => {
    const text = await readFile(path, 'utf8').catch(() => '');
    if (!path.endsWith('.csv')) return idsOf(linesIn(text));
    return [...text.matchAll(/^(\d+),/gm)].map(([, id = '']) => id);
  };
  await expect.poll(async () => (await read()).length, { timeout: 30_000, interval: 50 }).toBe(count);
  return read();
}

describe('--follow', () => {
  test.each(['ndjson', 'csv'])(
    'appends new items to the whole list, and continues after Ctrl-C and kill -9: %s',
    { timeout: SLOW_MS },
    async (format) => {
      const file = here.file(`follow.${format}`);
      const words = ['--max-credits', '500', '--out', file];
      const whole = [...ids];
      const first = start(...words);
      expect(await idsIn(file, 25)).toEqual(whole);
      const added = [add(3)];
      await idsIn(file, 28);
      first.process.kill('SIGINT');
      const ended = await first.end;
      expect(ended).toMatchObject({ code: 130, stderr: expect.stringContaining('25 items; following, every 1 s') });
      expect(ended.stdout).toContain('28 items');

      // Items that were posted while no export ran are fetched, too.
      added.push(add(12));
      const second = start(...words);
      await idsIn(file, 40);
      const saved = async (): Promise<number> => JSON.parse(await readFile(`${file}.perch-state.json`, 'utf8')).items;
      await expect.poll(saved).toBe(40);
      const { length } = await readFile(file);
      // Adds a cut-off row, which must be removed.
      second.process.kill('SIGKILL');
      await second.end;
      const whatIsThere = await readFile(file);
      expect(whatIsThere).toHaveLength(length);
      await writeFile(file, Buffer.concat([whatIsThere, Buffer.from('half a r')]));

      added.push(add(2));
      const third = start(...words);
      expect(await idsIn(file, 42)).toEqual([...whole, ...added.flat()]);
      third.process.kill('SIGTERM');
      expect((await third.end).code).toBe(143);
      const spent = 1000 - (await service.perch.balance(account));
      expect(spent).toBe(relay.calls.reduce((sum, { charged }) => sum + charged, 0));
      // Each item was paid once.
      expect(spent).toBe(42);
      if (format === 'csv') expect((await readFile(file, 'utf8')).match(/^id,/gm)).toHaveLength(1);
    },
  );

  test('resumes an export that was interrupted without the option', { timeout: SLOW_MS }, async () => {
    const file = here.file('later.ndjson');
    const words = ['--max-credits', '500', '--count', '5', '--out', file];
    const whole = [...ids];
    const env = { PERCH_KEY: account.key };
    const first = here.start(['tweets', '1', '--url', relay.url, ...words], env);
    relay.before = ({ pages }) => void (pages === 2 && first.process.kill('SIGINT'));
    expect((await first.end).code).toBe(130);
    relay.before = () => undefined;
    const added = add(3);
    const second = start(...words);
    expect(await idsIn(file, 28)).toEqual([...whole, ...added]);
    second.process.kill('SIGINT');
    await second.end;
    // Resuming it without the option would lose the state.
    const without = await here.start(['tweets', '1', '--url', relay.url, ...words], env).end;
    expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('add --follow') });
  });

  test('writes to a pipe, up to a limit and within a budget', { timeout: SLOW_MS }, async () => {
    const limited = start('--max-credits', '500', '--limit', '27');
    await expect.poll(() => relay.calls.length, { timeout: 30_000 }).toBeGreaterThan(1);
    const added = add(5);
    const ended = await limited.end;
    expect([ended.code, idsOf(linesIn(ended.stdout)).slice(25)]).toEqual([0, added.slice(0, 2)]);
    expect(ended.stderr).toContain('--limit reached');
    const before = await service.perch.balance(account);
    const calls = relay.calls.length;
    const poor = start('--max-credits', '32');
    await expect.poll(() => relay.calls.length, { timeout: 30_000 }).toBeGreaterThan(calls + 1);
    add(40);
    expect(await poor.end).toMatchObject({ code: 0, stderr: expect.stringContaining('--max-credits spent') });
    expect(before - (await service.perch.balance(account))).toBeLessThanOrEqual(32);
  });

  test('waits for a service that is busy, broken or down, and says that items may be missing', {
    timeout: SLOW_MS,
  }, async () => {
    const file = here.file('gap.ndjson');
    const run = start('--max-credits', '500', '--out', file);
    await idsIn(file, 25);
    await relay.down();
    const added = add(130);
    await new Promise((done) => setTimeout(done, 3_000));
    const busy = {
      status: 503,
      headers: { 'retry-after': '1' },
      body: '{"error":{"code":"no_account","message":"m"}}',
    };
    let refusals = 0;
    const broken = { status: 500, body: '{"error":{"code":"internal","message":"Broken."}}' };
    relay.before = () => {
      refusals += 1;
      return refusals <= 4 ? (refusals % 2 === 0 ? broken : busy) : undefined;
    };
    await relay.up();
    expect((await idsIn(file, 125)).slice(25)).toEqual(added.slice(30));
    run.process.kill('SIGINT');
    const { code, stderr } = await run.end;
    expect([code, stderr]).toEqual([130, expect.stringMatching(/cannot connect.*Broken.*items may be missing here/s)]);
    const { url } = relay;
    const client = new ExportClient({
      url,
      key: account.key,
      ...{ stop: new AbortController().signal },
      isPatient: true,
      onWait: () => {},
    });
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    expect(await client.used('user-tweets', day)).toBe(1000 * (1000 - (await service.perch.balance(account))));
    expect(await client.used('followers', day)).toBe(0);
  });

  test.each([
    ['a list in no order of time', ['followers', '@a', '--follow'], 'followers cannot be followed'],
    ['a search by relevance', ['search', 'x', '--product', 'Top', '--follow'], '--product Top cannot be followed'],
    ['Parquet', ['tweets', '1', '--follow', '--out', 'x.parquet'], 'parquet cannot be followed'],
    ['an interval alone', ['tweets', '1', '--interval', '5'], '--interval is only for --follow'],
    ['an interval of 0', ['tweets', '1', '--follow', '--interval', '0'], '--interval'],
  ])('refuses %s', { timeout: SLOW_MS }, async (_what, words, said) => {
    const ran = await here.run(...words, '--max-credits', '5');
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(said)]);
  });
});
