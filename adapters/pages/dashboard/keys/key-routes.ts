import type { FastifyReply } from 'fastify';
import type { MintedKey } from '../../../../src/account/keys.js';
import type { Mode } from '../../../../src/domain/mode.js';
import type { KeyLimits, KeyRecord } from '../../../../src/ports/accounts.js';
import { queryString } from '../../../http/request.js';
import {
  type AuthenticatedRoutes,
  isCallerError,
  pathParam,
  redirectTo,
  type SignedInRequest,
  sendPrivatePage,
} from '../../kit/signed-in/authenticated-routes.js';
import { faultOf } from '../../kit/signed-in/parts.js';
import { dashboardLayout } from '../frame/dashboard-page.js';
import { rememberMode } from '../frame/mode-switch.js';
import { type DashboardServices, notOnAccount } from '../frame/services.js';
import { readLastHours, readUsageChart } from '../usage/usage-charts.js';
import { hoursIn, lastDays } from '../usage/usage-params.js';
import { connectPage } from './connect.js';
import { freshKeyPage } from './fresh-key.js';
import { carry, freshKeyPath, take } from './fresh-key-cookie.js';
import { type KeyForm, type KeyModel, keyPage } from './key.js';
import { EMPTY_INPUT, inputIn, keyModeIn, parseOverlap, readKeyForm } from './key-forms.js';
import { limitsIn, NO_LIMITS, readLimits, toLimitsInput } from './key-limits.js';
import { toKeyInput } from './key-parts.js';
import { type KeysModel, keysPage } from './keys.js';

type KeyServices = Pick<DashboardServices, 'accounts' | 'keys' | 'grants' | 'ledger' | 'clock'>;

/** Keys: the list, a single key, and the actions on it. */
export function mountKeys(routes: AuthenticatedRoutes, services: KeyServices, baseUrl: () => string): void {
  const { keys, clock } = services;
  const showKey = async (
    signedIn: SignedInRequest,
    reply: FastifyReply,
    record: KeyRecord,
    rest: Partial<Pick<KeyModel, 'typed' | 'limits' | 'error'>> = {},
  ): Promise<FastifyReply> => {
    const typed = { typed: toKeyInput(record), limits: toLimitsInput(record), error: null };
    const common = { layout: dashboardLayout(signedIn), nowMs: clock.now(), record, ...typed };
    return sendPrivatePage(reply, keyPage({ ...common, ...(await keyUsage(signedIn, record, services)), ...rest }));
  };
  mountKeyList(routes, services);
  routes.page('/dashboard/keys/:keyId', async (signedIn, reply) =>
    showKey(signedIn, reply, await ownKey(signedIn, services)),
  );
  mountFreshKey(routes, services, baseUrl);
  mountSessionKey(routes, services);
  routes.page('/dashboard/connect', (signedIn, reply) =>
    sendPrivatePage(reply, connectPage({ layout: dashboardLayout(signedIn), baseUrl: baseUrl() })),
  );
  const change = (what: KeyForm, act: Change): void =>
    routes.form(`/dashboard/keys/:keyId/${what}`, '/dashboard/keys', async (signedIn, form, reply) => {
      const record = await ownKey(signedIn, services);
      try {
        return await act(signedIn, record, form, reply);
      } catch (error) {
        if (!isCallerError(error)) throw error;
        return showKey(signedIn, reply.code(error.status), record, {
          ...(what === 'change' && { typed: inputIn(form) }),
          ...(what === 'limits' && { limits: limitsIn(form) }),
          error: { form: what, ...faultOf(error) },
        });
      }
    });
  change('change', async ({ account, by }, { keyId }, form, reply) => {
    await keys.change(account.accountId, keyId, readKeyForm(inputIn(form)), by);
    return redirectTo(reply, `/dashboard/keys/${keyId}?done=key-changed`);
  });
  change('limits', async ({ account, by }, { keyId }, form, reply) => {
    await keys.change(account.accountId, keyId, readLimits(limitsIn(form)), by);
    return redirectTo(reply, `/dashboard/keys/${keyId}?done=key-changed`);
  });
  change('rotate', async (signedIn, { keyId }, form, reply) => {
    const overlapMs = parseOverlap(form);
    const { key, record } = await keys.rotate(signedIn.account.accountId, keyId, overlapMs, signedIn.by);
    const path = freshKeyPath(record.keyId);
    carry(reply, path, { key, oldEnds: overlapMs === 0 ? null : record.oldEndsAt });
    return redirectTo(reply, path);
  });
  change('revoke', async ({ account, by }, { keyId }, _form, reply) => {
    await keys.revoke(account.accountId, keyId, by);
    return redirectTo(reply, '/dashboard/keys?done=key-revoked');
  });
}

