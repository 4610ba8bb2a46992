import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { v7 } from 'uuid';
import { createKeyless } from '../../../adapters/http/keyless.js';
import { createServer } from '../../../adapters/http/server.js';
import type { DashboardOptions, DashboardServices } from '../../../adapters/pages/dashboard/frame/services.js';
import { mountDashboard } from '../../../adapters/pages/dashboard/mount.js';
import { siteAssets } from '../../../adapters/pages/kit/assets.js';
import { sendPage } from '../../../adapters/pages/kit/send-page.js';
import type { SaleRecord } from '../../../src/billing/billing.js';
import type { PurchaseRecord } from '../../../src/billing/purchases.js';
import { ServiceError } from '../../../src/domain/errors.js';
import type { UsageGroup } from '../../../src/domain/usage.js';
import type { AccountRecord } from '../../../src/ports/accounts.js';
import type { LoggedRequest } from '../../../src/ports/figures.js';
import type { Receipt, UsageRow } from '../../../src/ports/ledger.js';
import { DELIVERIES, type Household, type HouseholdAccount, SESSION } from './fixture.js';
import { NOW_MS, uuid } from './fixture-usage.js';
import { watchesOf } from './fixture-watches.js';

/** A server with the dashboard and the files that its pages ask for. */
export interface Served {
  readonly app: FastifyInstance;
  readonly url: string;
  close(): Promise<void>;
}

type Mounted = Omit<DashboardOptions, 'keyless' | 'sessionCookies'> & {
  readonly pages?: Readonly<Record<string, string>>;
  readonly sessionCookies: (app: FastifyInstance) => DashboardOptions['sessionCookies'];
};

/** Mounts the dashboard as the service does, but without a limit for requests without a key. */
async function serveDashboard(options: Mounted): Promise<Served> {
  const app = await createServer({
    ids: { requestId: () => v7() },
    log: pino({ level: 'silent' }),
    versionHeaders: {},
  });
  const keyless = createKeyless(app, async () => ({
    ...{ allowed: true, limit: 10, remaining: 9, resetSeconds: 1, retryAfterSeconds: 1 },
  }));
  mountDashboard(app, { ...options, keyless, sessionCookies: options.sessionCookies(app) });
  for (const [path, { type, body }] of siteAssets()) {
    app.get(path, async (_request, reply) => reply.type(type).send(body));
  }
  for (const [path, page] of Object.entries(options.pages ?? {})) {
    app.get(path, async (_request, reply) => sendPage(reply, page));
  }
  app.get('/favicon.ico', async (_request, reply) => reply.code(204).send());
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  app.baseUrl = url;
  app.authUrl = url;
  return { app, url, close: () => app.close() };
}

