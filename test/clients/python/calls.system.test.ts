import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf, ROOT } from '../../docs/readme/markdown.js';
import { demoDatabase } from '../../kit/demo.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { failure, page, type Stub, stub } from '../server.js';
import { has, python, SOURCE, said, without } from './python.js';

const PACKAGE = join(SOURCE, 'perch_client');
const KEY = `perch_live_${'k'.repeat(32)}`;

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'perch-python-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

describe.runIf(has.python3)(`the Python client${without('python3')}`, () => {
  describe('against the running service', () => {
    let perch: TestPerch;
    beforeAll(async () => {
      perch = await startPerch({ openDatabase: demoDatabase });
    });
    afterAll(() => perch.close());

    async function account(credits = 1000, cap?: number) {
      const made = await perch.account({ credits, ...(cap !== undefined && { cap }) });
      return { made, env: { PERCH_URL: perch.url, PERCH_KEY: made.key } };
    }

    it('does what its page shows', async () => {
      const readme = await readFile(join(ROOT, 'clients/python/README.md'), 'utf8');
      const code = blocksOf(readme).flatMap(({ language, text }) => (language === 'python' ? [text] : []));
      const shown = await python(code.join('\n'), (await account()).env);
      expect(shown).toMatch(
        /^Harbor Observatory has \d+ followers; that cost [\d.]+\.\nAt most 50(?:\.0)? credits\.\n4 tweets\n/,
      );
      expect(shown).toMatch(/\nmax_credits: [\d.]+ spent, [\d.]+ left, go on from \S+\n/);
      expect(shown).toMatch(/\nstopped: [\d.]+ spent, go on from \S+\n/);
      expect(shown).toMatch(/\nnot_found 404 [0-9a-f-]{36}\n$/);
    });

    it('reads, posts and estimates, and keeps each call to its own max_credits', async () => {
      const { made, env } = await account();
      const code = `
one = perch.user("@harbor_obs", fresh=True)
batch = perch.users_batch(["harbor_obs", "no_such_handle"], fresh=True)
listed = perch.users_batch_get(["harbor_obs", "no_such_handle"])
short = perch.user_tweets("harbor_obs", count=10, fresh=True, max_credits=6.0)
price = perch.user_tweets("harbor_obs", count=7, estimate=True)["estimate"]
usage = perch.usage(from_="2020-01-01", group="endpoint")["data"]
me = perch.me()
say(one["data"]["handle"], one["credits_charged"], batch["items"], listed["errors"][0]["input"], short["items"],
    short["truncated"], price, len(usage) > 0, me["balance"], perch.service()["name"], perch.healthz()["status"])`;
      expect(await said(code, env)).toEqual([
        'harbor_obs',
        2,
        1,
        'no_such_handle',
        3,
        'max_credits',
        { max_items: 7, unit: 1, max_credits: 7 },
        true,
        await perch.balance(made),
        expect.any(String),
        'ok',
      ]);
    });

    it('raises the code, status, reason and parameter of a failure', async () => {
      const code = `say(failed(lambda: perch.user("harbor_obs")), failed(lambda: perch.user_tweets("a", count=1000)),
    failed(lambda: list(perch.iter_user_tweets("harbor_obs", max_credits=5))))`;
      expect(await said(code, (await account(0)).env)).toEqual([
        ['no_credits', 402],
        ['bad_request', 400, 'count'],
        ['no_credits', 402],
      ]);
    });

    const WALK = `pages = perch.iter_user_tweets("harbor_obs", count=int(os.environ["COUNT"]), fresh=True, max_credits=float(os.environ["MAX"]))
ids = [tweet["id"] for page in pages for tweet in page["data"]]
say(pages.ended, pages.spent, pages.remaining, len(ids), len(set(ids)), pages.cursor is None)`;

    it.each([
      ['at the budget', 1000, undefined, '4', '20', ['max_credits', 20, 0, 10, 10, false]],
      ['with what the wallet holds', 12, undefined, '4', '500', ['no_credits', 12, 488, 6, 6, false]],
      ['with the cap of the key', 1000, 12, '4', '500', ['key_cap', 12, 488, 6, 6, false]],
    ] as const)('ends pages %s', async (_, credits, cap, COUNT, MAX, ended) => {
      const { made, env } = await account(credits, cap);
      expect(await said(WALK, { ...env, COUNT, MAX })).toEqual(ended);
      expect(await perch.balance(made)).toBe(credits - ended[1]);
    });

    it('ends pages complete, with every item once', async () => {
      const { env } = await account(5000);
      const [ended, , , all, different, isLast] = (await said(WALK, {
        ...env,
        COUNT: '100',
        MAX: '5000',
      })) as unknown[];
      expect([ended, all, isLast]).toEqual(['complete', different, true]);
      expect(all).toBeGreaterThan(300);
    });
  });

  describe('on the way', () => {
    let server: Stub | undefined;
    afterEach(() => server?.close());
    const env = () => ({ PERCH_URL: server?.url ?? '', PERCH_KEY: KEY });

    it.each([
      [429, 1],
      [503, 0],
      [503, undefined],
      [500, 1],
    ])('sends one HTTP call whatever the answer: %i with Retry-After %s (section 9.5)', async (status, retryAfter) => {
      server = await stub(failure(status, 'internal', retryAfter));
      expect(await said('say(failed(perch.me))', env())).toEqual([['internal', status]]);
      expect(server.requests).toHaveLength(1);
    });

    it('raises a failure with everything that the service said', async () => {
      server = await stub(failure(503, 'no_account', 60));
      const code = `
try: perch.me()
except ApiError as e: say(e.code, e.message, e.status, e.reason, e.param, e.retry_after, e.request_id, str(e))`;
      expect(await said(code, env())).toEqual([
        'no_account',
        'It failed.',
        503,
        null,
        null,
        60,
        '019e1d2a-7c40-7b53-9f11-2d6a8e4c0b97',
        'no_account: It failed.',
      ]);
    });

    it('ends a call without an answer in time, and does not retry it, because the read may have been paid', async () => {
      server = await stub({ silent: true });
      expect(await said('say(failed(lambda: perch.me(timeout=0.2)))', env())).toEqual([['timeout', 0]]);
      expect(server.requests).toHaveLength(1);
    });

    it('does not follow a redirect, which would get the key', async () => {
      const elsewhere = await stub();
      server = await stub({ status: 302, headers: { location: `${elsewhere.url}/v1/me` } });
      expect(await said('say(failed(perch.me))', env())).toEqual([['unreadable', 302]]);
      expect(elsewhere.requests).toEqual([]);
      elsewhere.close();
    });

    it.each([
      { status: 502, body: '<html>' },
      { status: 500, body: '{"error": 3}' },
      { status: 200, body: '<html>' },
    ])('calls an answer that is not from Perch unreadable: $status $body', async (answer) => {
      server = await stub(answer);
      expect(await said('say(failed(perch.me))', env())).toEqual([['unreadable', answer.status]]);
    });

    it('puts the key in a header and nowhere else', async () => {
      server = await stub(failure(401, 'invalid_key'));
      const code = `
import traceback
def shown(client):
    try: client.me()
    except ApiError as e: return [e.code, "".join(traceback.format_exception(type(e), e, e.__traceback__)), repr(e), repr(client), repr(client._http)]
broken = None
try: Perch(os.environ["PERCH_URL"], os.environ["PERCH_KEY"] + "\\n")
except ApiError as e: broken = [e.code, str(e)]
say(shown(perch), shown(Perch("http://127.0.0.1:1", os.environ["PERCH_KEY"])), broken)`;
      const text = JSON.stringify(await said(code, env()));
      expect(text).toMatch(/invalid_key.*unreachable.*missing_key/s);
      expect(text).not.toContain('kkkk');
      expect(server.requests).toEqual([{ path: '/v1/me', key: KEY }]);
    });

    it('pages: waits for the rate limit if that takes seconds, on any page, and gives up after five refusals', async () => {
      server = await stub(
        failure(429, 'rate_limited', 1),
        page({ next_cursor: 'a' }),
        failure(429, 'rate_limited', 60),
        failure(429, 'rate_limited', 0),
      );
      const code = `pages = perch.iter_follower_ids("a", max_credits=9)
say(len(next(pages)), failed(lambda: next(pages)), pages.spent, pages.cursor,
    failed(lambda: next(perch.iter_follower_ids("a", max_credits=9))))`;
      const refused = ['rate_limited', 429];
      expect(await said(code, env())).toEqual([6 + 1, refused, 1, 'a', refused]);
      expect(server.requests).toHaveLength(8);
    });

    it('pages: passes the rest of the budget on, continues after a sparse page, and ends at a repeated cursor', async () => {
      server = await stub(
        page({ credits_charged: 0.1, next_cursor: 'a' }),
        page({ credits_charged: 0.2, next_cursor: 'b', truncated: 'sparse' }),
        page({ credits_charged: 0.02, next_cursor: 'b' }),
      );
      const code = `pages = perch.iter_follower_ids("a/b", max_credits=0.5)
say(len(next(pages)), len(next(pages)), failed(lambda: next(pages)), pages.spent, pages.remaining, list(pages))`;
      expect(await said(code, env())).toEqual([6 + 1, 6 + 2, ['unreadable', 200], 0.32, 0.18, []]);
      expect(server.requests.map(({ path }) => path)).toEqual([
        '/v1/users/a%2Fb/followers/ids?max_credits=0.5',
        '/v1/users/a%2Fb/followers/ids?cursor=a&max_credits=0.4',
        '/v1/users/a%2Fb/followers/ids?cursor=b&max_credits=0.2',
      ]);
    });

    it('pages: makes no call with nothing left, and requires a budget above 0', async () => {
      server = await stub(page({ next_cursor: 'a' }));
      const code = `
pages = perch.iter_user_tweets("a", max_credits=1)
refused = 0
perch.user('a', max_credits=0.0000125)
perch.user('a', max_credits=6.0)
for wrong in (0, -1, float("nan"), float("inf"), 0.0001):
    try: perch.iter_user_tweets("a", max_credits=wrong)
    except ValueError: refused += 1
say(len(list(pages)), pages.ended, refused)`;
      expect(await said(code, env())).toEqual([1, 'max_credits', 5]);
      expect(server.requests.map(({ path }) => path)).toEqual([
        '/v1/users/a?max_credits=0.0000125',
        '/v1/users/a?max_credits=6.0',
        '/v1/users/a/tweets?max_credits=1.0',
      ]);
    });
  });

  it('compiles, and imports nothing but the standard library and itself', async () => {
    await promisify(execFile)('python3', ['-m', 'compileall', '-q', PACKAGE], {
      env: { ...process.env, PYTHONPYCACHEPREFIX: home },
    });
    const files = (await readdir(PACKAGE)).filter((file) => file.endsWith('.py'));
    const texts = await Promise.all(files.map((file) => readFile(join(PACKAGE, file), 'utf8')));
    const imported = texts.flatMap((text) => [...text.matchAll(/^(?:from|import) ([\w.]+)/gm)].map(([, name]) => name));
    const known = JSON.parse(await python('import json, sys; print(json.dumps(sorted(sys.stdlib_module_names)))'));
    expect(imported.filter((name = '') => !name.startsWith('.') && !known.includes(name.split('.')[0]))).toEqual([]);
  });
});

it.runIf(has.mypy)(
  `is clean under mypy --strict, and a wrong field is not${without('mypy')}`,
  async () => {
    const types = join(ROOT, 'test/clients/python/typed.py');
    const { stdout } = await promisify(execFile)(
      'mypy',
      ['--strict', '--cache-dir', join(home, 'mypy'), PACKAGE, types],
      {
        env: { ...process.env, MYPYPATH: SOURCE },
        cwd: home,
      },
    );
    expect(stdout).toMatch(/^Success: no issues found in 7 source files/);
  },
  120_000,
);
