import type { FastifyInstance } from 'fastify';
import { daysUntil, readFigures, type ServiceFigures } from '../../../src/billing/figures.js';
import { queryString } from '../../http/request.js';
import {
  type AuthenticatedRoutes,
  authenticatedRoutes,
  type SignedInRequest,
  sendPrivatePage,
} from '../kit/signed-in/authenticated-routes.js';
import { mountAccounts } from './account-routes.js';
import { PERIODS } from './figures.js';
import { operatorLayout, operatorRefusal } from './frame.js';
import { moneyPage } from './money.js';
import type { OperatorOptions } from './options.js';
import { readsPage } from './reads.js';
import { MOST_LIMITS, trafficPage } from './traffic.js';
import { requestedSpan, trafficTime } from './traffic-charts.js';

/** The operator's pages, under `/operator`. To everybody else these paths do not exist. */
export function mountOperator(app: FastifyInstance, options: OperatorOptions): void {
  const routes = authenticatedRoutes(options, { refusalPage: operatorRefusal, admits: ({ isOperator }) => isOperator });
  mountAccounts(routes, options, () => app.authUrl);
  mountFigures(routes, options);
}

/** The period that a page shows unless its address names another. Days. */
const USUAL_DAYS = 30;

/** Money, reads and requests of the whole service. */
function mountFigures(routes: AuthenticatedRoutes, options: OperatorOptions): void {
  const { clock, status, traffic } = options;
  const requestedFigures = ({ request }: SignedInRequest): Promise<ServiceFigures> => {
    const asked = Number(queryString(request).get('days'));
    return readFigures(options, daysUntil(clock.now(), PERIODS.find((days) => days === asked) ?? USUAL_DAYS));
  };
  routes.page('/operator/money', async (signedIn, reply) =>
    sendPrivatePage(reply, moneyPage({ layout: operatorLayout(signedIn), figures: await requestedFigures(signedIn) })),
  );
  routes.page('/operator/reads', async (signedIn, reply) => {
    const [figures, now] = await Promise.all([requestedFigures(signedIn), status()]);
    return sendPrivatePage(reply, readsPage({ layout: operatorLayout(signedIn), figures, status: now }));
  });
  routes.page('/operator/traffic', async (signedIn, reply) => {
    const time = trafficTime(requestedSpan(queryString(signedIn.request)), clock.now());
    const figures = await traffic.read(time.from, { limits: MOST_LIMITS });
    return sendPrivatePage(reply, trafficPage({ layout: operatorLayout(signedIn), time, figures }));
  });
}
