import type { FastifyInstance } from 'fastify';
import { loadCookies } from '../../http/session-cookies.js';
import { mountAccess } from './account/access-routes.js';
import { mountAccount } from './account/account-routes.js';
import { mountAlerts } from './alerts/alert-routes.js';
import { mountMoney } from './credits/money-routes.js';
import { authenticatedRoutes } from './frame/authenticated-routes.js';
import { mountModeSwitch } from './frame/mode-routes.js';
import { installRefusalPages } from './frame/refusals.js';
import type { DashboardOptions } from './frame/services.js';
import { mountKeys } from './keys/key-routes.js';
import { mountUsage } from './usage/usage-routes.js';

/**
 * The customer's own pages, under `/dashboard` (A21). Visitors who are not signed in go to `/sign-in` and come back.
 */
export function mountDashboard(app: FastifyInstance, options: DashboardOptions): void {
  const routes = authenticatedRoutes(options);
  installRefusalPages(app);
  loadCookies(app);
  mountUsage(routes, options);
  mountKeys(routes, options, () => app.baseUrl);
  mountModeSwitch(routes, options);
  mountMoney(routes, options);
  mountAlerts(routes, options);
  mountAccess(routes, options);
  mountAccount(routes, options);
}
