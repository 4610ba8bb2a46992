import type { FastifyReply } from 'fastify';
import type { Pictures } from '../charts/pictures.js';
import { type AuthenticatedRoutes, queryOf, sendDashboard } from '../dashboard/frame/authenticated-routes.js';
import type { SignedInRequest } from '../dashboard/frame/services.js';
import { readLookParams } from '../dashboard/usage/usage-params.js';
import { PICTURE_CSP } from '../dashboard/usage/usage-routes.js';
import { operatorLayout } from './frame.js';
import type { OperatorOptions } from './options.js';
import { MOST_LIMITS, trafficPage } from './traffic.js';
import { trafficChart } from './traffic-charts.js';
import { spanOf, type TrafficModel, trafficTime } from './traffic-model.js';

/** The requests of the whole service, and their pictures. */
export function mountTraffic(routes: AuthenticatedRoutes, options: OperatorOptions, pictures: Pictures): void {
  const { clock, traffic } = options;
  const modelOf = async ({ request }: SignedInRequest): Promise<TrafficModel> => {
    const time = trafficTime(spanOf(queryOf(request)), clock.now());
    return { time, figures: await traffic.read(time.from, { limits: MOST_LIMITS }) };
  };
  routes.page('/operator/traffic', async (signedIn, reply) =>
    sendDashboard(reply, trafficPage({ layout: operatorLayout(signedIn), ...(await modelOf(signedIn)) })),
  );
  routes.page('/operator/traffic.svg', async (signedIn, reply): Promise<FastifyReply> => {
    const query = queryOf(signedIn.request);
    const { scheme, width } = readLookParams(query, clock.now());
    const data = trafficChart(query.get('chart'), await modelOf(signedIn));
    const svg = await pictures(signedIn.account.accountId, data, { scheme, width });
    return reply.type('image/svg+xml; charset=utf-8').header('Content-Security-Policy', PICTURE_CSP).send(svg);
  });
}
