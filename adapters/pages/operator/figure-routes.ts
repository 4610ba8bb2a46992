import type { FastifyReply } from 'fastify';
import { daysUntil, readFigures, type ServiceFigures } from '../../../src/billing/figures.js';
import type { Pictures } from '../charts/pictures.js';
import { type AuthenticatedRoutes, queryOf, sendDashboard } from '../dashboard/frame/authenticated-routes.js';
import type { SignedInRequest } from '../dashboard/frame/services.js';
import { readLookParams } from '../dashboard/usage/usage-params.js';
import { PICTURE_CSP } from '../dashboard/usage/usage-routes.js';
import { chartOf } from './charts.js';
import { PERIODS } from './figures.js';
import { operatorLayout } from './frame.js';
import { moneyPage } from './money.js';
import type { OperatorOptions } from './options.js';
import { readsPage } from './reads.js';

/** Days that a page shows if its address names none of the periods. */
const USUAL_DAYS = 30;

/** Money and reads of the whole service, and their pictures. */
export function mountFigures(routes: AuthenticatedRoutes, options: OperatorOptions, pictures: Pictures): void {
  const { clock, status } = options;
  const figuresOf = ({ request }: SignedInRequest): Promise<ServiceFigures> => {
    const asked = Number(queryOf(request).get('days'));
    return readFigures(options, daysUntil(clock.now(), PERIODS.find((days) => days === asked) ?? USUAL_DAYS));
  };
  routes.page('/operator/money', async (signedIn, reply) =>
    sendDashboard(reply, moneyPage({ layout: operatorLayout(signedIn), figures: await figuresOf(signedIn) })),
  );
  routes.page('/operator/reads', async (signedIn, reply) => {
    const [figures, now] = await Promise.all([figuresOf(signedIn), status()]);
    return sendDashboard(reply, readsPage({ layout: operatorLayout(signedIn), figures, status: now }));
  });
  routes.page('/operator/figures.svg', async (signedIn, reply): Promise<FastifyReply> => {
    const query = queryOf(signedIn.request);
    const { from, to, scheme, width } = readLookParams(query, clock.now());
    const data = chartOf(query.get('chart'), await readFigures(options, { from, to }));
    const svg = await pictures(signedIn.account.accountId, data, { scheme, width });
    return reply.type('image/svg+xml; charset=utf-8').header('Content-Security-Policy', PICTURE_CSP).send(svg);
  });
}
