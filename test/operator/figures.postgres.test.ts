/** The service in figures, over a real database: they add up, and are read without the debits. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statsJson, statsText } from '../../adapters/cli/commands/stats.js';
import { createCosts } from '../../adapters/postgres/costs.js';
import { createOperatorStore } from '../../adapters/postgres/operator.js';
import { daysUntil, readFigures } from '../../src/billing/figures.js';
import { type Customer, type DashboardService, startDashboard } from '../dashboard/service.js';

let service: DashboardService;
let olga: Customer;
let today: string;

beforeAll(async () => {
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
  await createCosts(service.sql).add([
    {
      ...{ day: today, network: 'x', operation: 'user-tweets', answers: 2, items: 50, cacheHits: 10, charged: 50_000 },
      ...{ calls: 3, tweets: 40, users: 0, cost: 5_000_000 },
    },
    {
      ...{ day: today, network: 'x', operation: 'user', answers: 5, items: 5, cacheHits: 5, charged: 2_500 },
      ...{ calls: 0, tweets: 0, users: 0, cost: 0 },
    },
  ]);
});
afterAll(() => service?.close());

const figures = () =>
  readFigures(
    { store: createOperatorStore(service.sql), costs: createCosts(service.sql) },
    daysUntil(service.clock.now(), 7),
  );

describe('money', () => {
  it('sold and granted less spent is what is outstanding, in every wallet together', async () => {
    const { totals, revenue } = await figures();
    const [sale] = await service.sql<{ usd: number; credits: number }[]>`
      select usd, credits_thousandths as credits from sales where state = 'paid'`;
    expect(totals).toMatchObject({ sold: sale?.credits, granted: 100_000, withdrawn: 0, spent: 50_000 });
    expect(totals.outstanding).toBe((sale?.credits ?? 0) + 100_000 - 50_000);
    expect(totals.paidCents).toBe((sale?.usd ?? 0) * 100);
    expect(revenue).toEqual([{ day: today, pack: 'starter', sales: 1, ...sale }]);
  });

  it('is known while the debits cannot be read: nothing scans the ledger', async () => {
    await service.sql.begin(async (tx) => {
      await tx`lock table debits in access exclusive mode`;
      expect((await figures()).totals.spent).toBe(50_000);
    });
  });

  it('is on a page, with charts', async () => {
    const { status, words, body } = await olga.get('/operator/money');
    expect(status).toBe(200);
    expect(words).toContain('Credits granted 100');
    expect(words).toContain('Credits spent 50');
    const sources = [...body.matchAll(/<img src="(\/operator\/[^"]+)"/g)].map(([, src = '']) =>
      src.replaceAll('&amp;', '&'),
    );
    expect(sources).toHaveLength(2);
    for (const source of sources) {
      const picture = await olga.get(source);
      expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8']);
      expect(picture.body).toMatch(/^<svg/);
    }
  });
});

describe('reads', () => {
  it('are shown by operation, and one that costs more than it earns is named', async () => {
    const { status, words } = await olga.get('/operator/reads?days=7');
    expect(status).toBe(200);
    expect(words).toMatch(/user-tweets\s+x\s+2\s+50\s+20%\s+3\s+50\s+\$0\.\d\d\s+\$5\.00\s+Costs more than it earns/);
    expect(words).toMatch(/ user\s+x\s+5\s+5\s+100%\s+0\s+2\.5\s+\$0\.\d\d\s+\$0\.00\s+(?!Costs)/);
    expect(words).toContain('Fast reads');
  });

  it('a picture of nothing known is refused', async () => {
    expect((await olga.get('/operator/figures.svg?chart=weather')).status).toBe(400);
  });

  it.each(['/operator/money', '/operator/reads', '/operator/figures.svg?chart=items'])(
    '%s does not exist for a customer',
    async (path) => {
      const ada = await service.customer('other@harbour.example');
      expect((await ada.get(path)).status).toBe(404);
    },
  );
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
