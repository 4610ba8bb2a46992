/** What the Python client refuses before a call, and what it reports if something else than Perch answers, or nothing. */
import { afterEach, describe, expect, it } from 'vitest';
import { failure, page, REQUEST_ID, type Stub, stub } from '../server.js';
import { has, said, without } from './python.js';

const KEY = `perch_live_${'k'.repeat(32)}`;
const REPORTED = `
try: perch.me(timeout=3)
except ApiError as e: say(e.code, e.status, e.request_id)`;
const NOWHERE = { PERCH_URL: 'http://127.0.0.1:1', PERCH_KEY: KEY };

describe.runIf(has.python3)(`refusals of the Python client${without('python3')}`, () => {
  let server: Stub | undefined;
  afterEach(() => server?.close());
  const env = () => ({ PERCH_URL: server?.url ?? '', PERCH_KEY: KEY });

  it('reject an invalid base address without quoting its password', async () => {
    const code = `
said = []
for wrong in (None, "", "perch.example", "127.0.0.1:4000", "http://", "ftp://a", "http://a:x", "https://a?b=c", "http://a:secret@b"):
    try: Perch(wrong, "k")
    except ValueError as e: said.append(str(e))
say(len(said), len(set(said)), "secret" in said[0], [repr(Perch(right, "k")) for right in ("http://a/", " http://a/b// \\n", "http://[::1]:3")])`;
    expect(await said(code, NOWHERE)).toEqual([
      9,
      1,
      false,
      ["Perch('http://a')", "Perch('http://a/b')", "Perch('http://[::1]:3')"],
    ]);
  });

  it('reject an invalid key', async () => {
    const code = `say([failed(lambda: Perch("http://a", key)) for key in (None, "", "a b", "\\u00e9")])`;
    expect(await said(code, NOWHERE)).toEqual([Array(4).fill(['missing_key', 0])]);
  });

  it('reject a handle that would lead to another endpoint; any other is one segment of the address', async () => {
    server = await stub(page({}));
    const code = `
others = ["\\u65e5\\u672c", "a/../b", "%2e%2e", "a?b#c"]
for other in others: perch.follower_ids(other)
say([failed(lambda: perch.follower_ids(step)) for step in (".", "..")], others)`;
    const [refused, others] = (await said(code, env())) as [unknown, string[]];
    expect(refused).toEqual(Array(2).fill(['bad_request', 0, 'user']));
    expect(server.requests.map(({ path }) => decodeURIComponent(path.split('/')[3] ?? ''))).toEqual(others);
  });

  it('reject half of a surrogate pair in a parameter', async () => {
    server = await stub(page({}));
    const code = `say(failed(lambda: perch.follower_ids("a\\ud800")), failed(lambda: perch.search("\\udc00")))`;
    expect(await said(code, env())).toEqual(Array(2).fill(['bad_request', 0]));
    expect(server.requests).toEqual([]);
  });

  it('reject an invalid time limit, and take one without end', async () => {
    server = await stub(page({}));
    const code = `
import math
wrong = (0, -1, math.nan, -math.inf, 2147484, 1e300)
say([failed(lambda: Perch(os.environ["PERCH_URL"], "k", timeout=each)) for each in wrong] + [failed(lambda: perch.me(timeout=each)) for each in wrong],
    [len(Perch(os.environ["PERCH_URL"], "k", timeout=each).me()) and len(perch.me(timeout=each)) for each in (math.inf, 2147483, 5)])`;
    expect(await said(code, env())).toEqual([Array(12).fill(['bad_request', 0, 'timeout']), [6, 6, 6]]);
    expect(server.requests).toHaveLength(6);
  });

  it('send an Idempotency-Key, and reject one that no header can hold', async () => {
    server = await stub(page({}));
    const code = `
perch.checkout("starter", idempotency_key="order-1")
perch.checkout("starter")
say([failed(lambda: perch.checkout("starter", idempotency_key=key)) for key in ("", "a b", "\u00e9", "a\\nb", "a\\n")])`;
    expect(await said(code, env())).toEqual([Array(5).fill(['bad_request', 0, 'Idempotency-Key'])]);
    expect(server.requests.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['order-1', undefined]);
  });

  it('say in one word why nothing was reached', async () => {
    const code = `
def text(client):
    try: client.me()
    except ApiError as e: return str(e)
say(text(perch), text(Perch("http://a..b", "k")))`;
    expect(await said(code, NOWHERE)).toEqual([
      "unreachable: http://127.0.0.1:1 can't be reached (ConnectionRefusedError).",
      expect.stringMatching(/^unreachable: http:\/\/a\.\.b can't be reached \(Unicode\w*Error\)\.$/),
    ]);
  });

  it.each(['socks5://user:secret@127.0.0.1:1', 'http:/user:secret@127.0.0.1', 'http://'])(
    'say that the proxy of the environment cannot be used, without quoting it: %s',
    async (http_proxy) => {
      const code = `
try: perch.me()
except ApiError as e: say(str(e), e.status)`;
      const expected = [expect.stringMatching(/^unreachable: The proxy in the environment (?!.*secret)/), 0];
      expect(await said(code, { ...NOWHERE, http_proxy, no_proxy: '', NO_PROXY: '' })).toEqual(expected);
    },
  );

  it('report no time to retry from a proxy, behind which the call may have been charged', async () => {
    server = await stub({ status: 503, headers: { 'retry-after': '7' }, body: '<html>' });
    const code = `
try: perch.me()
except ApiError as e: say(e.code, e.status, e.retry_after)`;
    expect(await said(code, env())).toEqual(['unreadable', 503, null]);
  });

  it.each([
    [200, 'cut', 'unreachable'],
    [200, 'held', 'timeout'],
    [503, 'cut', 'unreachable'],
  ] as const)('report status and id of an answer whose body was lost: %i, %s', async (status, bodyLost, code) => {
    server = await stub({ status, bodyLost, headers: { 'x-request-id': REQUEST_ID } });
    expect(await said(REPORTED, env())).toEqual([code, status, REQUEST_ID]);
  });

  it.each([
    [200, REQUEST_ID, REQUEST_ID],
    [502, REQUEST_ID, REQUEST_ID],
    [502, '0c1f8f0a-9d5b-4a52-8d53-55f8f6d6a3f7', null],
  ])('report the id of an unreadable answer (%i) if it is one of Perch: %s', async (status, id, expected) => {
    server = await stub({ status, body: '<html>', headers: { 'x-request-id': id } });
    expect(await said(REPORTED, env())).toEqual(['unreadable', status, expected]);
  });

  it.each(['null', '3', '"text"', '[]', ''])('report JSON other than an object as unreadable: %s', async (body) => {
    server = await stub({ body });
    const code = `say(failed(perch.me), failed(lambda: next(perch.iter_follower_ids("a", max_credits=9))),
    failed(lambda: next(perch.follow_user_tweets("a", max_credits=9))))`;
    expect(await said(code, env())).toEqual(Array(3).fill(['unreadable', 200]));
  });

  it.each([
    [301, 'https://perch.example/'],
    [308, 'https://perch.example/'],
    [302, 'http://[::1'],
    [307, 'file:///etc/passwd'],
  ])('report a redirect (%i), wherever it leads: %s', async (status, location) => {
    server = await stub({ status, headers: { location } });
    const code = `
try: perch.users_batch(["a"])
except ApiError as e: say(str(e))`;
    expect(await said(code, env())).toEqual([expect.stringMatching(/^unreadable: .* responded with a redirect/)]);
  });

  it('end pages without a price, which resume after a failure', async () => {
    server = await stub(
      page({ next_cursor: 'a' }),
      page({ next_cursor: 'b', credits_charged: undefined }),
      page({ next_cursor: 'b' }),
      failure(503, 'no_account'),
      page({ data: ['last'] }),
    );
    const code = `
first = perch.iter_follower_ids("a", max_credits=9)
say([len(next(first)) > 0, failed(lambda: next(first)), first.cursor, first.ended, first.spent])
second = perch.iter_follower_ids("a", max_credits=9, cursor=first.cursor)
next(second)
say([failed(lambda: next(second)), second.cursor])
say([each["data"] for each in perch.iter_follower_ids("a", max_credits=9, cursor=second.cursor)])`;
    const lines = await said(
      `_print, _all = print, []\nprint = _all.append\n${code}\n_print("[" + ",".join(_all) + "]")`,
      env(),
    );
    expect(lines).toEqual([[[true, ['unreadable', 200], 'a', null, 1]], [[['no_account', 503], 'b']], [[['last']]]]);
    expect(server.requests.map(({ path }) => new URL(path, server?.url).searchParams.get('cursor'))).toEqual([
      null,
      'a',
      'a',
      'b',
      'b',
    ]);
  });

  it('stay whole when they are pickled and copied', async () => {
    const code = `
import copy, pickle
e = ApiError("no_credits", "It failed.", status=402, reason="key_cap", retry_after=3)
say([[f.__dict__ == e.__dict__, str(f)] for f in (pickle.loads(pickle.dumps(e)), copy.copy(e))])`;
    expect(await said(code, NOWHERE)).toEqual([Array(2).fill([true, 'no_credits: It failed.'])]);
  });

  it('do not occur when threads share the client', async () => {
    server = await stub(page({ balance: 1 }));
    const code = `
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as pool: say(sum(me["balance"] for me in pool.map(lambda _: perch.me(), range(40))))`;
    expect(await said(code, env())).toEqual([40]);
    expect(new Set(server.requests.map(({ key }) => key))).toEqual(new Set([KEY]));
  });
});
