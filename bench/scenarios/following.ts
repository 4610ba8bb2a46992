import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openEmbeddedPostgres } from '../../adapters/postgres/embedded/launcher.js';
import { connect, type Sql } from '../../adapters/postgres/sql.js';
import { handleOf, SUBJECT } from '../data/rows.js';
import { median, percentile, type Section, spread } from '../figures.js';
import type { Followed } from '../load/followers.js';
import { SCENARIOS } from '../options.js';
import { startFollowers } from '../processes/fork.js';
import { freePort, runCommand, type Service, startPerch } from '../processes/perch.js';
import { watchMemory } from '../processes/usage.js';
import type { Furnished, Workbench } from '../workbench.js';

/** The followers of one list, and the number of their accounts. */
const FOLLOWERS = 1000;
const ACCOUNTS = 20;

/** The number of followed lists, their followers, and the lists per stream. */
const LISTS = 1000;
const EACH = 10;
const LISTS_OF_STREAM = 50;

/** How long an item may take. A busy list is read every 5 seconds. */
const ARRIVES_WITHIN_MS = 60_000;

/** Items before those that are counted, while the process still compiles what it runs. */
const WARM_ITEMS = 3;

/** How long calls of the network are counted. */
const COUNTED_MS = 60_000;

const MEMORY_MS = 5_000;

interface Following {
  readonly bench: Workbench;
  readonly home: Furnished;
  readonly keys: readonly string[];
  readonly metricsUrl: string;
}

/** N: how soon a new item reaches all followers, and what following costs while nothing happens. */
export async function following(bench: Workbench): Promise<Section[]> {
  if (!bench.options.letters.includes('N')) return [];
  const home = await bench.small();
  const keys = (await home.customers()).slice(0, ACCOUNTS);
  const port = await freePort();
  const env = { ...home.env, PERCH_METRICS_PORT: String(port) };
  const perch = await startPerch({ ...home, env }, { path: `/v1/users/${SUBJECT.handle}`, key: home.key });
  const parts = { bench, home, keys, metricsUrl: `http://127.0.0.1:${port}/metrics` };
  try {
    return [await reachAll(parts, perch), await writeAll(parts, perch), await silence(parts, perch)];
  } finally {
    await perch.stop();
  }
}

async function reachAll({ bench, home, keys, metricsUrl }: Following, { url }: Service): Promise<Section> {
  const followers = startFollowers();
  try {
    // A list without items for months would be read only every 10 minutes.
    await post(bench, home, 0);
    bench.say(`N  opening ${FOLLOWERS} streams`);
    await followers.run({ open: { url, keys, streams: Array.from({ length: FOLLOWERS }, () => [SUBJECT.id]) } });
    const [last, half]: [number[], number[]] = [[], []];
    let credits = 0;
    const before = await commitsOf(metricsUrl);
    for (const round of itemsOf(bench)) {
      bench.say(`N  item ${round} of ${itemsOf(bench).length}`);
      const arriving = followers.run({ next: { items: FOLLOWERS, withinMs: ARRIVES_WITHIN_MS } });
      await post(bench, home, round);
      const arrived = (await arriving) as Extract<Followed, { credits: number }>;
      const sorted = arrived.arrivalsMs.toSorted((a, b) => a - b);
      last.push(sorted.at(-1) ?? Number.NaN);
      half.push(percentile(sorted, 0.5));
      credits += arrived.credits;
    }
    const due = FOLLOWERS * last.length;
    return {
      letter: 'N',
      title: `${SCENARIOS.N.split(':')[0]}: one item, ${FOLLOWERS} streams of ${ACCOUNTS} accounts`,
      lines: [
        { name: 'the last one has it, after the first', unit: 'ms', value: warm(last), goal: '≤ 200' },
        { name: 'half of them have it', unit: 'ms', value: warm(half) },
        { name: 'charges in a commit', unit: '', value: spread([perCommit(before, await commitsOf(metricsUrl))]) },
        { name: 'the last one has the first item after a start', unit: 'ms', value: spread(last.slice(0, 1)) },
      ],
      notes: [`charged ${credits} credits for ${due} items: each was charged, durably, before it was sent`],
    };
  } finally {
    await followers.run({ close: true });
    await followers.stop();
  }
}

