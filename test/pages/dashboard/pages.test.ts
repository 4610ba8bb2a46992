/** What the pages say, over fixtures: a new account, a busy one, a frozen one, and one with hostile names. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentClients } from '../../../adapters/pages/kit/agent-clients.js';
import { AUDIT } from '../../../src/domain/audit.js';
import { PACKS, TIERS } from '../../../src/domain/tiers.js';
import { chartsIn } from './charts.js';
import { BUSY, EMPTY, FROZEN, HOSTILE, HOSTILE_NAMES, type Household } from './fixture.js';
import { ago, receiptOf, uuid } from './fixture-usage.js';
import { PATHS } from './paths.js';
import { type Served, serveHousehold } from './stand-ins.js';

const HOUSEHOLDS = { empty: EMPTY, busy: BUSY, frozen: FROZEN, hostile: HOSTILE } satisfies Record<string, Household>;
type Name = keyof typeof HOUSEHOLDS;
const NAMES = Object.keys(HOUSEHOLDS) as Name[];

let served: Record<Name, Served>;
beforeAll(async () => {
  const started = await Promise.all(NAMES.map(async (name) => [name, await serveHousehold(HOUSEHOLDS[name])] as const));
  served = Object.fromEntries(started) as Record<Name, Served>;
});
afterAll(() => Promise.all(Object.values(served ?? {}).map((one) => one.close())));

const request = async (one: Served, path: string, method = 'GET') => {
  const answer = await fetch(one.url + path, { method, headers: { accept: 'text/html' } });
  return { statusCode: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
};
const get = (name: Name, path: string) => request(served[name], path);
const page = async (name: Name, url: string): Promise<string> => (await get(name, url)).body;
/** The text of a page: without tags, with spaces folded. */
const words = async (name: Name, url: string): Promise<string> =>
  (await page(name, url)).replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

it('dates its figures while the replica is well behind', async () => {
  let asOf: Date | null = new Date('2026-11-27T09:00:05.500Z');
  const one = await serveHousehold(BUSY, { historyAsOf: async () => asOf });
  const text = async () => (await request(one, '/dashboard/usage')).body;
  expect(await text()).toContain('statements are as of 2026-11-27 09:00:05 UTC.');
  asOf = null;
  expect(await text()).not.toContain('are as of');
  await one.close();
});

describe('the busy account, of which pictures are taken', () => {
  const { account, usage, statement, sales, grants, alerts, log, receipts } = BUSY;
  const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
  const spentOn = (day: string): number => sum(usage.filter((row) => row.day === day).map(({ amount }) => amount));
  const NEWEST_FIRST = (a: string, b: string): number => (a < b ? 1 : -1);

  it('has the balance that follows from its statement and its usage', () => {
    expect(account.balance).toBe(sum(statement.map(({ amount }) => amount)) - sum(usage.map(({ amount }) => amount)));
    for (const { balanceAfter } of statement) expect(balanceAfter).toBeGreaterThan(0);
    expect(receipts[0]?.balanceAfter).toBe(account.balance);
    expect(receipts[1]?.balanceAfter).toBe(account.balance + (receipts[0]?.amount ?? 0));
  });

  it('has paid the sum of its sales, and has each of them on its statement', () => {
    const paid = sales.filter(({ state }) => state === 'paid');
    expect(account.paidUsd).toBe(sum(paid.map(({ usd }) => usd)));
    const bought = statement.filter(({ kind }) => kind === 'purchase');
    expect(bought.map(({ at, amount }) => [at, amount])).toEqual(
      paid.map((sale) => [sale.paidAt, sale.credits * 1000]),
    );
  });

  it.each(account.keys.map((key) => [key.prefix, key] as const))(
    'has a key %s whose spending matches its usage',
    (prefix, key) => {
      const used = usage.filter((row) => row.keyPrefix === prefix);
      const days = used.map(({ day = '' }) => day).sort();
      expect(key.spent).toBe(sum(used.map(({ amount }) => amount)));
      expect(key.createdAt.slice(0, 10) <= (days[0] ?? '')).toBe(true);
      expect((days.at(-1) ?? '') < (key.revokedAt ?? key.expiresAt ?? '9')).toBe(true);
      const { cap } = key;
      if (cap === null) return;
      const begins = cap.period === 'day' ? '2026-11-21' : '2026-11';
      expect(cap.spent).toBe(sum(used.filter(({ day = '' }) => day.startsWith(begins)).map(({ amount }) => amount)));
      expect(cap.spent).toBeLessThan(cap.amount);
    },
  );

  it('has a key for each allowed app, created with its grant, with the same spending', () => {
    for (const grant of grants.filter(({ revokedAt }) => revokedAt === null)) {
      const key = account.keys.find(({ grantId }) => grantId === grant.grantId);
      expect(key).toMatchObject({
        ...{ prefix: grant.keyPrefix, createdAt: grant.createdAt, spent: grant.spent, cap: grant.cap },
      });
    }
  });

  it('has raised the alerts whose limits were crossed, and no others', () => {
    for (const { kind, amount, crossedAt } of alerts) {
      const now =
        kind === 'balance_below'
          ? account.balance < amount
          : spentOn((crossedAt ?? '2026-11-21').slice(0, 10)) > amount;
      expect(crossedAt !== null).toBe(now);
    }
  });

  it('lists the newest first', () => {
    for (const times of [log, statement, receipts].map((all) => all.map(({ at }) => at))) {
      expect(times).toEqual(times.toSorted(NEWEST_FIRST));
    }
  });
});

