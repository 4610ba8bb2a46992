import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { v7 } from 'uuid';
import { mountOperator } from '../../adapters/pages/operator/mount.js';
import type { OperatorOptions } from '../../adapters/pages/operator/options.js';
import { createEmailAccounts } from '../../adapters/postgres/accounts/email-accounts.js';
import { createOneTimeTokens } from '../../adapters/postgres/customers/one-time-tokens.js';
import { createCosts } from '../../adapters/postgres/figures/costs.js';
import { createOperatorStore } from '../../adapters/postgres/figures/operator.js';
import { createTraffic } from '../../adapters/postgres/figures/traffic.js';
import { hashKey } from '../../src/access/key.js';
import { type IsOperator, operatorCheck } from '../../src/account/operators.js';
import type { Config } from '../../src/config/config.js';
import type { Accounts } from '../../src/ports/accounts.js';
import { SignInLinks } from '../../src/sign-in/links.js';
import type { Stores } from '../stores.js';
import type { CustomersOptions } from './options.js';

/** The operators of this service: the configured ones, or else the owner of the demo's key. */
async function operatorsIn(
  { accounts, secrets }: Stores,
  { operators }: Config,
  demoKey: string | null,
): Promise<IsOperator> {
  if (operators.length > 0 || demoKey === null) return operatorCheck(operators, null);
  const [found] = await accounts.findKeys([hashKey(demoKey, secrets.pepper)]);
  return operatorCheck([], found?.state === 'live' ? found.caller.accountId : null);
}

type Pages = Pick<OperatorOptions, 'keyless' | 'sessionCookies' | 'members' | 'historyAsOf'>;

/** Adds the operator's pages, and returns the options that the customers' pages share with them. */
export async function mountOperators(
  app: FastifyInstance,
  { config, stores, clock }: CustomersOptions,
  { demoKey, status }: Pick<OperatorOptions, 'status'> & { readonly demoKey: string | null },
  pages: Pages,
): Promise<Pages & Pick<OperatorOptions, 'isOperator'> & { readonly accounts: Accounts }> {
  const { sql, accounts, ledger } = stores;
  const common = { ...pages, accounts, isOperator: await operatorsIn(stores, config, demoKey) };
  const people = createEmailAccounts(sql);
  const links = new SignInLinks({ tokens: createOneTimeTokens(sql), accounts: people, clock, randomBytes });
  const figures = { store: createOperatorStore(sql), costs: createCosts(sql), traffic: createTraffic(sql), status };
  mountOperator(app, { ...common, ...figures, ledger, links, clock, newId: v7 });
  return common;
}
