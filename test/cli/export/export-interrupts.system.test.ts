/** Whenever and however often an export is interrupted, in the end every row is there once, and was paid once. */
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openRelay } from '../support/export-relay.js';
import { exporting, idsOf, linesOf } from '../support/export-support.js';
import { newKey } from '../support/service.js';

const SLOW_MS = 300_000;
const here = exporting();
const WORDS = ['follower-ids', '@harbor_obs', '--count', '100', '--max-credits', '500'];

/** How a run ends: by which signal, at which page, before or after it is read, and how long after that moment. */
const ends = fc.record({
  signal: fc.constantFrom('SIGINT', 'SIGTERM', 'SIGKILL'),
  page: fc.nat(12),
  when: fc.constantFrom('before', 'after'),
  delayMs: fc.nat(15),
});

const balanceOf = async (key: string): Promise<number> => {
  const reply = await fetch(`${here.url}/v1/me`, { headers: { 'x-api-key': key } });
  return ((await reply.json()) as { balance: number }).balance;
};

test('writes every row once, and accounts for what the ledger charged', { timeout: SLOW_MS }, async () => {
  const relay = await openRelay(here.url);
  const key = await newKey(here.cli);
  const file = here.file('whole.ndjson');
  await here.summary(...WORDS, '--out', file);
  const whole = idsOf(await linesOf(file));
  let runs = 0;
  const end = async (
    words: readonly string[],
    { signal, page, when, delayMs }: typeof ends extends fc.Arbitrary<infer T> ? T : never,
  ) => {
    const started = here.start(words, { PERCH_KEY: key });
    const from = relay.calls.length;
    const kill = ({ pages }: { pages: number }): undefined => {
      if (pages - from === page) setTimeout(() => started.process.kill(signal as NodeJS.Signals), delayMs);
    };
    relay.before = when === 'before' ? kill : () => undefined;
    relay.after = when === 'after' ? kill : () => {};
    return started.end;
  };
  const property = fc.asyncProperty(fc.array(ends, { minLength: 1, maxLength: 3 }), async (plan) => {
    runs += 1;
    const out = here.file(`r${runs}.ndjson`);
    const words = [...WORDS, '--url', relay.url, '--out', out, '--json'];
    const before = await balanceOf(key);
    relay.calls.length = 0;
    let isDone = false;
    let killed = 0;
    for (const each of plan) {
      if (isDone) break;
      const { code } = await end(words, each);
      isDone = code === 0;
      if (code === null) killed += 1;
      if (!isDone && code !== null) expect([130, 143]).toContain(code);
    }
    relay.before = () => undefined;
    relay.after = () => {};
    // A run killed after its end but before its exit code is finished as well: its state file is gone.
    const isWhole = existsSync(out) && !existsSync(`${out}.perch-state.json`) && (await stat(out)).size > 0;
    if (!isDone && !isWhole) {
      const last = await here.start(words, { PERCH_KEY: key }).end;
      expect(last, last.stderr).toMatchObject({ code: 0 });
      const { credits_spent, credits_unsure } = JSON.parse(last.stdout);
      const charged = before - (await balanceOf(key));
      expect(charged).toBeGreaterThanOrEqual(credits_spent - 1e-6);
      expect(charged).toBeLessThanOrEqual(credits_spent + credits_unsure + 1e-6);
    }
    expect(idsOf(await linesOf(out))).toEqual(whole);
    // Only the page that was in progress at each kill was read again.
    expect(relay.calls.flatMap(({ ids }) => ids).length).toBeLessThanOrEqual(whole.length + 100 * killed);
    expect((await readFile(out, 'utf8')).endsWith('\n')).toBe(true);
  });
  try {
    await fc.assert(property, { numRuns: 3, endOnFailure: true });
  } finally {
    await relay.close();
  }
});