describe('overview', () => {
  it('shows the balance, what it buys, how long it lasts, the rate and the next tier', async () => {
    const text = await words('busy', '/dashboard');
    for (const part of ['28,617.95 credits', 'Tweets 28,617', 'Pages of 200 followers 1,430', 'Lasts about']) {
      expect(text).toContain(part);
    }
    expect(text).toContain('50 requests per second');
    expect(text).toContain('$130 more in credit packs raises it to 100 per second');
    expect(text).not.toContain('The balance is low');
  });

  it('says that the wallet of a new account is empty and how to start', async () => {
    const text = await words('empty', '/dashboard');
    expect(text).toContain('The wallet is empty.');
    expect(text).toContain('Try free: 10,000 test credits a day');
    expect(text).toContain('Get started');
    expect(text).toContain('No active keys');
    expect(text).toContain('$10 more in credit packs raises it to 20 per second');
  });

  it('shows first on every page that an account is frozen (W8)', async () => {
    for (const path of PATHS) expect(await words('frozen', path)).toContain('This account is frozen.');
  });

  it('warns of a low balance with the share that is left', async () => {
    const low = { ...BUSY, account: { ...BUSY.account, balance: 7_000_000 } };
    const one = await serveHousehold(low);
    const { body } = await request(one, '/dashboard');
    await one.close();
    expect(body).toContain('The balance is low.');
  });

  it('does not promise a higher rate for payments when the operator has set the rate', async () => {
    const one = await serveHousehold({ ...BUSY, account: { ...BUSY.account, paidUsd: 0, qps: 7 } });
    const [{ body }, { body: credits }] = [await request(one, '/dashboard'), await request(one, '/dashboard/credits')];
    const closed = await serveHousehold({ ...BUSY, open: false, account: { ...BUSY.account, paidUsd: 0, qps: 7 } });
    const { body: unsold } = await request(closed, '/dashboard');
    await Promise.all([one.close(), closed.close()]);
    expect(unsold).toContain('Set by the operator for this account.');
    expect(unsold).not.toContain('Payments do not change it.');
    expect(body).toContain('Payments do not change it.');
    expect(body).not.toContain('in credit packs raises it');
    expect(credits).toContain('The operator has set your limit to 7 requests per second');
    for (const untrue of ['Raises your rate limit', 'You are here']) expect(credits).not.toContain(untrue);
  });
});

