import type { FastifyInstance } from 'fastify';
import { loadCookies } from '../../http/session-cookies.js';
import { authenticatedRoutes } from '../kit/signed-in/authenticated-routes.js';
import { mountAccess } from './account/access-routes.js';
import { mountAccount } from './account/account-routes.js';
import { mountAlerts } from './alerts/alert-routes.js';
import { mountMoney } from './credits/money-routes.js';
import { refusalPage } from './frame/dashboard-page.js';
import { accountShown, mountModeSwitch } from './frame/mode-switch.js';
import type { DashboardOptions } from './frame/services.js';
import { mountKeys } from './keys/key-routes.js';
import { mountMembers } from './members/member-routes.js';
import { formRule, isCounted } from './members/permissions.js';
import { mountOverview } from './overview/overview-routes.js';
import { mountUsage } from './usage/usage-routes.js';
import { mountWatches } from './watches/watch-routes.js';

/**
 * The customer's own pages, under `/dashboard` (A21). Visitors who are not signed in are sent to `/sign-in` and back.
 */
export function mountDashboard(app: FastifyInstance, options: DashboardOptions): void {
  const routes = authenticatedRoutes(options, {
    ...{ refusalPage, rule: formRule, shown: accountShown(options) },
    async admitForm(url, { live, person }) {
      if (isCounted(url)) await options.members.admitChange(live.accountId, person.personId);
    },
  });
  loadCookies(app);
  mountOverview(routes, options, () => app.baseUrl);
  mountUsage(routes, options);
  mountKeys(routes, options, () => app.baseUrl);
  mountModeSwitch(routes, options);
  mountMoney(routes, options);
  mountAlerts(routes, options);
  mountWatches(routes, options);
  mountAccess(routes, options);
  mountMembers(routes, options);
  mountAccount(routes, options);
}