/** Sums the rows up by other columns, as the ledger does. */
function regroup(rows: readonly UsageRow[], group: readonly UsageGroup[]): UsageRow[] {
  const sums = new Map<string, UsageRow>();
  for (const row of rows) {
    const names = {
      ...(group.includes('day') && { day: row.day ?? '' }),
      // All reads of the fixture happen at noon.
      ...(group.includes('hour') && { hour: `${row.day ?? ''}T12:00:00Z` }),
      ...(group.includes('endpoint') && { endpoint: row.endpoint ?? '' }),
      ...(group.includes('key') && { keyPrefix: row.keyPrefix ?? '' }),
    };
    const place = JSON.stringify(names);
    const sum = sums.get(place);
    sums.set(place, {
      ...names,
      requests: row.requests + (sum?.requests ?? 0),
      items: row.items + (sum?.items ?? 0),
      cacheHits: row.cacheHits + (sum?.cacheHits ?? 0),
      amount: row.amount + (sum?.amount ?? 0),
    });
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

const unchanging = async (): Promise<never> => {
  throw new ServiceError('bad_request', 'A fixture does not change.');
};

/** The purchase of a paid sale, with 20 % tax. */
const purchaseFrom = (sale: SaleRecord | undefined): PurchaseRecord | undefined =>
  sale?.paidAt
    ? {
        ...{ saleId: sale.saleId, sessionId: sale.sessionId, paymentIntent: 'pi_3Q8fK2xQ', paidAt: sale.paidAt },
        ...{ pack: sale.pack, credits: sale.credits, priceCents: sale.usd * 100, taxCents: sale.usd * 20 },
        ...{ refundedCents: sale.refundedUsd * 100, reversed: sale.reversed, held: sale.held },
        disputes: sale.disputed ? [{ disputeId: 'dp_1', state: sale.disputed, amountCents: sale.usd * 100 }] : [],
        receiptUrl: 'https://pay.stripe.example/receipts/1',
      }
    : undefined;

/** A line of the request log. Every fourth request failed. */
const loggedFrom = (receipt: Receipt, { accountId, keys }: AccountRecord, nth: number): LoggedRequest => ({
  ...{ accountId, requestId: receipt.requestId, at: Date.parse(receipt.at), interface: 'rest' },
  keyId: keys.find(({ prefix }) => prefix === receipt.keyPrefix)?.keyId ?? null,
  operation: receipt.operation,
  ...(nth % 4 === 3
    ? { status: 404, code: 'not_found', message: 'There is no user with the handle nobody_here.', charged: 0 }
    : { status: 200, code: null, message: null, charged: receipt.amount }),
  requestLine: `GET /v1/users/harbor_obs/tweets?count=${nth + 1}`,
  ms: 12 + nth * 7,
});

const TEST_ACCOUNT = uuid(20);

/** The test account of a live one, shown to a browser with the cookie `perch-mode=test`. */
const testAccountOf = (live: HouseholdAccount): HouseholdAccount => ({
  ...live,
  ...{ accountId: TEST_ACCOUNT, testOf: live.accountId, balance: 9_993_500, email: null },
  refilledOn: '2026-11-21',
  keys: live.keys.map((key) => ({ ...key, prefix: key.prefix.replace('_live_', '_test_'), grantId: null })),
});

/** The services that the pages read from, over a fixture. All changes are refused. */
function servicesOf(household: Household, checkoutUrl: string): DashboardServices {
  const { account, usage, receipts, statement, sales, grants, alerts, sessions, log, open } = household;
  const checkout = async (_accountId: string, pack: string) => ({ url: checkoutUrl, pack, usd: 10, credits: 10_000 });
  return {
    accounts: {
      get: async (accountId) => (accountId === TEST_ACCOUNT ? testAccountOf(account) : account),
      keys: async (accountId) => [...(accountId === TEST_ACCOUNT ? testAccountOf(account) : account).keys],
      testAccount: async () => TEST_ACCOUNT,
      openTestAccount: async () => TEST_ACCOUNT,
      rename: unchanging,
    },
    ledger: {
      usage: async (_accountId, { from, to, group, keyId }) => {
        const prefix = account.keys.find((key) => key.keyId === keyId)?.prefix;
        const within = usage.filter(
          ({ day = '', keyPrefix }) =>
            day >= from.slice(0, 10) && day < to.slice(0, 10) && (keyId === undefined || keyPrefix === prefix),
        );
        return regroup(within, group);
      },
      lastUses: async () =>
        account.keys.flatMap(({ keyId, prefix }) => {
          const day = usage.findLast(({ keyPrefix }) => keyPrefix === prefix)?.day;
          return day === undefined ? [] : [{ keyId, day }];
        }),
      receipt: async (_accountId, requestId) => receipts.find((receipt) => receipt.requestId === requestId),
      archivedMonth: async (_accountId, requestId) => (requestId.startsWith('01941f29') ? '2025-01' : undefined),
      recent: async (_accountId, limit, _signal, keyId) => {
        const prefix = account.keys.find((key) => key.keyId === keyId)?.prefix;
        return receipts.filter(({ keyPrefix }) => keyId === undefined || keyPrefix === prefix).slice(0, limit);
      },
      statement: async (_accountId, limit) => statement.slice(0, limit),
    },
    keys: {
      find: async (_accountId, keyId) => account.keys.find((key) => key.keyId === keyId && key.grantId === null),
      create: async (_accountId, { name, cap }) => {
        const record = account.keys.find(({ grantId }) => grantId === null);
        if (record === undefined) return unchanging();
        return {
          key: `${record.prefix}${'0'.repeat(26)}`,
          record: { ...record, name, cap: cap && { ...cap, spent: 0 } },
        };
      },
      createTest: unchanging,
      forSession: unchanging,
      rotate: unchanging,
      change: unchanging,
      revoke: unchanging,
    },
    billing: {
      open,
      newKey: () => 'f0000000-0000-4000-8000-000000000001',
      checkout,
      settle: async () => {},
      sales: async () => [...sales],
      purchase: async (_accountId, saleId) => purchaseFrom(sales.find((sale) => sale.saleId === saleId)),
    },
    grants: { list: async () => [...grants], revoke: unchanging },
    alerts: {
      list: async () => [...alerts],
      canMail: ({ email }) => email !== null,
      whyNoMail: () => 'this server sends no email.',
      deliveries: async () => [...DELIVERIES],
      sendAgain: unchanging,
      add: async () => ({ alertId: uuid(500), secret: `whsec_${'0'.repeat(43)}=` }),
      remove: unchanging,
      test: unchanging,
    },
    watches: watchesOf(household),
    sessions: {
      list: async () => ({ sessions: [...sessions], more: 0 }),
      end: unchanging,
      endAll: unchanging,
      choose: unchanging,
    },
    auditLog: { list: async (_accountId, limit) => log.slice(0, limit) },
    requestLog: {
      operations: async () => ['ProfileAndTimeline', 'user-tweets'],
      list: async (_accountId, { status, limit }) =>
        receipts
          .map((receipt, nth) => loggedFrom(receipt, account, nth))
          .filter((request) => status === undefined || (request.code !== null && status === 'failed'))
          .slice(0, limit),
    },
    clock: { now: () => NOW_MS },
  };
}

/** The account's owner, a developer, and a person who has not answered the invitation yet. */
function membersOf({ account, role = 'owner' }: Household): DashboardOptions['members'] {
  const { accountId, email, name } = account;
  const joinedAt = '2026-09-02T08:00:00.000Z';
  const memberships = [
    { accountId, name, role },
    { accountId: uuid(30), name: 'Tide tables', role: 'developer' },
  ] as const;
  return {
    standing: async () => ({ person: { personId: accountId, email }, account, role, memberships }),
    list: async () => [
      { personId: role === 'owner' ? accountId : uuid(31), email, role: 'owner', joinedAt, keys: 3 },
      {
        personId: role === 'owner' ? uuid(31) : accountId,
        email: 'grace@harbour.example',
        role: 'developer',
        joinedAt,
        keys: 1,
      },
    ],
    invitations: async () => [
      {
        ...{ invitationId: uuid(32), email: 'mary@harbour.example', role: 'reader' },
        ...{ createdAt: '2026-11-20T12:00:00.000Z', expiresAt: '2026-11-27T12:00:00.000Z' },
      },
    ],
    invite: async () => null,
    withdraw: unchanging,
    invitation: async () => undefined,
    accept: unchanging,
    changeRole: unchanging,
    transfer: unchanging,
    remove: unchanging,
    deleteAccount: unchanging,
    admitExport: async () => {},
    admitChange: async () => {},
  };
}

const PASSKEYS: DashboardOptions['passkeys'] = {
  list: async () => [
    { credentialId: 'bGFwdG9w', name: 'Laptop', transports: [], createdAt: '2026-09-22T12:00:00.000Z', usedAt: null },
  ],
  relyingParty: () => ({ id: 'perch.example', origin: 'https://perch.example' }),
};

const CHECKOUT_URL = 'https://checkout.example/pay/cs_test_0';

/** Serves the signed-in dashboard of a fixture, and further whole pages by path. Packs are paid at `checkoutUrl`. */
export const serveHousehold = (
  household: Household,
  {
    checkoutUrl = CHECKOUT_URL,
    pages = {},
    contact = 'help@perch.example',
    historyAsOf,
  }: {
    checkoutUrl?: string;
    pages?: Readonly<Record<string, string>>;
    contact?: string | null;
    historyAsOf?: () => Promise<Date | null>;
  } = {},
): Promise<Served> =>
  serveDashboard({
    ...servicesOf(household, checkoutUrl),
    pages,
    sessionCookies: () => ({
      visitorOf: async () => ({ personId: household.account.accountId, sessionId: SESSION.sessionId }),
      clear() {},
    }),
    members: membersOf(household),
    isOperator: () => false,
    network: 'corpus',
    checkoutOrigin: household.open ? new URL(checkoutUrl).origin : null,
    seller: ['Perch Ltd', '1 Quay Street', 'Bristol BS1 4RW'],
    contact,
    historyAsOf,
    mail: true,
    passkeys: PASSKEYS,
    emailChange: { request: unchanging, confirm: unchanging },
  });