/** The list, and the form above it. */
function mountKeyList(routes: AuthenticatedRoutes, services: KeyServices): void {
  const url = '/dashboard/keys';
  routes.page(url, async (signedIn, reply) => {
    const shown = signedIn.mode ?? 'live';
    const newMode = queryString(signedIn.request).get('mode') === 'live' ? 'live' : shown;
    const empty = { typed: EMPTY_INPUT, limits: NO_LIMITS, error: null, newMode };
    return sendPrivatePage(reply, await listPage(signedIn, services, empty));
  });
  routes.form(url, url, async (signedIn, form, reply) => {
    const typed = inputIn(form);
    const limits = limitsIn(form);
    const shown = signedIn.mode ?? 'live';
    try {
      const mode = keyModeIn(form, shown);
      const given = { ...readKeyForm(typed), ...readLimits(limits) };
      const { key, record } = await createKey(signedIn, mode, given, services);
      const path = freshKeyPath(record.keyId);
      // Switches to the key's mode, so that the page that shows it, and the list after that, find the key.
      if (mode !== shown) rememberMode(mode, reply);
      carry(reply, path, { key });
      return redirectTo(reply, path);
    } catch (error) {
      if (!isCallerError(error)) throw error;
      const newMode = form.get('mode') === 'test' ? 'test' : 'live';
      const page = await listPage(signedIn, services, { typed, limits, error: faultOf(error), newMode });
      return sendPrivatePage(reply.code(error.status), page);
    }
  });
}

/**
 * Creates the key on the account of its mode, even if the page is in the other mode. A first test key opens the test
 * account.
 */
const createKey = (
  { live: { accountId }, by }: SignedInRequest,
  mode: Mode,
  given: ReturnType<typeof readKeyForm> & KeyLimits,
  { keys }: KeyServices,
): Promise<MintedKey> => (mode === 'test' ? keys.createTest(accountId, given, by) : keys.create(accountId, given, by));

/** The page after a key was made or rotated, which shows it once. */
function mountFreshKey(routes: AuthenticatedRoutes, services: KeyServices, baseUrl: () => string): void {
  routes.page('/dashboard/keys/:keyId/new', async (signedIn, reply) => {
    const record = await ownKey(signedIn, services);
    const fresh = take(signedIn.request, reply, freshKeyPath(record.keyId));
    // The cookie may come from anywhere: another customer's key must not be shown as this one.
    if (fresh === null || !fresh.key.startsWith(record.prefix)) {
      return redirectTo(reply, `/dashboard/keys/${record.keyId}?done=key-shown`);
    }
    return sendPrivatePage(
      reply,
      freshKeyPage({ layout: dashboardLayout(signedIn), record, baseUrl: baseUrl(), ...fresh }),
    );
  });
}

/** Gives page scripts a test key of the signed-in customer, to send requests with. */
function mountSessionKey(routes: AuthenticatedRoutes, { keys }: KeyServices): void {
  routes.form('/dashboard/test-key', '/dashboard/keys', async ({ live, visitor, by }, _form, reply) => {
    try {
      const ofSession = { accountId: live.accountId, sessionId: visitor.sessionId };
      const { key, record } = await keys.forSession(ofSession, by);
      return reply.send({ key, expires_at: record.expiresAt });
    } catch (error) {
      if (!isCallerError(error)) throw error;
      const { code, status, message } = error;
      return reply.code(status).send({ error: { code, message } });
    }
  });
}

type Change = (
  signedIn: SignedInRequest,
  record: KeyRecord,
  form: URLSearchParams,
  reply: FastifyReply,
) => Promise<FastifyReply>;

/**
 * The key named in the path. Throws `not_found` unless it is the account's and not a client's, which has its own page.
 */
async function ownKey({ request, account }: SignedInRequest, { keys }: KeyServices): Promise<KeyRecord> {
  const record = await keys.find(account.accountId, pathParam(request, 'keyId'));
  if (record === undefined) throw notOnAccount('key');
  return record;
}

async function listPage(
  signedIn: SignedInRequest,
  { accounts, grants, ledger, clock }: KeyServices,
  form: Pick<KeysModel, 'typed' | 'limits' | 'error' | 'newMode'>,
): Promise<string> {
  const { account, signal } = signedIn;
  const [keys, clients, uses] = await Promise.all([
    accounts.keys(account.accountId),
    account.keys.some(({ grantId }) => grantId !== null) ? grants.list(account.accountId) : [],
    ledger.lastUses(account.accountId, yearBefore(clock.now()), signal),
  ]);
  return keysPage({
    layout: dashboardLayout(signedIn),
    nowMs: clock.now(),
    keys: keys.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1)),
    lastUses: new Map(uses.map(({ keyId, day }) => [keyId, day])),
    clients: new Map(clients.map(({ grantId, clientName }) => [grantId, clientName])),
    ...form,
  });
}

/** The most requests on a key's page. */
const NEWEST = 20;

/** How far back a last use is looked for, as the ledger expects it: the start of a day, a year ago. */
const yearBefore = (nowMs: number): string => `${lastDays(366, nowMs).from}T00:00:00Z`;

/** What a key of the account was used for. */
async function keyUsage(
  signedIn: SignedInRequest,
  { keyId }: KeyRecord,
  services: Pick<DashboardServices, 'ledger' | 'clock'>,
): Promise<Pick<KeyModel, 'range' | 'usage' | 'lastHours' | 'lastUse' | 'recent'>> {
  const { account, signal, request } = signedIn;
  const { ledger, clock } = services;
  const nowMs = clock.now();
  const range = lastDays(30, nowMs);
  const [usage, lastHours, uses, recent] = await Promise.all([
    readUsageChart(signedIn, range, 'credits', services, keyId),
    readLastHours(signedIn, hoursIn(queryString(request)) ?? 24, services, keyId),
    ledger.lastUses(account.accountId, yearBefore(nowMs), signal),
    ledger.recent(account.accountId, NEWEST, signal, keyId),
  ]);
  return { range, usage, lastHours, lastUse: uses.find((use) => use.keyId === keyId)?.day, recent };
}
