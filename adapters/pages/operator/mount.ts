import type { FastifyInstance } from 'fastify';
import { createChartThread } from '../charts/chart-thread.js';
import { createPictures } from '../charts/pictures.js';
import { authenticatedRoutes } from '../dashboard/frame/authenticated-routes.js';
import { mountAccounts } from './account-routes.js';
import { mountFigures } from './figure-routes.js';
import { operatorRefusal } from './frame.js';
import type { OperatorOptions } from './options.js';
import { mountTraffic } from './traffic-routes.js';

/** The operator's pages, under `/operator`. To everybody else these paths do not exist. */
export function mountOperator(app: FastifyInstance, options: OperatorOptions): void {
  const gate = {
    admits: ({ isOperator }: { readonly isOperator: boolean }) => isOperator,
    refusalPage: operatorRefusal,
  };
  const routes = authenticatedRoutes(options, gate);
  const thread = createChartThread();
  app.addHook('onClose', () => thread.close());
  mountAccounts(routes, options, () => app.authUrl);
  const pictures = createPictures(thread.draw, options.memories);
  mountFigures(routes, options, pictures);
  mountTraffic(routes, options, pictures);
}