/** The same with watches: each delivery is charged and written, with the watch's position, before its webhook is sent. */
async function writeAll({ bench, home, keys, metricsUrl }: Following, { url }: Service): Promise<Section> {
  const server = await openEmbeddedPostgres({ home: home.folder });
  const sql = connect(server.connection, { max: 1, name: 'bench watches' });
  try {
    bench.say(`N  making ${FOLLOWERS} watches`);
    for (const key of keys) await watch(url, key);
    await multiply(sql);
    await sql.unsafe(WRITTEN);
    const took: number[] = [];
    const items = itemsOf(bench);
    const commits = await commitsOf(metricsUrl);
    for (const round of items) {
      bench.say(`N  watches, item ${round} of ${items.length}`);
      const before = Date.now();
      await post(bench, home, items.length + round);
      took.push(await written(sql, before));
    }
    return {
      letter: 'N',
      title: `${SCENARIOS.N.split(':')[0]}: one item, ${FOLLOWERS} watches of ${ACCOUNTS} accounts`,
      lines: [
        { name: 'all have it charged and written, after the first', unit: 'ms', value: warm(took), goal: '≤ 200' },
        { name: 'charges in a commit', unit: '', value: spread([perCommit(commits, await commitsOf(metricsUrl))]) },
        { name: 'all have the first item of watches after a start', unit: 'ms', value: spread(took.slice(0, 1)) },
      ],
      notes: ['their webhooks, to a host that does not exist, are sent meanwhile'],
    };
  } finally {
    await sql`update watches set state = 'ended', reason = null, due_at = null`;
    await sql.end({ timeout: 1 });
    await server.stop();
  }
}

