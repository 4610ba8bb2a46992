import type { KeyRecord } from '../../../../src/ports/accounts.js';
import { queryOf, type SignedInRequest } from '../../kit/signed-in/authenticated-routes.js';
import type { DashboardServices } from '../frame/services.js';
import { chartOf, lastHoursOf } from '../usage/usage-charts.js';
import { hoursIn, lastDays } from '../usage/usage-params.js';
import type { KeyModel } from './key.js';

/** The most requests on a key's page. */
const NEWEST = 20;

/** How far back a last use is looked for, as the ledger takes it: the beginning of a day, a year ago. */
export const yearBefore = (nowMs: number): string => `${lastDays(366, nowMs).from}T00:00:00Z`;

/** What a key of the account was used for. */
export async function keyUsage(
  signedIn: SignedInRequest,
  { keyId }: KeyRecord,
  services: Pick<DashboardServices, 'ledger' | 'clock'>,
): Promise<Pick<KeyModel, 'range' | 'usage' | 'lastHours' | 'lastUse' | 'recent'>> {
  const { account, signal, request } = signedIn;
  const { ledger, clock } = services;
  const nowMs = clock.now();
  const range = lastDays(30, nowMs);
  const [usage, lastHours, uses, recent] = await Promise.all([
    chartOf(signedIn, range, 'credits', services, keyId),
    lastHoursOf(signedIn, hoursIn(queryOf(request)) ?? 24, services, keyId),
    ledger.lastUses(account.accountId, yearBefore(nowMs), signal),
    ledger.recent(account.accountId, NEWEST, signal, keyId),
  ]);
  return { range, usage, lastHours, lastUse: uses.find((use) => use.keyId === keyId)?.day, recent };
}