describe('usage', () => {
  it('draws three charts with a text for each, and the figures below them', async () => {
    const html = await page('busy', '/dashboard/usage');
    expect(chartsIn(html)).toHaveLength(3);
    const texts = chartsIn(html).map(({ text }) => text);
    expect(texts[0]).toMatch(/^Credits per day from 2026-10-23 to 2026-11-21, as stacked bars: /);
    expect(texts[1]).toMatch(/^Items per day from 2026-10-23 to 2026-11-21, as stacked bars: /);
    expect(texts[2]).toMatch(/^Credits per hour from 2026-11-20 13:00 to 2026-11-21 12:00 UTC, /);
    expect(html).toContain('<tfoot>');
  });

  it('puts rows for which the table has no room into the file', async () => {
    const text = await words('busy', PATHS[2] ?? '');
    expect(text).toMatch(/The first 400 of \d+ rows; download the CSV for all of them/);
    const { body, headers } = await get(
      'busy',
      '/dashboard/usage.csv?from=2026-08-24&to=2026-11-21&group=day,endpoint,key',
    );
    expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    expect(headers['content-disposition']).toBe('attachment; filename="perch-usage-2026-08-24-2026-11-21.csv"');
    expect(body.trimEnd().split('\r\n')).toHaveLength(1 + BUSY.usage.length);
  });

  it('explains an invalid range and keeps what was typed', async () => {
    const { statusCode, body } = await get('busy', '/dashboard/usage?from=2026-11-21&to=2026-11-01');
    expect(statusCode).toBe(400);
    expect(body).toContain('The first day (2026-11-21) is later than the last (2026-11-01).');
    expect(body).toMatch(/id="from"[^>]*value="2026-11-21"/);
  });
});

describe('keys', () => {
  it('are listed with state, cap, meter and end, with a link for keys of clients, and ended keys apart', async () => {
    const html = await page('busy', '/dashboard/keys');
    expect(html.match(/<meter /g)).toHaveLength(3);
    const text = await words('busy', '/dashboard/keys');
    for (const part of ['106.5 of 500 per day', 'Expiring', '1 inactive key', 'app Reading Room']) {
      expect(text).toContain(part);
    }
    expect(html).not.toContain(`/dashboard/keys/${uuid(104)}`);
  });

  it('has the amount of a cap beside its period, and the script that reveals it', async () => {
    expect(await page('busy', '/dashboard/keys')).toMatch(/<script src="\/assets\/\w+\/key-form\.js"/);
  });

  it('offers no action on a revoked key', async () => {
    const html = await page('busy', `/dashboard/keys/${uuid(105)}`);
    expect(html).toContain('This key no longer works.');
    expect(html).not.toContain('action="/dashboard/keys/');
  });
});

describe('credits', () => {
  it('has every pack and tier from the tables, and a form that may lead only to the processor', async () => {
    const { body, headers } = await get('busy', '/dashboard/credits');
    expect(body.match(/action="\/dashboard\/credits\/buy"/g)).toHaveLength(PACKS.length);
    for (const { name } of PACKS) expect(body).toContain(`value="${name}"`);
    for (const { requestsPerSecond } of TIERS) expect(body).toContain(`>${requestsPerSecond}</td>`);
    expect(headers['content-security-policy']).toContain("form-action 'self' https://checkout.example;");
    expect((await get('busy', '/dashboard/keys')).headers['content-security-policy']).toContain("form-action 'self';");
  });

  it('mentions no tax, because the checkout adds none (W11)', async () => {
    const text = await words('busy', '/dashboard/credits');
    expect(text).toContain("You pay by card on the payment processor's website. Credits");
    expect(text).not.toMatch(/tax/i);
  });

  it('says without checkout that nothing can be bought (W9)', async () => {
    const { body, headers } = await get('frozen', '/dashboard/credits');
    expect(body).toContain('Card checkout is not available on this server.');
    expect(body).toContain('<a href="mailto:help@perch.example">help@perch.example</a>');
    expect(body).toContain(FROZEN.account.accountId);
    expect(body).not.toContain('/dashboard/credits/buy');
    expect(headers['content-security-policy']).toContain("form-action 'self';");
  });

  it('says how to get credits when the operator names no contact', async () => {
    const one = await serveHousehold({ ...BUSY, open: false }, { contact: null });
    const { body } = await request(one, '/dashboard/credits');
    await one.close();
    expect(body).toContain('This server does not say how to reach them');
    expect(body).not.toContain('mailto:');
  });

  it('shows refunds and disputes with the credits they withdrew (W6, W7)', async () => {
    const text = await words('frozen', '/dashboard/credits');
    for (const part of ['$4.50 refunded; 4,500 credits withdrawn', 'dispute lost, credits withdrawn', 'dispute won']) {
      expect(text).toContain(part);
    }
    expect(text).toContain('\u22124,500');
  });

  it.each([
    ['cs_test_1', 'Paid.'],
    ['cs_test_0', 'Almost there.'],
    ['cs_test_3', 'Not paid.'],
    ['cs_of_another', 'Thank you.'],
  ])('shows a buyer who returns with %s: %s', async (session, title) => {
    expect(await page('busy', `/dashboard/credits?paid=${session}`)).toContain(`<strong>${title}</strong>`);
  });
});

