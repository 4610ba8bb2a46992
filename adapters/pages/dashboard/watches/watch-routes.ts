import type { FastifyReply } from 'fastify';
import { badRequest } from '../../../../src/domain/errors.js';
import type { AccountKey, AccountRecord } from '../../../../src/ports/accounts.js';
import { queryString } from '../../../http/request.js';
import {
  type AuthenticatedRoutes,
  isCallerError,
  pathParam,
  redirectTo,
  type SignedInRequest,
  sendPrivatePage,
} from '../../kit/signed-in/authenticated-routes.js';
import { type FormFault, faultOf } from '../../kit/signed-in/parts.js';
import { dashboardLayout } from '../frame/dashboard-page.js';
import type { DashboardServices } from '../frame/services.js';
import { watchPage } from './watch.js';
import { EMPTY_WATCH, readWatchForm, type WatchInput, watchIn } from './watch-forms.js';
import { watchesPage } from './watches.js';

const PAGE = '/dashboard/watches';
const ON_PAGE = 20;

type Services = Pick<DashboardServices, 'watches' | 'clock'>;

/** Watches: the list with a form above it, a single watch with its deliveries, and what can be done with each. */
export function mountWatches(routes: AuthenticatedRoutes, services: Services): void {
  const { watches, clock } = services;
  mountList(routes, services);
  routes.page(`${PAGE}/:watchId`, async (signedIn, reply) => {
    const { account, request } = signedIn;
    const watch = await watches.get(account.accountId, pathParam(request, 'watchId'));
    const after = queryString(request).get('after');
    const deliveries = await watches.deliveries(watch, { count: ON_PAGE, after }, signedIn.signal);
    const keys = account.keys.filter((key) => mayPay(key, clock.now()));
    const layout = dashboardLayout(signedIn);
    const model = { layout, watch, keys, secret: watches.secretOf(watch), deliveries };
    return sendPrivatePage(reply, watchPage(model));
  });
  for (const [name, to, done] of CHANGES) {
    routes.form(`${PAGE}/:watchId/${name}`, PAGE, async ({ account, request, by }, form, reply) => {
      const keyId = form.get('key');
      const { accountId, qps } = account;
      const of = { accountId, qps, watchId: pathParam(request, 'watchId') };
      const payer = keyId !== null && { keyId: payingKey(account, keyId, clock.now()) };
      const { watchId } = await watches.change({ ...of, ...payer }, to, by);
      return redirectTo(reply, `${PAGE}/${watchId}?done=${done}`);
    });
  }
  routes.form(`${PAGE}/:watchId/deliveries/:deliveryId/send`, PAGE, async ({ account, request }, _form, reply) => {
    const watchId = pathParam(request, 'watchId');
    await watches.sendAgain({ accountId: account.accountId, watchId }, pathParam(request, 'deliveryId'));
    return redirectTo(reply, `${PAGE}/${watchId}?done=sent-again`);
  });
}

const CHANGES = [
  ['pause', 'paused', 'watch-paused'],
  ['resume', 'active', 'watch-resumed'],
  ['end', 'ended', 'watch-ended'],
] as const;

function mountList(routes: AuthenticatedRoutes, { watches, clock }: Services): void {
  const show = async (
    signedIn: SignedInRequest,
    reply: FastifyReply,
    { typed = EMPTY_WATCH, fault = null }: { typed?: WatchInput; fault?: FormFault | null } = {},
  ): Promise<FastifyReply> =>
    sendPrivatePage(
      reply,
      watchesPage({
        layout: dashboardLayout(signedIn),
        watches: await watches.list(signedIn.account.accountId),
        keys: signedIn.account.keys.filter((key) => mayPay(key, clock.now())),
        typed,
        fault,
      }),
    );
  routes.page(PAGE, (signedIn, reply) => show(signedIn, reply));
  routes.form(PAGE, PAGE, async (signedIn, form, reply) => {
    const typed = watchIn(form);
    const { account, by, signal } = signedIn;
    try {
      const request = readWatchForm(typed);
      const keyId = payingKey(account, typed.keyId, clock.now());
      const { accountId, qps } = account;
      const { watch } = await watches.add({ accountId, keyId, qps }, request, by, signal);
      return redirectTo(reply, `${PAGE}/${watch.watchId}?done=watch-added`);
    } catch (error) {
      if (!isCallerError(error)) throw error;
      const { field, message } = faultOf(error);
      const fault = { field: FIELDS.has(field ?? '') ? field : 'subject', message };
      return show(signedIn, reply.code(error.status), { typed, fault });
    }
  });
}

/** The fields of the form; any other parameter in an error is the subject. */
const FIELDS: ReadonlySet<string> = new Set(['list', 'subject', 'webhook_url', 'max_credits_per_day', 'key']);

/** Keys of apps may only read, not pay for watches. */
const mayPay = ({ grantId, revokedAt, expiresAt }: AccountKey, nowMs: number): boolean =>
  grantId === null && revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > nowMs);

/** The id of the chosen key. Throws `bad_request` unless it may pay. */
function payingKey({ keys }: Pick<AccountRecord, 'keys'>, chosen: string, nowMs: number): string {
  const key = keys.find(({ keyId }) => keyId === chosen);
  if (key === undefined || !mayPay(key, nowMs)) throw badRequest('Choose a key that pays.', 'key');
  return chosen;
}
