/** The figures of the service, over a real database: they add up, and are read without scanning the debits. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statsJson, statsText, trafficJson, trafficText } from '../../../adapters/cli/commands/stats.js';
import { openTestAccount, refillWallet } from '../../../adapters/postgres/accounts/test-accounts.js';
import { createCosts } from '../../../adapters/postgres/figures/costs.js';
import { createOperatorStore } from '../../../adapters/postgres/figures/operator.js';
import { createTraffic } from '../../../adapters/postgres/figures/traffic.js';
import { daysUntil, readFigures } from '../../../src/billing/figures.js';
import { OPERATOR } from '../../../src/domain/audit.js';
import { DAY_MS, utcDay } from '../../../src/lib/durations.js';
import { untilDayHasAMinute } from '../../kit/time/day.js';
import { chartsIn } from '../dashboard/charts.js';
import { type Customer, type DashboardService, startDashboard } from '../dashboard/service.js';

let service: DashboardService;
let olga: Customer;
let today: string;

beforeAll(async () => {
  await untilDayHasAMinute();
  service = await startDashboard({ env: { PERCH_OPERATORS: 'olga@perch.example' } });
  olga = await service.customer('olga@perch.example');
  today = new Date(service.clock.now()).toISOString().slice(0, 10);
  const ada = await service.customer('ada@harbour.example');
  await ada.grant(100);
  const { headers } = await ada.post('/dashboard/credits/buy', { pack: 'starter' });
  const session = headers.get('location')?.split('/').at(-1) ?? '';
  service.stripe.pay(session);
  await ada.get(`/dashboard/credits?session_id=${session}`);
  const { keyId } = await ada.key();
  for (const tweets of [20, 30]) await ada.read(keyId, tweets);
  await createCosts(service.sql).add(randomUUID(), [
    {
      ...{ day: today, network: 'x', operation: 'user-tweets', answers: 2, items: 50, cacheHits: 10, charged: 50_000 },
      ...{ calls: 3, tweets: 40, users: 0, cost: 5_000_000 },
    },
    {
      ...{ day: today, network: 'x', operation: 'user', answers: 5, items: 5, cacheHits: 5, charged: 2_500 },
      ...{ calls: 0, tweets: 0, users: 0, cost: 0 },
    },
    {
      ...{ day: utcDay(service.clock.now() - 60 * DAY_MS), network: 'x', operation: 'live-user-tweets', answers: 30 },
      ...{ items: 1_500, cacheHits: 1_200, charged: 900_000, calls: 75, tweets: 300, users: 0, cost: 1_500_000 },
    },
    {
      ...{ day: utcDay(service.clock.now() - 60 * DAY_MS), network: 'x', operation: 'live-graphql', answers: 10 },
      ...{ items: 500, cacheHits: 400, charged: 300_000, calls: 25, tweets: 100, users: 0, cost: 500_000 },
    },
  ]);
}, 120_000);
afterAll(() => service?.close());

const figures = () =>
  readFigures(
    { store: createOperatorStore(service.sql), costs: createCosts(service.sql) },
    daysUntil(service.clock.now(), 7),
  );

describe('money', () => {
  it('adds up: outstanding credits are those sold and granted less those spent', async () => {
    const { totals, revenue } = await figures();
    const [sale] = await service.sql<{ usd: number; credits: number }[]>`
      select usd, credits_thousandths as credits from sales where state = 'paid'`;
    expect(totals).toMatchObject({ sold: sale?.credits, granted: 100_000, withdrawn: 0, spent: 50_000 });
    expect(totals.outstanding).toBe((sale?.credits ?? 0) + 100_000 - 50_000);
    expect(totals.paidCents).toBe((sale?.usd ?? 0) * 100);
    expect(revenue).toEqual([{ day: today, pack: 'starter', sales: 1, ...sale }]);
  });

  it('counts neither the account of test keys nor its play credits', async () => {
    const before = (await figures()).totals;
    const [{ accounts: listed = 0 } = {}] = await service.sql<{ accounts: number }[]>`
      select count(*)::int as accounts from accounts where test_of is null`;
    const [owner] = await service.sql<{ accountId: string }[]>`
      select account_id as "accountId" from accounts where test_of is null limit 1`;
    const testId = await service.sql.begin((tx) => openTestAccount(tx, owner?.accountId ?? '', OPERATOR));
    await refillWallet(service.sql, { accountId: testId, day: today, upTo: 10_000_000, requestId: randomUUID() });
    expect((await figures()).totals).toEqual(before);
    expect(before.accounts).toBe(listed);
  });

  it('counts the credits of a deleted account as lost, not as outstanding or spent', async () => {
    const own = await startDashboard();
    const totals = () => createOperatorStore(own.sql).money();
    try {
      const before = await totals();
      const eve = await own.customer('eve@harbour.example');
      await eve.grant(500);
      await eve.read((await eve.key()).keyId, 20);
      expect((await eve.post('/dashboard/account/delete', { name: 'Ada' })).status).toBe(303);
      const moved = { granted: 500_000, spent: 20_000, lost: 480_000, outstanding: before.outstanding };
      expect(await totals()).toEqual({ ...before, ...moved });
    } finally {
      await own.close();
    }
  });

  it('does not call spent credits income', async () => {
    const { words } = await olga.get('/operator/money');
    expect(words).toContain('Worth');
    expect(words).not.toMatch(/Income \$/);
  });

  it('is read without scanning the debits', async () => {
    await service.sql.begin(async (tx) => {
      await tx`lock table debits in access exclusive mode`;
      expect((await figures()).totals.spent).toBe(50_000);
    });
  });

  it('is shown on a page with two charts', async () => {
    const { status, words, body } = await olga.get('/operator/money');
    expect(status).toBe(200);
    expect(words).toContain('Credits granted 100');
    expect(words).toContain('Credits spent 50');
    expect(words).toContain('Credits spent per day A running service writes its sums once a minute.');
    expect(chartsIn(body).map(({ text }) => text)).toEqual([
      expect.stringMatching(/^US dollars per day from \S+ to \S+, as stacked bars: /),
      expect.stringMatching(/^Credits per day from \S+ to \S+, as stacked bars: 52.5 in total, /),
    ]);
  });
});

describe('reads', () => {
  it('are shown by operation, marking one that costs more than it is worth', async () => {
    const { status, words } = await olga.get('/operator/reads?days=7');
    expect(status).toBe(200);
    expect(words).toMatch(
      /user-tweets\s+x\s+2\s+50\s+20%\s+3\s+50\s+\$0\.\d\d\s+\$5\.00\s+Costs more than it is worth/,
    );
    expect(words).toMatch(/ user\s+x\s+5\s+5\s+100%\s+0\s+2\.5\s+\$0\.\d\d\s+\$0\.00\s+(?!Costs)/);
    expect(words).toContain('Profiles, tweets and timelines');
    expect(words).toMatch(/Database\s+reachable\s+Redis\s+not used: this process has its own cache/);
  });

  it('sums up what streams and watches brought and cost', async () => {
    const { words } = await olga.get('/operator/reads?days=90');
    expect(words).toMatch(
      /2,000 items brought \$\d\.\d\d and cost \$2\.00: \$\d\.\d\d and \$1\.00 for 1,000 items\. The network was called 100 times\./,
    );
    expect((await olga.get('/operator/reads?days=7')).words).not.toContain('Streams and watches');
  });

  it.each(['/operator/money', '/operator/reads', '/operator/traffic'])(
    '%s does not exist for a customer',
    async (path) => {
      const ada = await service.customer('other@harbour.example');
      expect((await ada.get(path)).status).toBe(404);
    },
  );
});

describe('traffic', () => {
  let adaId: string;
  beforeAll(async () => {
    const ada = await service.customer('limited@harbour.example');
    adaId = ada.accountId;
    const now = service.clock.now();
    const hour = `${new Date(now).toISOString().slice(0, 13)}:00:00Z`;
    const row = { hour, interface: 'rest', operation: 'user', status: 200, code: '' } as const;
    await createTraffic(service.sql).add(
      randomUUID(),
      [
        { ...row, bucket: 4, requests: 99, items: 99, cacheHits: 33 },
        { ...row, bucket: 16, status: 404, code: 'not_found', requests: 1, items: 0, cacheHits: 0 },
        { ...row, interface: 'test', bucket: 4, requests: 7, items: 7, cacheHits: 0 },
        { ...row, interface: 'site', operation: '', status: 0, bucket: 2, requests: 3, items: 0, cacheHits: 0 },
      ],
      [
        { day: today, accountId: adaId, limit: 'rate_limited', refusals: 12 },
        { day: today, accountId: null, limit: 'failed_keys', refusals: 4 },
      ],
    );
  });

  it.each(['', '?hours=24', '?hours=168', '?hours=720', '?hours=none'])(
    'is shown with charts, tables and limits met for the query "%s"',
    async (query) => {
      const { status, words, body } = await olga.get(`/operator/traffic${query}`);
      expect(status).toBe(200);
      expect(words).toMatch(/REST\s+user\s+100\s+1%\s+33%\s+[34](\.\d)? ms\s+[45](\.\d)? ms/);
      expect(words).toMatch(/404\s+not_found\s+REST\s+1 /);
      expect(words).toMatch(/caller left\s+pages\s+3 /);
      expect(body).toContain(`href="/operator/accounts/${adaId}"`);
      expect(words).toMatch(/Ada\s+Requests per second\s+12 /);
      expect(words).toMatch(/callers without a valid key\s+Invalid keys from one address\s+4 /);
      const charts = chartsIn(body);
      expect(charts).toHaveLength(3);
      // Requests and items are drawn as bars, times as lines.
      expect(charts.map(({ bars, lines }) => [bars, lines].map((all) => Object.keys(all).length > 0))).toEqual([
        [true, false],
        [false, true],
        [true, false],
      ]);
    },
  );

  it('is on the overview with money, the state of the network and what is new', async () => {
    const { status, words, body } = await olga.get('/operator');
    expect(status).toBe(200);
    expect(words).toMatch(/Last 24 hours .* Requests 100 Failed 1% Response time, p50 [34](\.\d)? ms/);
    expect(words).toMatch(/Last 30 days .* Paid for packs \$10\.00 Credits spent 52\.5 Network cost \$5\.00/);
    expect(words).toMatch(/ Now .* Credits outstanding [\d,.]+ /);
    expect(words).toMatch(/Working|Degraded|Down/);
    expect(body).toContain(`href="/operator/accounts/${adaId}"`);
    expect(chartsIn(body)).toHaveLength(2);
  });

  it.each([
    ['money.csv?days=7', /^day,.*\r\n\d{4}-\d\d-\d\d,1,10,52\.5,7,55,15,5\r\n$/],
    ['reads.csv', /\r\nx,user-tweets,2,50,10,3,50,5\r\n/],
    ['traffic.csv', /\r\nrest,user,100,1,99,33,[\d.]+,[\d.]+\r\n/],
  ])('is in the file %s', async (file, says) => {
    const { body, headers } = await olga.get(`/operator/${file}`);
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="perch-\w+\.csv"$/);
    expect(body).toMatch(says);
  });

  it('describes the charts in text for screen readers', async () => {
    const { body } = await olga.get('/operator/traffic');
    expect(body).toMatch(/aria-label="Requests per hour from [^"]+, as stacked bars: 107 in total/);
    expect(body).toMatch(
      /aria-label="Milliseconds per hour from [^"]+, as lines: p50 [\d.]+ over all, [\d.]+ at most; p99 /,
    );
  });

  it('is printed by perch stats', async () => {
    const read = await createTraffic(service.sql).read(`${today}T00:00:00Z`, { limits: 10 });
    expect(trafficJson(read)).toMatchObject({
      requests: [
        { interface: 'rest', operation: 'user', requests: 100, refused: 1, hit_rate: 0.333 },
        { interface: 'test', operation: 'user', requests: 7, hit_rate: 0 },
        { interface: 'site', operation: null, requests: 3, hit_rate: null },
      ],
      statuses: [
        { status: null, code: null, interface: 'site', requests: 3 },
        { status: 200, code: null, interface: 'rest', requests: 99 },
        { status: 200, code: null, interface: 'test', requests: 7 },
        { status: 404, code: 'not_found', interface: 'rest', requests: 1 },
      ],
      limits_met: [
        { account_id: adaId, account: 'Ada', limit: 'rate_limited', refusals: 12, last_day: today },
        { account_id: null, account: null, limit: 'failed_keys', refusals: 4, last_day: today },
      ],
    });
    const text = trafficText(read);
    expect(text).toMatch(/^REST +user +100 +1% +33% +[\d.]+ ms +[\d.]+ ms$/m);
    expect(text).toMatch(/^without a valid key +failed_keys +4 /m);
    expect(text).not.toContain('There are more');
    const many = { ...read, limits: Array.from({ length: 21 }, () => read.limits[0] ?? expect.unreachable()) };
    expect(trafficText(many)).toMatch(/There are more, with fewer refusals\.$/);
    expect(trafficJson(many)).toMatchObject({ limits_met: { length: 20 }, more_limits_met: true });
  });
});

describe('perch stats', () => {
  it('prints the same figures as the page', async () => {
    const all = await figures();
    expect(statsJson(all)).toMatchObject({
      credits: { granted: 100, withdrawn: 0, spent: 50, sold: all.totals.sold / 1000 },
      revenue: [{ day: today, pack: 'starter', sales: 1 }],
      days: [{ day: today, sales: 1, credits_spent: 52.5, answers: 7, items: 55, calls: 3, cost_usd: 5 }],
    });
    const text = statsText(all);
    expect(text).toMatch(/^Credits granted +100$/m);
    expect(text).toMatch(new RegExp(`^${today} .* 52\\.5 +7 +55  27% +3 .*\\$5\\.00$`, 'm'));
  });
});
