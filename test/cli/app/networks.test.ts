import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { Lifecycle } from '../../../app/lifecycle.js';
import { createSample, openSelfCheck, sourceOf, withOddObjectsLogged } from '../../../app/networks.js';
import { readConfig } from '../../../src/config/config.js';
import type { StartPoll } from '../../../src/lib/poll.js';
import type { CheckMemory, SampleAccount } from '../../../src/ports/network.js';
import { createScriptedNetwork } from '../../kit/networks/scripted-network.js';
import { manualClock } from '../../kit/time/manual-clock.js';
import { context, post, scripting } from '../../networks/x/support/scripted.js';

const scripted = scripting();

it('logs how many objects of a call cannot be read, in one line, and what is wrong with the first', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line).msg) });
  const data = [post('30'), post('31', { text: 7 }), post('32', { created_at: null })];
  const at = await scripted(() => ({ body: { data } }));
  const network = withOddObjectsLogged(at.network, log);
  let unreadable = 0;
  const onUnreadable = (objects: number) => (unreadable += objects);
  const list = { kind: 'timeline', subject: '5' } as const;
  const { tweets } = await network.page(list, null, context({ onUnreadable }));
  expect(tweets?.map(({ id }) => id)).toEqual(['30']);
  expect(unreadable).toBe(2);
  expect(lines).toEqual([
    expect.stringMatching(/^The network sent 2 objects that cannot be read\. \/2\/users\/5\/tweets: text: .*string/),
  ]);
});

it('repeats the check of a network until something can be read, and logs each finding once', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line).msg) });
  const down = { ok: false, findings: [{ ok: false, what: 'It is down.' }] };
  const partly = {
    ok: false,
    findings: [
      { ok: true, what: 'Tweets can be read.' },
      { ok: false, what: 'Search does not work.' },
    ],
  };
  const reports = [down, down, partly, down];
  const selfCheck = async () => reports.shift() ?? expect.unreachable();
  const lifecycle = new Lifecycle();
  let again = async (): Promise<void> => {};
  let isClosed = false;
  const startPoll: StartPoll = (run) => {
    again = run;
    const close = async () => {
      isClosed = true;
    };
    return { close };
  };
  const memory: CheckMemory = { claim: async () => 'ask', note: async () => {} };
  const network = { ...createScriptedNetwork().network, selfCheck };
  const findings = await openSelfCheck(lifecycle, network, memory, { log, startPoll });
  await expect.poll(findings).toEqual(down.findings);
  await again();
  expect(findings()).toEqual(down.findings);
  for (let nth = 0; nth < 3; nth += 1) await again();
  expect(findings()).toEqual(partly.findings);
  expect(reports).toEqual([down]);
  expect(lines).toEqual(['It is down.', 'Tweets can be read.', 'Search does not work.']);
  await lifecycle.close();
  expect(isClosed).toBe(true);
});

it('names the source of what is read by network and address, without credentials', async () => {
  const source = (env: Readonly<Record<string, string>>) => {
    const config = readConfig({ env, cwd: '/', terminal: false });
    return sourceOf({ config, sql: never, clock: { now: Date.now } });
  };
  const never = () => expect.unreachable('only a corpus is known by its database');
  const [one, other] = ['one.example', 'other.example'].map((host) => ({
    ...{ PERCH_NETWORK: 'mastodon', MASTODON_BASE_URL: `https://${host}` },
  }));
  const sources = await Promise.all(
    [{ PERCH_NETWORK: 'bluesky' }, { PERCH_NETWORK: 'x' }, one ?? {}, other ?? {}].map(source),
  );
  expect(new Set(sources).size).toBe(4);
  for (const name of sources) expect(name).toMatch(/^(bluesky|x|mastodon)-[\w-]{12}$/);
  expect(await source({ ...one, MASTODON_TOKENS: 'secret' })).toBe(sources[2]);
});

describe('the account of samples', () => {
  const account = (handle: string) => ({ handle, tweetId: null });
  /** Lookups under way, to be answered. */
  function looking() {
    const lookups: { resolve(found: SampleAccount | null): void; reject(why: Error): void }[] = [];
    const sample = (): Promise<SampleAccount | null> =>
      new Promise((resolve, reject) => void lookups.push({ resolve, reject }));
    const clock = manualClock();
    return { lookups, clock, read: createSample({ ...createScriptedNetwork().network, sample }, clock) };
  }

  it('is the same for all who ask during the first lookup', async () => {
    const { lookups, read } = looking();
    const asked = [read(), read()];
    lookups[0]?.resolve(account('quayside'));
    expect(await Promise.all(asked)).toEqual([account('quayside'), account('quayside')]);
    expect(lookups).toHaveLength(1);
  });

  it('is kept after a failed lookup, which is repeated within seconds', async () => {
    const { lookups, clock, read } = looking();
    const first = read();
    lookups[0]?.reject(new Error('gone'));
    const before = await first;
    expect(await read()).toEqual(before);
    clock.advance(5_000);
    const second = read();
    lookups[1]?.resolve(account('quayside'));
    expect(await second).toEqual(account('quayside'));
    clock.advance(59_000);
    expect(await read()).toEqual(account('quayside'));
    expect(lookups).toHaveLength(2);
  });

  it('is the last known one while a lookup hangs', async () => {
    const { read } = looking();
    expect(await read()).toMatchObject({ tweetId: null });
  });
});
