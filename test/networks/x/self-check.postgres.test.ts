import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createCheckMemory } from '../../../adapters/postgres/figures/network-checks.js';
import { connect, type Sql } from '../../../adapters/postgres/sql.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { context, post, type Scripted, scripting, user } from './support/scripted.js';

const scripted = scripting();
let database: FreshDatabase;
let sql: Sql;
beforeAll(async () => {
  database = await freshDatabase();
  sql = connect(database.target, { max: 4 });
});
afterEach(() => sql`delete from network_checks`);
afterAll(async () => {
  await sql?.end();
  await database?.drop();
});

/** X as it answers a token that may read all but People. */
const open = (bearerTokens = ['one']) =>
  scripted(
    ({ path }) => {
      if (path === '/2/tweets') return { body: { data: [post('20')] } };
      if (path === '/2/users/12/followers') return { body: { data: [user('5')] } };
      if (path === '/2/users/search') return { status: 403, body: { title: 'Unsupported Authentication' } };
      return { body: { meta: { result_count: 0 } } };
    },
    { bearerTokens },
  );

const ALL = ['/2/tweets', '/2/tweets/search/recent', '/2/users/12/followers', '/2/users/search'];

/** One start of a process: the result of its check, `true` or `false` each, and its requests to X. */
async function start(at: Scripted, signal = AbortSignal.timeout(10_000)) {
  const from = at.requests.length;
  const report = await at.network.selfCheck?.(context({ signal }), createCheckMemory(sql));
  const requested = at.requests.slice(from).map(({ path }) => path);
  return { said: report?.findings.map(({ ok }) => ok), what: report?.findings ?? [], requested: requested.sort() };
}

it('lets processes that start together ask each question once, and all know the answers', async () => {
  const at = await open();
  const starts = await Promise.all(Array.from({ length: 5 }, () => start(at)));
  const paths = at.requests.map(({ path }) => path).filter((path) => path !== '/2/users/search');
  expect(paths.sort()).toEqual(ALL.slice(0, 3));
  for (const { said } of starts) expect(said).toEqual([true, true, true, false]);
});

it('asks again at a later start what was refused, which is not billed, and after a day everything', async () => {
  const at = await open();
  expect((await start(at)).requested).toEqual(ALL);
  expect(await start(at)).toMatchObject({ requested: ['/2/users/search'], said: [true, true, true, false] });
  await sql`update network_checks set asked_at = now() - interval '1 day 1 second'`;
  expect((await start(at)).requested).toEqual(ALL);
});

it('checks each token once, checks a new one when it appears, and stores no token', async () => {
  const at = await open(['one', 'two']);
  expect((await start(at)).requested).toEqual(['/2/tweets', ...ALL]);
  const [row] = await sql`select string_agg(question, ' ') as all from network_checks`;
  expect(row?.all).not.toMatch(/one|two/);
});

it('counts an unanswered check as made, and repeats it for doctor', async () => {
  const at = await open();
  const gone = new AbortController();
  const memory = createCheckMemory(sql);
  const claimed = await memory.claim('a question', gone.signal);
  expect(claimed).toBe('ask');
  await sql`update network_checks set asked_at = now() - interval '1 minute'`;
  expect(await memory.claim('a question', gone.signal)).toBe('unknown');
  await start(at);
  await at.network.selfCheck?.(context());
  expect(at.requests.map(({ path }) => path).sort()).toEqual([...ALL, ...ALL].sort());
});

it('does not make a stopping process wait for another that is asking', async () => {
  const memory = createCheckMemory(sql);
  const stop = new AbortController();
  expect(await memory.claim('a question', stop.signal)).toBe('ask');
  const waiting = memory.claim('a question', stop.signal);
  stop.abort();
  await expect(waiting).rejects.toThrow();
});

it('does not report an unknown result as good', async () => {
  const at = await open();
  await start(at);
  await sql`update network_checks set is_good = null, asked_at = now() - interval '1 minute'`;
  const { what, requested } = await start(at);
  expect(requested).toEqual(['/2/users/search']);
  expect(what[0]).toEqual({
    ok: true,
    what: 'X: it is not known whether token 1 can read tweets, profiles and timelines; run perch doctor to check.',
  });
});
