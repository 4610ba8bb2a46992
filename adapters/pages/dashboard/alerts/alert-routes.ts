import type { FastifyReply } from 'fastify';
import {
  type AuthenticatedRoutes,
  isCallerError,
  pathParam,
  redirectTo,
  type SignedInRequest,
  sendPrivatePage,
} from '../../kit/signed-in/authenticated-routes.js';
import { dashboardLayout } from '../frame/dashboard-page.js';
import type { DashboardServices } from '../frame/services.js';
import { carry, take } from '../keys/fresh-key-cookie.js';
import { alertIn, emptyAlert, readAlertForm } from './alert-forms.js';
import { type AlertsModel, alertSecretPage, alertsPage } from './alerts.js';
import { deliveriesPage } from './deliveries.js';

const PAGE = '/dashboard/alerts';
const DELIVERIES = `${PAGE}/deliveries`;

/** Alerts that the customer sets: the list, the form for a new one, and the actions on each. */
export function mountAlerts(routes: AuthenticatedRoutes, { alerts }: Pick<DashboardServices, 'alerts'>): void {
  const show = async (
    signedIn: SignedInRequest,
    reply: FastifyReply,
    form: Partial<Pick<AlertsModel, 'typed' | 'fault'>> = {},
  ): Promise<FastifyReply> => {
    const { account } = signedIn;
    const canMail = alerts.canMail(account);
    const model = {
      layout: dashboardLayout(signedIn),
      alerts: await alerts.list(account.accountId),
      email: canMail ? account.email : null,
      whyNoMail: alerts.whyNoMail(account),
      typed: emptyAlert(canMail),
      fault: null,
      ...form,
    };
    return sendPrivatePage(reply, alertsPage(model));
  };
  routes.page(PAGE, show);
  routes.form(PAGE, PAGE, async (signedIn, form, reply) => {
    const typed = alertIn(form);
    try {
      const { alertId, secret } = await alerts.add(signedIn.account, readAlertForm(typed), signedIn.by);
      if (secret === null) return redirectTo(reply, `${PAGE}?done=alert-set`);
      const path = `${PAGE}/${alertId}/secret`;
      carry(reply, path, { key: secret });
      return redirectTo(reply, path);
    } catch (error) {
      if (!isCallerError(error)) throw error;
      const fault = { field: error.detail.param ?? 'kind', message: error.message };
      return show(signedIn, reply.code(error.status), { typed, fault });
    }
  });
  routes.page(`${PAGE}/:alertId/secret`, (signedIn, reply) => {
    const path = `${PAGE}/${pathParam(signedIn.request, 'alertId')}/secret`;
    const fresh = take(signedIn.request, reply, path);
    if (fresh === null) return redirectTo(reply, `${PAGE}?done=secret-shown`);
    return sendPrivatePage(reply, alertSecretPage({ layout: dashboardLayout(signedIn), secret: fresh.key }));
  });
  routes.page(DELIVERIES, async (signedIn, reply) => {
    const deliveries = await alerts.deliveries(signedIn.account.accountId);
    return sendPrivatePage(reply, deliveriesPage({ layout: dashboardLayout(signedIn), deliveries }));
  });
  routes.form(`${DELIVERIES}/:deliveryId/send`, DELIVERIES, async ({ account, request }, _form, reply) => {
    await alerts.sendAgain(account.accountId, pathParam(request, 'deliveryId'));
    return redirectTo(reply, `${DELIVERIES}?done=sent-again`);
  });
  routes.form(`${PAGE}/:alertId/test`, PAGE, async ({ account, request }, _form, reply) => {
    await alerts.test(account, pathParam(request, 'alertId'));
    return redirectTo(reply, `${PAGE}?done=alert-tested`);
  });
  routes.form(`${PAGE}/:alertId/remove`, PAGE, async ({ account, request, by }, _form, reply) => {
    await alerts.remove(account.accountId, pathParam(request, 'alertId'), by);
    return redirectTo(reply, `${PAGE}?done=alert-removed`);
  });
}