describe('connecting an agent', () => {
  it('has every client with this server’s address, and links that contain it', async () => {
    const html = (await page('busy', '/dashboard/connect')).replaceAll('&amp;', '&').replaceAll('&quot;', '"');
    const url = `${served.busy.url}/mcp`;
    for (const { name, code } of agentClients(url)) {
      expect(html).toContain(name);
      expect(html).toContain(code?.text ?? url);
    }
    const cursor = /href="(cursor:[^"]+)"/.exec(html)?.[1] ?? '';
    const config = new URL(cursor).searchParams.get('config') ?? '';
    expect(JSON.parse(Buffer.from(config, 'base64').toString())).toEqual({ url });
    const vscode = /href="vscode:mcp\/install\?([^"]+)"/.exec(html)?.[1] ?? '';
    expect(JSON.parse(decodeURIComponent(vscode))).toEqual({ name: 'perch', type: 'http', url });
    // Claude cannot reach a server without https.
    expect(html).not.toContain('Add to Claude<');
    const claude = agentClients('https://perch.example/mcp').find(({ link }) => link?.text === 'Add to Claude')?.link;
    expect(new URL(claude?.href ?? '').searchParams.get('connectorUrl')).toBe('https://perch.example/mcp');
  });
});

describe('apps', () => {
  const allowed = (days: number, grant_id: string, client_id: string) =>
    ({
      eventId: '1',
      at: ago(days),
      what: 'client.allowed',
      who: 'customer',
      by: null,
      address: null,
      detail: { client: 'Late app', grant_id, client_id },
    }) as const;

  it.each([
    [0, uuid(900), 'Waiting for the app to fetch its key'],
    [0.1, uuid(900), 'The app did not fetch its key within a minute.'],
  ])('lists an app that was allowed %s days ago and has no key', async (days, grant, text) => {
    const one = await serveHousehold({ ...BUSY, log: [allowed(days, grant, 'late')] });
    const { body } = await request(one, '/dashboard/clients');
    await one.close();
    expect(body).toContain('Allowed, not connected yet');
    expect(body).toContain('Late app');
    expect(body).toContain(text);
  });

  it('lists an app whose key and refresh token have expired as no longer connected', async () => {
    const grants = BUSY.grants.map((grant) => ({ ...grant, isConnected: false }));
    const one = await serveHousehold({ ...BUSY, grants });
    const { body } = await request(one, '/dashboard/clients');
    await one.close();
    expect(body).not.toContain('Disconnect now');
    expect(body).toContain('3 apps no longer connected');
    expect(body.match(/>Expired</g)).toHaveLength(2);
  });

  it.each([
    ['is connected', allowed(0, BUSY.grants[0]?.grantId ?? '', 'late')],
    ['tried again, and is connected', allowed(0.9, uuid(900), 'again')],
    ['was allowed days ago', allowed(2, uuid(900), 'late')],
  ])('does not list one that %s', async (_why, event) => {
    const grants = [
      { ...BUSY.grants[0], clientId: 'again', createdAt: ago(0.5) },
      ...BUSY.grants,
    ] as typeof BUSY.grants;
    const one = await serveHousehold({ ...BUSY, grants, log: [event] });
    const { body } = await request(one, '/dashboard/clients');
    await one.close();
    expect(body).not.toContain('Allowed, not connected yet');
  });
});