async function watch(url: string, key: string): Promise<void> {
  // Only a valid webhook address is accepted.
  const params = { user: SUBJECT.id, webhook_url: 'https://1.1.1.1/' };
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v1/watches`, { method: 'POST', headers, body: JSON.stringify(params) });
  if (!answer.ok) throw new Error(`a watch was refused: ${answer.status} ${await answer.text()}`);
}

/** Copies one watch of each account to one per follower. Inserted as rows, because address checks are limited. */
async function multiply(sql: Sql): Promise<void> {
  await sql`
    insert into watches (account_id, watch_id, key_id, kind, subject, subject_id, product, count, webhook_url, state, state_at, position,
      created_at)
    select account_id, gen_random_uuid(), key_id, kind, subject, subject_id, product, count, webhook_url, state, state_at,
      position, created_at
    from watches, generate_series(2, ${FOLLOWERS / ACCOUNTS})`;
  // Without a holder, before anything is sent.
  await sql`update watches set webhook_url = 'https://bench.invalid/'`;
  for (let left = FOLLOWERS; left > 0; ) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const [row] = await sql<{ left: string }[]>`select count(*) as left from watches where checked_at is null`;
    left = Number(row?.left);
  }
}

/** Waits inside the database, because polling from outside would use CPU time of what is measured. */
const WRITTEN = `
  create function pg_temp.written(since timestamptz, wanted integer, until timestamptz) returns double precision
  language plpgsql as $$
  declare
    first timestamptz;
    items integer;
  begin
    while clock_timestamp() < until loop
      select min(created_at), count(*) into first, items from deliveries where watch_id is not null and created_at >= since;
      if items >= wanted then return extract(epoch from clock_timestamp() - first) * 1000; end if;
      perform pg_sleep(0.003);
    end loop;
    return null;
  end $$`;

/** Milliseconds from the first delivery of an item until all of them are written. */
async function written(sql: Sql, since: number): Promise<number> {
  const until = new Date(Date.now() + ARRIVES_WITHIN_MS);
  const [row] = await sql<{ ms: number | null }[]>`
    select pg_temp.written(${new Date(since)}, ${FOLLOWERS}, ${until}) as ms`;
  if (typeof row?.ms !== 'number') throw new Error('the item was not written for all watches');
  return row.ms;
}

const itemsOf = ({ options }: Workbench): number[] =>
  Array.from({ length: WARM_ITEMS + options.rounds }, (_, nth) => nth + 1);

const warm = (ms: readonly number[]) => spread(ms.slice(WARM_ITEMS));

async function post(bench: Workbench, home: Furnished, nth: number): Promise<void> {
  const folder = join(bench.folder, 'posted');
  await mkdir(folder, { recursive: true });
  const id = `${2_000_000_000_000 + nth}`;
  const tweet = { id, text: `New, number ${nth}.`, author_id: SUBJECT.id, conversation_id: id, created_at: now() };
  await writeFile(join(folder, 'tweets.ndjson'), `${JSON.stringify(tweet)}\n`);
  await runCommand(home, ['import', folder, '--json']).done;
  await rm(folder, { recursive: true });
}

const now = (): string => new Date().toISOString();

async function silence({ bench, keys, metricsUrl }: Following, { url, pid }: Service): Promise<Section> {
  const followers = startFollowers();
  try {
    const before = await memoryOf(pid);
    const users = Array.from({ length: LISTS * EACH }, (_, nth) => handleOf(1 + (nth % LISTS)));
    const streams = Array.from({ length: users.length / LISTS_OF_STREAM }, (_, nth) =>
      users.slice(nth * LISTS_OF_STREAM, (nth + 1) * LISTS_OF_STREAM),
    );
    bench.say(`N  following ${LISTS} lists, each by ${EACH}`);
    await followers.run({ open: { url, keys, streams } });
    const opened = await metricOf(metricsUrl, 'perch_upstream_calls_total');
    const after = await memoryOf(pid);
    await new Promise((resolve) => setTimeout(resolve, COUNTED_MS));
    const calls = (await metricOf(metricsUrl, 'perch_upstream_calls_total')) - opened;
    return {
      letter: 'N',
      title: `${SCENARIOS.N.split(':')[0]}: ${LISTS * EACH} followers of ${LISTS} lists`,
      lines: [
        { name: 'memory more than before', unit: 'MB', value: spread([after - before]), goal: '≤ 300' },
        { name: 'calls of the network, of a list and minute', unit: 'calls', value: spread([calls / LISTS]) },
      ],
      notes: [`${calls} calls in a minute: lists that are silent for months are read every 10 minutes at least`],
    };
  } finally {
    await followers.run({ close: true });
    await followers.stop();
  }
}

/** Resident memory in MB, sampled over a few seconds. */
async function memoryOf(pid: number): Promise<number> {
  const { stop } = watchMemory(pid);
  await new Promise((resolve) => setTimeout(resolve, MEMORY_MS));
  return median(stop());
}

async function metricOf(metricsUrl: string, name: string): Promise<number> {
  const lines = (await (await fetch(metricsUrl)).text()).split('\n');
  const values = lines
    .filter((line) => line.split(/[ {]/, 1)[0] === name)
    .map((line) => Number(line.split(' ').at(-1)));
  return values.reduce((sum, value) => sum + value, 0);
}

/** Commits of the ledger, and the charges in them. */
const commitsOf = (metricsUrl: string): Promise<readonly number[]> =>
  Promise.all(['count', 'sum'].map((what) => metricOf(metricsUrl, `perch_ledger_commit_debits_${what}`)));

const perCommit = (
  [commits = 0, charges = 0]: readonly number[],
  [commitsNow = 0, chargesNow = 0]: readonly number[],
) => (chargesNow - charges) / (commitsNow - commits);
