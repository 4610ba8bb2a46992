/** The one charge at the end of a call: what is posted, and what the caller is told in each case. */
import { expect, it } from 'vitest';
import { InDoubtError, ServiceError } from '../../../src/domain/errors.js';
import { SharedTimer } from '../../../src/lib/monotonic.js';
import type { Charge } from '../../../src/metering/receipt.js';
import { type Settlement, settle } from '../../../src/metering/settle.js';
import { SpendingLimit } from '../../../src/metering/spending-limit.js';
import { Wallet } from '../../../src/metering/wallet.js';
import type { Timers } from '../../../src/ports/clock.js';
import type { Debit, Ledger, Posted } from '../../../src/ports/ledger.js';
import { VirtualTime } from '../../kit/time/virtual-time.js';
import { caller } from '../access/key-store.js';

const payer = caller();
const ledgerLine = { path: 'user', unit: 'profile', cache: 'miss', items: 1, unitPrice: 1000 } as const;
const CHARGE: Charge = {
  ...{ amount: 1000, items: 1, cacheHits: 0, cache: 'miss' },
  ...{ lines: [{ ...ledgerLine, path: 'mine' }], ledgerLines: [ledgerLine] },
};
const DEADLINE_MS = 500;

/** Settles over a ledger that gives this answer after this many milliseconds. */
function start(
  answer: () => Posted,
  { afterMs = 0, charge = CHARGE, operation = 'user' as string | Promise<string>, sinceMs = 0 } = {},
) {
  const time = new VirtualTime(sinceMs);
  const posted: { debit: Debit; signal: unknown }[] = [];
  const limit = new SpendingLimit(new Wallet(10_000), Infinity, Infinity);
  const ledger = {
    balance: async () => ({ balance: 7_500, seq: 3, keySpent: 0 }),
    async post(debit: Debit, signal: unknown) {
      posted.push({ debit, signal });
      if (afterMs > 0) await time.wait(afterMs);
      return answer();
    },
  } as unknown as Ledger;
  const waiting = new Set<() => void>();
  const timers: Timers = {
    after(ms, then) {
      waiting.add(then);
      const cancel = time.after(ms, then);
      return () => {
        waiting.delete(then);
        cancel();
      };
    },
  };
  const signal = { aborted: false, reason: undefined };
  const at: Settlement = {
    ...{
      ledger,
      monotonic: time,
      timer: new SharedTimer({ monotonic: time, timers }),
      caller: payer,
      limit,
      requestId: 'request 1',
      operation,
    },
    ...{ deadlineAtMs: sinceMs + DEADLINE_MS, signal },
  };
  const settling = settle(at, charge);
  settling.catch(() => {});
  return { settling, posted, limit, time, signal, waiting };
}

const failed = (reason: unknown) => (): Posted => {
  throw reason;
};
const refused = async (settling: Promise<unknown>): Promise<ServiceError> => {
  const error = await settling.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ServiceError);
  return error as ServiceError;
};

it('posts the charge once under the id of the request, with its lines, and returns the balance after it', async () => {
  const { settling, posted, limit, signal } = start(() => ({ ok: true, balance: 9_000, seq: 4, amount: 1000 }), {
    operation: Promise.resolve('a later name'),
  });
  expect(await settling).toBe(9_000);
  const { accountId, walletId, keyId, uncapped } = payer;
  expect(posted).toEqual([
    {
      debit: {
        ...{ requestId: 'request 1', accountId, walletId, keyId, uncapped, operation: 'a later name' },
        ...{ amount: 1000, items: 1, cacheHits: 0, lines: [ledgerLine] },
      },
      signal,
    },
  ]);
  expect(limit.left).toBe(0);
});

it('does not post a charge of zero, and returns the ledger’s balance', async () => {
  const free = { ...CHARGE, amount: 0, items: 0 };
  const { settling, posted, limit } = start(() => ({ ok: true, balance: 0, seq: 4, amount: 0 }), { charge: free });
  expect(await settling).toBe(7_500);
  expect([posted.length, limit.left]).toEqual([0, 0]);
});

it.each([
  {
    reason: 'balance',
    message: /used up the balance in the meantime\. Nothing was charged/,
    detail: { retryAfter: 1 },
  },
  { reason: 'key_cap', message: /used up this key's cap in the meantime/, detail: { reason: 'key_cap' } },
] as const)('answers 402 if another call spent the credits first: $reason', async ({ reason, message, detail }) => {
  const error = await refused(start(() => ({ ok: false, reason })).settling);
  expect([error.code, error.detail]).toEqual(['no_credits', detail]);
  expect(error.message).toMatch(/^This call costs 1 credit, /);
  expect(error.message).toMatch(message);
});

it('delivers nothing and charges nothing if the ledger cannot be written (M19)', async () => {
  const cause = new Error('no disk');
  const error = await refused(start(failed(cause)).settling);
  expect([error.code, error.cause]).toEqual(['internal', cause]);
});

it('passes on a refusal of the ledger', async () => {
  const busy = new ServiceError('upstream_rate_limited', 'Too many wait.', { reason: 'settling' });
  expect(await refused(start(failed(busy)).settling)).toBe(busy);
});

it('says where to look if a charge may have been posted', async () => {
  const error = await refused(start(failed(new InDoubtError('lost'))).settling);
  expect([error.code, error.detail.reason, error.retryAfter]).toEqual(['upstream_error', 'charge_unknown', undefined]);
  expect(error.message).toContain('GET /v1/usage/request 1');
});

it('delivers nothing if a charge of another amount was posted under its id', async () => {
  const error = await refused(start(() => ({ ok: true, balance: 9_000, seq: 4, amount: 3000 })).settling);
  expect([error.code, error.detail.reason]).toEqual(['upstream_error', 'charge_unknown']);
});

it('waits for an answer until a second after the deadline, and no longer', async () => {
  const good = (): Posted => ({ ok: true, balance: 9_000, seq: 4, amount: 1000 });
  const timely = start(good, { afterMs: DEADLINE_MS + 999 });
  await timely.time.run(5_000, timely.settling);
  expect(await timely.settling).toBe(9_000);

  const begun = start(good, { afterMs: 400 });
  // However late the ledger was called.
  await begun.time.run(400, begun.settling);
  expect(await begun.settling).toBe(9_000);

  // A process that has run for a while.
  const late = start(good, { afterMs: DEADLINE_MS + 1_001, sinceMs: 10_000 });
  await late.time.run(DEADLINE_MS + 1_000, late.settling);
  const error = await refused(late.settling);
  expect(error.detail.reason).toBe('charge_unknown');
  expect(error.cause).toMatchObject({ message: 'the ledger has not answered' });
});

it.each(['ok', 'failed'])('leaves no timer behind: %s', async (how) => {
  const answer =
    how === 'ok' ? (): Posted => ({ ok: true, balance: 9_000, seq: 4, amount: 1000 }) : failed(new Error('no disk'));
  const { settling, waiting } = start(answer, { afterMs: 0 });
  expect(waiting.size).toBe(1);
  await settling.catch(() => {});
  expect(waiting.size).toBe(0);
});
