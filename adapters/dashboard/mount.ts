import type { FastifyInstance } from 'fastify';
import { loadCookies } from '../http/cookies.js';
import { mountAccess } from './access-routes.js';
import { mountAccount } from './account-routes.js';
import { mountAlerts } from './alert-routes.js';
import { authenticatedRoutes } from './authenticated-routes.js';
import { createChartThread } from './chart-thread.js';
import { mountKeys } from './key-routes.js';
import { mountModeSwitch } from './mode-routes.js';
import { mountMoney } from './money-routes.js';
import { createPictures } from './pictures.js';
import { installRefusalPages } from './refusals.js';
import type { DashboardOptions } from './services.js';
import { mountUsage } from './usage-routes.js';

/**
 * The customer's own pages, under `/dashboard` (A21). Visitors who are not signed in go to `/sign-in` and come back.
 */
export function mountDashboard(app: FastifyInstance, options: DashboardOptions): void {
  const routes = authenticatedRoutes(options);
  const thread = createChartThread();
  app.addHook('onClose', () => thread.close());
  installRefusalPages(app);
  loadCookies(app);
  mountUsage(routes, options, createPictures(thread.draw, options.memories));
  mountKeys(routes, options, () => app.baseUrl);
  mountModeSwitch(routes, options);
  mountMoney(routes, options);
  mountAlerts(routes, options);
  mountAccess(routes, options);
  mountAccount(routes, options);
}
