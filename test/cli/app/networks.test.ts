import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Lifecycle } from '../../../app/lifecycle.js';
import { openSelfCheck, sourceOf, withOddObjectsLogged } from '../../../app/networks.js';
import { readConfig } from '../../../src/config/config.js';
import type { StartPoll } from '../../../src/lib/poll.js';
import type { CheckMemory } from '../../../src/ports/network.js';
import { createScriptedNetwork } from '../../kit/networks/scripted-network.js';
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
