import type { Server } from 'node:http';
import fastify, { LogController } from 'fastify';
import { v7 } from 'uuid';
import { connect } from '../../adapters/postgres/sql.js';
import type { Answers } from './answers.js';
import { type Customer, openDoor, statusOf } from './door.js';
import { chargeInOneStatement, openPlainTables, PLAIN_CONNECTIONS } from './plain-charges.js';

declare module 'fastify' {
  interface FastifyRequest {
    customer: Customer | null;
  }
}

/** The same promise, kept as most services would: a statement per charge, JSON.stringify and a log line per answer. */
export async function fastifyCharging({ rest, keys, database, logFile }: Answers): Promise<Server> {
  const sql = connect(database, { max: PLAIN_CONNECTIONS, name: 'fastify' });
  const wallets = keys.map(() => ({ accountId: v7(), walletId: v7() }));
  await openPlainTables(sql, wallets);
  const charge = chargeInOneStatement(sql);
  const admit = openDoor(keys);
  const app = fastify({
    logger: { file: logFile },
    // One line per request instead of two.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => v7(),
  });
  app.decorateRequest('customer', null);
  app.addHook('onRequest', async (request, reply) => {
    const customer = admit(String(request.headers['x-api-key']));
    if (typeof customer === 'string') return reply.code(statusOf(customer)).send({ error: { code: customer } });
    request.customer = customer;
  });
  app.addHook('onResponse', async ({ log, method, url, customer }, { statusCode, elapsedTime }) => {
    log.info({ method, url, status: statusCode, ms: elapsedTime, account: customer?.nth }, 'answered');
  });
  for (const { path, acceptEncoding, text } of rest) {
    // By path alone, because the query is the same for every request of a round.
    const [route = path] = path.split('?');
    if (acceptEncoding !== '' || app.hasRoute({ method: 'GET', url: route })) continue;
    const answer = JSON.parse(text);
    const { credits_charged: credits, items } = answer;
    const line = { path: 'data', unit: 'profile', cache: 'hit', items, unitPrice: (credits * 1000) / items } as const;
    const paid = { operation: route, amount: credits * 1000, items, cacheHits: items, lines: [line], uncapped: null };
    app.get(route, async ({ id, customer }, reply) => {
      const wallet = wallets[customer?.nth ?? -1];
      if (wallet === undefined) throw new Error('nobody asks');
      const balance = (await charge({ requestId: id, ...wallet, keyId: wallet.walletId, ...paid })) / 1000;
      reply.header('x-request-id', id).header('x-credits-remaining', balance);
      return { ...answer, balance_remaining: balance, request_id: id };
    });
  }
  await app.ready();
  return app.server;
}
