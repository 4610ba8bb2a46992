/** The play credits of test accounts: refilled once a day to the same amount, however many calls there are. */
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PLAY_CREDITS } from '../../../src/domain/mode.js';
import type { Service } from '../support/service.js';
import { startTestMode, type Tester, testerOf } from './service.js';

const HOUR_MS = 3_600_000;

let service: Service;
beforeAll(async () => {
  service = await startTestMode();
});
afterAll(() => service.close());

const refills = async ({ account }: Tester) =>
  (await service.perch.ledger.statement(account.accountId, 100)).map(({ kind, amount, balanceAfter }) => [
    ...[kind, amount / 1000, balanceAfter / 1000],
  ]);

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Moves the clock to the first hour of the next UTC day. */
function nextDay(): void {
  const now = service.clock.now();
  service.clock.advance(Date.parse(dayOf(now)) + 25 * HOUR_MS - now);
}

it('fills the wallet once for twenty concurrent calls of a new test key on two nodes', async () => {
  const tester = await testerOf(service, await service.customer());
  const other = await service.perch.another();
  const urls = [service.perch.url, other.url];
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      fetch(`${urls[n % 2]}/v1/users/user${n + 1}`, { headers: { 'x-api-key': tester.account.key } }),
    ),
  );
  expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect(await refills(tester)).toEqual([['grant', PLAY_CREDITS, PLAY_CREDITS]]);
  await other.close();
});

it('refills spent credits with the first call of the next day', async () => {
  nextDay();
  const tester = await testerOf(service, await service.customer());
  expect((await tester.get('/v1/users/user1')).body.balance_remaining).toBe(PLAY_CREDITS - 1);
  service.clock.advance(22 * HOUR_MS);
  expect((await tester.get('/v1/users/user2')).body.balance_remaining).toBe(PLAY_CREDITS - 2);
  service.clock.advance(2 * HOUR_MS);
  const replies = await Promise.all(Array.from({ length: 20 }, () => tester.get('/v1/me')));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await tester.get('/v1/me')).body).toMatchObject({ balance: PLAY_CREDITS });
  expect(await refills(tester)).toEqual([
    ['grant', 2, PLAY_CREDITS],
    ['grant', PLAY_CREDITS, PLAY_CREDITS],
  ]);
});

it('refuses reads without play credits like live ones, and allows them again the next day', async () => {
  nextDay();
  const tester = await testerOf(service, await service.customer());
  await tester.get('/v1/me');
  // Spends directly in the database, because it would take too many reads.
  const line = { path: 'user', unit: 'profile', cache: 'miss', items: PLAY_CREDITS, unitPrice: 1000 } as const;
  const spent = { operation: 'user', amount: PLAY_CREDITS * 1000, items: PLAY_CREDITS, cacheHits: 0, lines: [line] };
  await service.perch.ledger.post({ requestId: v7(), ...tester.account, uncapped: null, ...spent });
  service.clock.advance(HOUR_MS);
  const refused = await tester.get('/v1/users/user9?fresh=true');
  expect([refused.status, refused.body.error.code]).toEqual([402, 'no_credits']);
  nextDay();
  expect((await tester.get('/v1/users/user9?fresh=true')).status).toBe(200);
});

it('counts a full wallet as refilled for the day, and ignores an earlier day', async () => {
  const { ledger } = service.perch;
  const tester = await testerOf(service, await service.customer());
  const { accountId } = tester.account;
  const refill = (day: string, upTo: number) => ledger.refill({ accountId, day, upTo, requestId: v7() });
  await refill('2026-01-02', 5000);
  await refill('2026-01-03', 5000);
  await refill('2026-01-03', 9000);
  await refill('2026-01-01', 9000);
  expect(await refills(tester)).toEqual([['grant', 5, 5]]);
  await refill('2026-01-04', 9000);
  expect(await refills(tester)).toEqual([
    ['grant', 4, 9],
    ['grant', 5, 5],
  ]);
});

it('never refills a live wallet', async () => {
  const customer = await service.customer({ credits: 3 });
  const { accountId } = customer.account;
  await service.perch.ledger.refill({ accountId, day: '2099-01-01', upTo: 9_000_000, requestId: v7() });
  expect(await customer.balance()).toBe(3);
});
