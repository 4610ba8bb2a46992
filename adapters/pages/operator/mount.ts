import type { FastifyInstance } from 'fastify';
import { authenticatedRoutes } from '../kit/signed-in/authenticated-routes.js';
import { mountAccounts } from './account-routes.js';
import { mountFigures } from './figure-routes.js';
import { operatorRefusal } from './frame.js';
import type { OperatorOptions } from './options.js';

/** The operator's pages, under `/operator`. To everybody else these paths do not exist. */
export function mountOperator(app: FastifyInstance, options: OperatorOptions): void {
  const routes = authenticatedRoutes(options, { refusalPage: operatorRefusal, admits: ({ isOperator }) => isOperator });
  mountAccounts(routes, options, () => app.authUrl);
  mountFigures(routes, options);
}
