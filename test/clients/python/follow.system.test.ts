/** The Python client yields new items of a list as they arrive. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../rules/support/service.js';
import { startGrowing } from '../growing-timeline.js';
import { failure, page, REQUEST_ID, type Stub, stub } from '../server.js';
import { has, said, without } from './python.js';

const KEY = `perch_live_${'k'.repeat(32)}`;

const HEAD = `import itertools, math, threading, time
def take(following, count): return [tweet["id"] for tweet in itertools.islice(following, count)]
`;

describe.runIf(has.python3)(`the Python client follows${without('python3')}`, () => {
  describe('against the running service', () => {
    let service: Service;
    let add: (count: number) => string[];
    beforeAll(async () => {
      ({ service, add } = await startGrowing());
    });
    afterAll(() => service.close());

    const envOf = ({ key }: { key: string }) => ({ PERCH_URL: service.perch.url, PERCH_KEY: key });
    const env = async (credits = 1000, more: Record<string, string> = {}) => ({
      ...envOf(await service.perch.account({ credits })),
      ...more,
    });

    it('yields each item that is new after it began once, and continues from since', async () => {
      add(1);
      const account = await service.perch.account();
      const code = `${HEAD}
following = perch.follow_user_tweets("1", count=4, max_credits=50, interval=0.05)
first = take(following, 5)
between = following.since
rest = take(following, 1)
again = perch.follow_user_tweets("1", since=between, max_credits=50, interval=0.05)
say(first, rest, following.spent, between != following.since, take(again, 2))`;
      const answer = said(code, envOf(account));
      // Waits until the first call is paid, and then until its answer has arrived.
      await expect.poll(() => service.perch.balance(account), { timeout: 20_000 }).toBe(999);
      await new Promise((done) => setTimeout(done, 500));
      const added = add(6);
      // One item was there before; those that were read again, from between, were cached.
      expect(await answer).toEqual([added.slice(0, 5), added.slice(5), expect.any(Number), true, added.slice(4)]);
    });

    it('ends at its budget and with the wallet, after the paid items, and reports that items may be missing', async () => {
      const reader = await service.customer();
      const { since_cursor: since } = (await reader.get('/v1/users/1/tweets?count=1')).body;
      const added = add(130);
      const code = `${HEAD}
gaps = []
following = perch.follow_user_tweets("1", since=os.environ["SINCE"], max_credits=3, interval=0.05, on_gap=lambda: gaps.append(1))
first = take(following, 2)
ended = following.ended
rest = take(following, 100)
poor = perch.follow_user_tweets("1", since=following.since, max_credits=math.inf, interval=0.05)
say(first + rest, ended, following.ended, following.spent, following.remaining, len(gaps), len(take(poor, 100)), poor.ended)`;
      expect(await said(code, await env(6, { SINCE: since }))).toEqual([
        added.slice(30, 33),
        null,
        'max_credits',
        3,
        0,
        1,
        6,
        'no_credits',
      ]);
    });

    it('raises the refusal of the first call, and refuses a list that is not in order of time', async () => {
      service.net.list('search', 'x', ['101', '102'], { product: 'Top' });
      const code = `${HEAD}
say(failed(lambda: take(perch.follow_user_tweets("1", since="nonsense", max_credits=5), 1)),
    failed(lambda: take(perch.follow_user_tweets("404", max_credits=5), 1)),
    failed(lambda: take(perch.follow_search("x", product="Top", max_credits=5), 1)))`;
      expect(await said(code, await env())).toEqual([
        ['bad_request', 400, 'cursor_malformed', 'since'],
        ['not_found', 404, 'unknown'],
        ['unreadable', 200],
      ]);
    });
  });

  describe('on the way', () => {
    let server: Stub | undefined;
    afterEach(() => server?.close());
    const env = () => ({ PERCH_URL: server?.url ?? 'http://127.0.0.1:1', PERCH_KEY: KEY });
    const answer = (since: string, tweets: readonly string[], more: object = {}) =>
      page({ data: tweets.map((id) => ({ id })), since_cursor: since, has_newer: false, ...more });

    it('waits as the service asks, then longer each time, and repeats the call', async () => {
      server = await stub(
        failure(429, 'rate_limited', 1),
        answer('b', ['1'], { has_newer: true }),
        failure(503, 'upstream_error'),
        { status: 502, body: '<html>' },
        answer('c', ['2']),
      );
      const code = `${HEAD}
errors = []
began = time.monotonic()
following = perch.follow_user_tweets("1", since="a", max_credits=50, interval=0.01, on_retry=lambda e: errors.append(e.status))
say(take(following, 2), errors, time.monotonic() - began >= 1.3, following.since)`;
      expect(await said(code, env())).toEqual([['1', '2'], [429, 503, 502], true, 'c']);
      const cursors = server.requests.map(({ path: each }) => new URLSearchParams(each.split('?')[1]).get('since'));
      expect(cursors).toEqual(['a', 'a', 'b', 'b', 'b']);
    });

    const unknown = () => ({
      ...failure(503, 'upstream_error'),
      body: failure(503, 'upstream_error').body?.replace('"code"', '"reason":"charge_unknown","code"') ?? '',
    });
    const asked = () => server?.requests.map(({ path: each }) => each.replace(/.*(?=since=\w)|&.*/g, ''));
    const RECEIPT = `/v1/usage/${REQUEST_ID}`;

    it('looks up the receipt of a call whose charge is unknown before it repeats the call', async () => {
      server = await stub(
        answer('b', ['1']),
        unknown(),
        failure(404, 'not_found'),
        page({ data: { credits: 3 } }),
        answer('c', ['2']),
      );
      const code = `${HEAD}
following = perch.follow_user_tweets("1", since="a", max_credits=50, interval=0.01)
say(take(following, 2), following.spent)`;
      expect(await said(code, env())).toEqual([['1', '2'], 5]);
      expect(asked()).toEqual(['since=a', 'since=b', RECEIPT, RECEIPT, 'since=b']);
    });

    it('looks up the receipt of a call whose answer was lost after its head', async () => {
      const lost = { headers: { 'x-request-id': REQUEST_ID }, bodyLost: 'cut' } as const;
      server = await stub(answer('b', ['1']), lost, page({ data: { credits: 3 } }), answer('c', ['2']));
      const code = `${HEAD}
following = perch.follow_user_tweets("1", since="a", max_credits=50, interval=0.01)
say(take(following, 2), following.spent)`;
      expect(await said(code, env())).toEqual([['1', '2'], 5]);
      expect(asked()).toEqual(['since=a', 'since=b', RECEIPT, 'since=b']);
    });

    it('says when the receipt cannot be looked up, and waits as the service asks', async () => {
      server = await stub(
        answer('b', ['1']),
        unknown(),
        failure(429, 'rate_limited', 5),
        page({ data: { credits: 3 } }),
      );
      const code = `${HEAD}
errors = []
began = time.monotonic()
following = perch.follow_user_tweets("1", since="a", max_credits=4, interval=0.01, on_retry=lambda e: errors.append(e.status))
say(take(following, 2), following.spent, errors, time.monotonic() - began >= 7)`;
      expect(await said(code, env())).toEqual([['1'], 4, [503, 429], true]);
    });

    it('ends at its budget if such a call has used it up', async () => {
      server = await stub(answer('b', ['1']), unknown(), page({ data: { credits: 3 } }));
      const code = `${HEAD}
following = perch.follow_user_tweets("1", since="a", max_credits=4, interval=0.01)
say(take(following, 2), following.ended, following.spent)`;
      expect(await said(code, env())).toEqual([['1'], 'max_credits', 4]);
      expect(asked()).toEqual(['since=a', 'since=b', RECEIPT]);
    });

    it('ends when its event is set, also while it waits', async () => {
      server = await stub(answer('b', ['1']));
      const code = `${HEAD}
stop = threading.Event()
following = perch.follow_user_tweets("1", since="a", max_credits=50, stop=stop)
first = take(following, 1)
threading.Timer(0.3, stop.set).start()
early = perch.follow_user_tweets("1", since="a", max_credits=50, stop=stop)
say(first + take(following, 100), following.ended, following.since, take(early, 1), early.ended)`;
      expect(await said(code, env())).toEqual([['1'], 'stopped', 'b', [], 'stopped']);
      expect(server.requests).toHaveLength(1);
    });

    it('raises the fifth failure in a row that may have been charged, and counts anew after an answer', async () => {
      const lost = { status: 502, body: '<html>' };
      server = await stub(answer('b', ['1']), lost, lost, lost, lost, answer('c', ['2']), lost);
      const code = `${HEAD}
errors = []
following = perch.follow_user_tweets("1", since="a", max_credits=50, interval=0.01, on_retry=errors.append)
say(take(following, 2), failed(lambda: take(following, 1)), len(errors), following.since)`;
      expect(await said(code, env())).toEqual([['1', '2'], ['unreadable', 502], 8, 'c']);
      expect(server.requests).toHaveLength(11);
    });

    it('keeps trying while connections are refused', async () => {
      server = await stub(answer('b', ['1']));
      const code = `${HEAD}
stop = threading.Event()
errors = []
def on_retry(error):
    errors.append([error.code, error.reason])
    if len(errors) == 7: stop.set()
following = perch.follow_user_tweets("1", since="a", max_credits=50, interval=0.01, stop=stop, on_retry=on_retry)
first = take(following, 1)
perch._http.base_url = "http://127.0.0.1:2"
say(first, take(following, 1), following.ended, errors[-1])`;
      const lost = ['unreachable', 'ConnectionRefusedError'];
      expect(await said(code, env())).toEqual([['1'], [], 'stopped', lost]);
    });

    it('raises a first call that failed without Retry-After, and a refusal of a later one', async () => {
      server = await stub(
        { status: 502, body: '<html>' },
        failure(503, 'upstream_error'),
        answer('b', []),
        failure(403, 'access_denied'),
      );
      const code = `${HEAD}
start = lambda: perch.follow_user_tweets("1", since="a", max_credits=50, interval=0.01)
late = start()
say([failed(lambda: take(start(), 1)) for _ in range(2)], failed(lambda: take(late, 1)), late.since, late.ended, take(late, 1))`;
      const first = [
        ['unreadable', 502],
        ['upstream_error', 503],
      ];
      expect(await said(code, env())).toEqual([first, ['access_denied', 403], 'b', null, []]);
    });

    it('rejects an invalid budget and an invalid interval', async () => {
      const code = `
refused = 0
for wrong in ({"max_credits": 0}, {"max_credits": -1}, {"max_credits": float("nan")}, {"max_credits": 0.0001},
              {"max_credits": 1, "interval": -1}, {"max_credits": 1, "interval": float("inf")}):
    try: perch.follow_user_tweets("a", **wrong)
    except ValueError: refused += 1
say(refused)`;
      expect(await said(code, env())).toEqual([6]);
    });
  });
});
