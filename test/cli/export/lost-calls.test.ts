/** Calls of an export that were not answered: what they count at, and when their charges are looked up. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ExportClient, type ExportPage, NoAnswer, Stopped } from '../../../adapters/cli/export/client.js';
import { type ExportRun, runExport } from '../../../adapters/cli/export/run.js';
import { newState } from '../../../adapters/cli/export/state.js';
import { printSummary, type Summary } from '../../../adapters/cli/export/summary.js';

const COMMAND = { url: '', list: 'tweets', subject: '7', product: null, format: 'ndjson', fresh: false };
const WORST = 100_000;

/** What happens to a page: whether it is charged, and whether its answer arrives. */
interface Fate {
  readonly charged: number;
  readonly arrives: boolean;
}

let pages = 0;

/** Follows a list whose pages meet these fates; once there are none left, the export is stopped. */
function play(fates: readonly Fate[], { maxSpent = 250_000, others = 0, keyPrefix = 'perch_live_abcdef' } = {}) {
  const left = [...fates];
  let used = 7_000;
  let waited = 0;
  const page = async (): Promise<ExportPage> => {
    const fate = left.shift();
    if (fate === undefined) throw new Stopped();
    used += fate.charged + others;
    if (!fate.arrives) throw new NoAnswer('no answer');
    pages += 1;
    return { data: [{ id: `${pages}` }], credits_charged: fate.charged / 1000, since_cursor: `${pages}` };
  };
  const client = {
    keyPrefix,
    page,
    estimate: async () => WORST / 1000,
    used: async () => used,
    pause: async (seconds: number) => {
      waited += seconds;
    },
  } as unknown as ExportClient;
  const run: ExportRun = {
    ...{ client, path: '', operation: 'user-tweets', query: {}, count: 100, limit: null, maxSpent },
    stop: new AbortController().signal,
    follow: { onBegin: () => {}, onGap: () => {}, wait: async () => {} },
    seen: { fresh: (rows: unknown) => rows } as unknown as ExportRun['seen'],
    text: { head: '', rows: () => '' } as unknown as ExportRun['text'],
    sink: { append: async () => {}, bytes: 0 } as unknown as ExportRun['sink'],
    save: async () => {},
    onLost: () => {},
    onProgress: () => {},
  };
  return { run, waitedS: () => waited };
}

const lost = (charged = 0): Fate => ({ charged, arrives: false });
const page = (charged: number): Fate => ({ charged, arrives: true });

describe('a followed export whose calls are not answered', () => {
  it('continues within its budget if they were not charged, however many they are', async () => {
    const { run, waitedS } = play([...Array.from({ length: 10 }, () => lost()), page(3_000)]);
    const { state, end } = await runExport(run, newState(COMMAND));
    expect({ end, spent: state.spent, unsure: state.unsure }).toEqual({ end: 'interrupted', spent: 3_000, unsure: 0 });
    // A charge may be on its way for a minute or so.
    expect(waitedS()).toBe(10 * 90);
  });

  it('counts what its key was charged, at most their highest price', async () => {
    const charged = play([page(2_000), lost(3_000), lost(), page(4_000)]);
    expect((await runExport(charged.run, newState(COMMAND))).state).toMatchObject({ spent: 6_000, unsure: 3_000 });
    const shared = play([page(2_000), lost(3_000)], { others: 500_000 });
    expect((await runExport(shared.run, newState(COMMAND))).state).toMatchObject({ spent: 2_000, unsure: WORST });
  });

  it('looks up what was left open by a run that was killed before it says that its budget is spent', async () => {
    const first = play([page(2_000)]);
    const { state } = await runExport(first.run, newState(COMMAND));
    const killed = { ...state, unsure: 248_000 };
    const second = play([page(5_000)]);
    const resumed = await runExport(second.run, killed);
    expect(resumed).toMatchObject({ end: 'interrupted', state: { spent: 7_000, unsure: 0 } });
    const other = play([page(5_000)], { keyPrefix: 'perch_live_ghijkl' });
    expect(await runExport(other.run, killed)).toMatchObject({
      end: 'max_credits',
      state: { unsure: 248_000 },
    });
  });
});

describe('the client of a followed export', () => {
  it('repeats calls behind a proxy without a service until they are answered, but only free ones', async () => {
    let isUp = true;
    const server = createServer((_request, response) => {
      if (isUp) response.end(JSON.stringify({ estimate: { max_credits: 1 } }));
      else response.writeHead(502).end('<html>');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const client = new ExportClient({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      ...{ key: 'perch_live_abcdef', isPatient: true, stop: new AbortController().signal },
      onWait: () => {
        isUp = true;
      },
    });
    await client.estimate('/', {});
    isUp = false;
    await expect(client.page('/', {})).rejects.toThrow('HTTP 502');
    expect(await client.estimate('/', {})).toBe(1);
    await new Promise((done) => server.close(done));
  });
});

describe('the end of an export', () => {
  it.each<[string, boolean, number, boolean]>([
    ['fails if calls that were not answered may have used up the budget of a followed one', true, 5, true],
    ['succeeds if all of it is spent', true, 0, false],
    ['succeeds without --follow', false, 5, false],
  ])('%s', (_name, follow, credits_unsure, fails) => {
    const summary: Summary = {
      ...{ list: 'tweets', what: '7', format: 'ndjson', file: null, end: 'max_credits', items: 1, repeats: 0 },
      ...{ credits_spent: 5, credits_unsure, state: 's' },
    };
    const print = () => printSummary(summary, { json: true, follow, exitCode: 0 });
    if (fails) expect(print).toThrow('may have used up --max-credits');
    else expect(print).not.toThrow();
  });
});
