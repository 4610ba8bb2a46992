import type { FastifyInstance } from 'fastify';
import { authenticatedRoutes } from '../dashboard/frame/authenticated-routes.js';
import { mountAccounts } from './account-routes.js';
import { mountFigures } from './figure-routes.js';
import { operatorRefusal } from './frame.js';
import type { OperatorOptions } from './options.js';

/** The operator's pages, under `/operator`. To everybody else these paths do not exist. */
export function mountOperator(app: FastifyInstance, options: OperatorOptions): void {
  const gate = {
    admits: ({ isOperator }: { readonly isOperator: boolean }) => isOperator,
    refusalPage: operatorRefusal,
  };
  const routes = authenticatedRoutes(options, gate);
  mountAccounts(routes, options, () => app.authUrl);
  mountFigures(routes, options);
}
