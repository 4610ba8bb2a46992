import type { FastifyInstance } from 'fastify';
import { daysUntil, readFigures, type ServiceFigures } from '../../../src/billing/figures.js';
import { queryString } from '../../http/request.js';
import {
  type AuthenticatedRoutes,
  authenticatedRoutes,
  type SignedInRequest,
  sendPrivatePage,
} from '../kit/signed-in/authenticated-routes.js';
import { sendCsv } from '../kit/signed-in/csv.js';
import { mountAccounts } from './account-routes.js';
import { DAY_COUNTS } from './figures.js';
import { operatorLayout, operatorRefusal } from './frame.js';
import { daysCsv, moneyPage } from './money.js';
import type { OperatorOptions } from './options.js';
import { overviewPage } from './overview.js';
import { readsCsv, readsPage } from './reads.js';
import { MOST_LIMITS, operationsCsv, trafficPage } from './traffic.js';
import { requestedSpan, type TrafficModel, trafficTime } from './traffic-charts.js';

/** The operator's pages, under `/operator`. For everyone else, these paths do not exist. */
export function mountOperator(app: FastifyInstance, options: OperatorOptions): void {
  const routes = authenticatedRoutes(options, { refusalPage: operatorRefusal, admits: ({ isOperator }) => isOperator });
  mountAccounts(routes, options, () => app.authUrl);
  mountFigures(routes, options);
}

/** The period, in days, that a page shows unless its address names another. */
const USUAL_DAYS = 30;

/** How many accounts and actions the overview shows. */
const NEWEST = 5;

/** Pages about the money, reads and requests of the whole service. */
function mountFigures(routes: AuthenticatedRoutes, options: OperatorOptions): void {
  const { clock, status, store, traffic } = options;
  const requestedFigures = ({ request }: SignedInRequest): Promise<ServiceFigures> => {
    const requestedDays = Number(queryString(request).get('days'));
    return readFigures(
      options,
      daysUntil(clock.now(), DAY_COUNTS.find((days) => days === requestedDays) ?? USUAL_DAYS),
    );
  };
  const requestedTraffic = async ({ request }: SignedInRequest): Promise<TrafficModel> => {
    const time = trafficTime(requestedSpan(queryString(request)), clock.now());
    return { time, figures: await traffic.read(time.from, { limits: MOST_LIMITS }) };
  };
  routes.page('/operator', async (signedIn, reply) => {
    const [figures, requests, now, accounts, events] = await Promise.all([
      requestedFigures(signedIn),
      requestedTraffic(signedIn),
      status(),
      store.accounts({ limit: NEWEST }),
      store.events('operators', NEWEST),
    ]);
    const model = { figures, traffic: requests, status: now, accounts, events };
    return sendPrivatePage(reply, overviewPage({ layout: operatorLayout(signedIn), ...model }));
  });
  routes.page('/operator/money.csv', async (signedIn, reply) =>
    sendCsv(reply, 'days', daysCsv(await requestedFigures(signedIn))),
  );
  routes.page('/operator/reads.csv', async (signedIn, reply) =>
    sendCsv(reply, 'reads', readsCsv(await requestedFigures(signedIn))),
  );
  routes.page('/operator/traffic.csv', async (signedIn, reply) =>
    sendCsv(reply, 'traffic', operationsCsv((await requestedTraffic(signedIn)).figures)),
  );
  routes.page('/operator/money', async (signedIn, reply) =>
    sendPrivatePage(reply, moneyPage({ layout: operatorLayout(signedIn), figures: await requestedFigures(signedIn) })),
  );
  routes.page('/operator/reads', async (signedIn, reply) => {
    const [figures, now] = await Promise.all([requestedFigures(signedIn), status()]);
    return sendPrivatePage(reply, readsPage({ layout: operatorLayout(signedIn), figures, status: now }));
  });
  routes.page('/operator/traffic', async (signedIn, reply) => {
    const model = await requestedTraffic(signedIn);
    return sendPrivatePage(reply, trafficPage({ layout: operatorLayout(signedIn), ...model }));
  });
}
