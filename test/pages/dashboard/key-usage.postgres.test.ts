/** What each key was used for, and usage by the hour, over a real database. Both agree with the ledger. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { untilDayHasAMinute } from '../../kit/time/day.js';
import { type Customer, type DashboardService, startDashboard } from './service.js';

let service: DashboardService;
let ada: Customer;

beforeAll(async () => {
  service = await startDashboard();
});
beforeEach(async () => {
  await untilDayHasAMinute();
  service.clock.catchUp();
  ada = await service.customer();
  await ada.grant(1000);
}, 120_000);
afterAll(() => service?.close());

const today = (): string => new Date(service.clock.now()).toISOString().slice(0, 10);
const day = (before: number): string => new Date(service.clock.now() - before * 86_400_000).toISOString().slice(0, 10);

/** Inserts the sums of the hour that lies `hours` back, as housekeeping would have left them. */
async function usedBefore(keyId: string, hours: number, credits: number): Promise<string> {
  const at = new Date(Math.floor(service.clock.now() / 3_600_000) * 3_600_000 - hours * 3_600_000);
  await service.sql`
    insert into usage_hours (account_id, hour, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
    values (${ada.accountId}, ${at}, 'user-tweets', ${keyId}, 1, ${credits}, 0, ${credits * 1000})`;
  return `${at.toISOString().slice(0, 10)} ${at.toISOString().slice(11, 16)}`;
}

/** The cell of a key's row in the list. */
async function lastUseOf(name: string): Promise<string> {
  const { body } = await ada.get('/dashboard/keys');
  const row = body.split('<tr').find((part) => part.includes(`>${name}<`)) ?? '';
  return (/data-column="Last used">(.*?)<\/td>/.exec(row)?.[1] ?? 'no row').replaceAll(/<[^>]+>/g, '');
}

describe('the last use of a key', () => {
  it('is a day, found in recent requests, hourly sums and daily sums', async () => {
    const [never, now, hours, days] = [
      await ada.key('Never'),
      await ada.key('Now'),
      await ada.key('Hours'),
      await ada.key('Days'),
    ];
    await ada.read(now.keyId, 1);
    await usedBefore(hours.keyId, 72, 2);
    await service.sql`
      insert into usage_days (account_id, day, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
      values (${ada.accountId}, ${day(200)}, 'user', ${days.keyId}, 1, 1, 0, 1000),
        (${ada.accountId}, ${day(300)}, 'user', ${days.keyId}, 1, 1, 0, 1000)`;
    expect(await lastUseOf('Never')).toBe('never');
    expect(await lastUseOf('Now')).toBe(today());
    expect(await lastUseOf('Hours')).toBe(day(3));
    expect(await lastUseOf('Days')).toBe(day(200));
    expect((await ada.get(`/dashboard/keys/${days.keyId}`)).words).toContain(`Last used (UTC) ${day(200)}`);
    expect((await ada.get(`/dashboard/keys/${never.keyId}`)).words).toContain('Last used (UTC) never');
  });

  it('is shown as over a year ago when it is', async () => {
    const { keyId } = await ada.key('Old');
    await service.sql`
      insert into usage_days (account_id, day, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
      values (${ada.accountId}, ${day(367)}, 'user', ${keyId}, 1, 1, 0, 1000)`;
    await service.sql`update keys set spent_thousandths = 1000 where key_id = ${keyId}`;
    expect(await lastUseOf('Old')).toBe('over a year ago');
  });
});

describe('the page of a key', () => {
  it('shows its own usage and newest requests, and nothing of another key', async () => {
    const [one, other] = [await ada.key('One'), await ada.key('Other')];
    const own = await ada.read(one.keyId, 7);
    const foreign = await ada.read(other.keyId, 5);
    service.clock.catchUp();
    const { body, words } = await ada.get(`/dashboard/keys/${one.keyId}`);
    expect([body.includes(own), body.includes(foreign)]).toEqual([true, false]);
    expect(body).toMatch(/aria-label="Credits per day from \S+ to \S+, as stacked bars: 7 in total/);
    expect(body).toMatch(/aria-label="Credits per hour from [^"]+ UTC, as stacked bars: 7 in total/);
    expect(words).toContain('Total 1 7 7 0 7');
  });

  it('says that a key is unused', async () => {
    const { keyId } = await ada.key();
    const { words } = await ada.get(`/dashboard/keys/${keyId}`);
    expect(words).toContain('No paid requests with this key in the last 30 days.');
    expect(words).toContain('No paid requests in the last 24 hours.');
    expect(words).toContain('None with this key.');
  });
});

describe('usage by the hour', () => {
  it('adds up to the ledger over all keys, and lists the figures of each hour', async () => {
    const [one, other] = [await ada.key('One'), await ada.key('Other')];
    await ada.read(one.keyId, 7);
    await ada.read(other.keyId, 4);
    service.clock.catchUp();
    const within = await usedBefore(one.keyId, 23, 30);
    const before = await usedBefore(other.keyId, 24, 500);
    await usedBefore(other.keyId, 48, 9000);
    const short = await ada.get('/dashboard/usage');
    expect(short.body).toMatch(/aria-label="Credits per hour from [^"]+ UTC, as stacked bars: 41 in total/);
    expect(short.words).toContain(`${within} 1 30 30 0 30`);
    expect(short.words).toContain('Total 3 41 41 0 41');
    expect(short.words).not.toContain(`${before} 1 500`);
    const long = await ada.get('/dashboard/usage?hours=48');
    expect(long.words).toContain('Credits per hour, last 48 hours');
    expect(long.body).toMatch(/aria-label="Credits per hour from [^"]+ UTC, as stacked bars: 541 in total/);
    expect(long.words).toContain(`${before} 1 500 500 0 500`);
  });

  it('links to the other number of hours with the same range, and treats an unknown number as 24', async () => {
    const { body } = await ada.get(`/dashboard/usage?from=${day(3)}&to=${today()}&group=key&hours=1000000`);
    expect(body).toContain('last 24 hours');
    expect(body).toContain(`href="/dashboard/usage?from=${day(3)}&amp;to=${today()}&amp;group=key&amp;hours=48#hours"`);
  });
});