describe('the request log', () => {
  it('has the second and the id of each request, and links those that were charged to their receipts', async () => {
    const [charged, failed] = [receiptOf(0), receiptOf(3)];
    const body = await page('busy', '/dashboard/usage/requests');
    for (const { requestId, at } of [charged, failed]) {
      expect(body).toContain(`title="${requestId}"`);
      expect(body).toContain(` ${at.slice(11, 19)}</time>`);
    }
    expect(body).toContain(`request_id=${charged.requestId}`);
    expect(body).not.toContain(`request_id=${failed.requestId}`);
  });
});

describe('receipts', () => {
  it('say why a request cost what it did', async () => {
    const text = await words('busy', `/dashboard/receipts?request_id=${receiptOf(4).requestId}`);
    expect(text).toContain('1 profile was uncached: full price, 1 credit each, 1 credit.');
    expect(text).toContain('2 tweets were cached: half price, 0.5 credits each, 1 credit.');
  });

  it.each(['nonsense', uuid(9999)])('reports that %s has no receipt', async (id) => {
    const { statusCode, body } = await get('busy', `/dashboard/receipts?request_id=${id}`);
    expect(statusCode).toBe(404);
    expect(body).toMatch(/Invalid request id|Free requests \(/);
    expect(body).toContain(`value="${id}"`);
  });

  it('says so when a month is archived', async () => {
    const { statusCode, body } = await get(
      'busy',
      '/dashboard/receipts?request_id=01941f29-7c00-7000-8000-000000000000',
    );
    expect([statusCode, body]).toEqual([404, expect.stringContaining('Receipts of 2025-01 are archived')]);
  });
});

describe('security', () => {
  it('marks this session, and names the browsers', async () => {
    const text = await words('busy', '/dashboard/security');
    expect(text).toContain('Firefox on Linux This session');
    expect(text).toContain('Safari on iOS');
    expect(text).toContain('Unknown browser');
  });

  it('describes changes in words, without ids', async () => {
    const text = await words('busy', '/dashboard/security');
    for (const part of [
      AUDIT['key.rotated'],
      'perch_live_Zr4Tn0…; “Dashboards”; cap 500 credits per day',
      'now perch_live_8fK2xQ…; the old one expires 2026-11-23 12:00 UTC',
      'pack builder; $50; 55,000 credits',
      'the payment processor',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain(uuid(301));
  });
});

describe('names that others chose', () => {
  it.each(PATHS)('%s: are shown as text', async (path) => {
    const html = await page('hostile', path);
    expect(html).not.toContain(HOSTILE_NAMES.script);
    expect(html).not.toMatch(/<script>|<img src=x|<\/td><style/);
    expect(html).toContain('&lt;script>alert(1)');
  });
});

describe('every answer', () => {
  it.each([...PATHS, '/dashboard/usage.csv'])('%s must not be cached', async (path) => {
    const { headers } = await get('busy', path);
    expect(headers['cache-control']).toBe('private, no-store');
    expect(headers['content-security-policy'] ?? "default-src 'none'").toContain("default-src 'none'");
  });

  it('shows an internal error in the frame, without its message', async () => {
    const slice = (): never => {
      throw new Error('connection to 10.0.0.7 lost');
    };
    const one = await serveHousehold({ ...BUSY, log: Object.assign([], { slice }) });
    const { statusCode, body, headers } = await request(one, '/dashboard/security');
    await one.close();
    expect([statusCode, headers['cache-control']]).toEqual([500, 'private, no-store']);
    expect(body).toContain('Something went wrong on our side.');
    expect(body).not.toContain('10.0.0.7');
  });

  it('has no body for HEAD', async () => {
    const { statusCode, body } = await request(served.busy, '/dashboard', 'HEAD');
    expect([statusCode, body]).toEqual([200, '']);
  });
});
