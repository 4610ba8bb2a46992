import type { FastifyInstance, FastifyReply } from 'fastify';
import { ServiceError } from '../../src/domain/errors.js';
import { isIssuerAt, resourceAt, resourceMetadata, serverMetadata } from '../../src/oauth/metadata.js';
import type { Addresses } from '../../src/oauth/resources.js';
import { PAGE } from '../http/keyless.js';
import { networkOf, requestOrigin } from '../http/origin.js';
import { mountAuthorize, type OAuthOptions } from './authorize.js';
import { readFormFields, readJsonBody } from './bodies.js';
import { type Allowance, openRoute, type PublicLimits, takeOne } from './open-route.js';

const REGISTRATIONS: Allowance = { name: 'register', limit: 20, windowSeconds: 3600 };
/** Of a network (`networkOf`), so that nobody can use up what all clients share. */
const REGISTRATIONS_OF_NETWORK: Allowance = { name: 'register-network', limit: 200, windowSeconds: 3600 };
/**
 * Over all clients. Registrations are kept for weeks, so a client with many addresses must not be able to fill the disk
 * with them.
 */
const REGISTRATIONS_IN_ALL: Allowance = { name: 'register', limit: 5000, windowSeconds: 3600 };
const TOKENS: Allowance = { name: 'token', limit: 120, windowSeconds: 60 };

/** Sign-in for clients: discovery, registration, consent, tokens (section 5.2, A12–A17). */
export function mountOAuth(app: FastifyInstance, options: OAuthOptions): void {
  const gate: PublicLimits = {
    admitPublic: options.admitPublic,
    admitStatic: options.admitStatic,
    take: ({ name, limit, windowSeconds }, whom) => options.limiter.take(`oauth:${name}:${whom}`, limit, windowSeconds),
  };
  const addresses = (): Addresses => ({ baseUrl: app.baseUrl, authUrl: app.authUrl });
  mountMetadata(app, gate, addresses);
  mountAuthorize(app, gate, addresses, options);
  const post = (
    url: string,
    allowance: Allowance,
    answer: (request: Parameters<typeof readFormFields>[0]) => Promise<unknown>,
  ) =>
    openRoute(app, gate, {
      methods: ['POST'],
      url,
      allowance,
      handler: async (request, reply) => {
        const body = await answer(request);
        return noStore(reply)
          .code(url.endsWith('/register') ? 201 : 200)
          .send(body);
      },
    });
  const { clients, tokens } = options;
  post('/api/oauth/register', REGISTRATIONS, (request) =>
    clients.register(readJsonBody(request), async () => {
      await takeOne(gate, REGISTRATIONS_OF_NETWORK, networkOf(request), 'to register clients from this network');
      await takeOne(gate, REGISTRATIONS_IN_ALL, 'all', 'to register clients');
    }),
  );
  post('/api/oauth/token', TOKENS, (request) =>
    tokens.answer(readFormFields(request), addresses(), requestOrigin(request).address),
  );
  post('/api/oauth/revoke', TOKENS, async (request) => {
    await tokens.revoke(readFormFields(request), requestOrigin(request).address);
    return {};
  });
}

const noStore = (reply: FastifyReply): FastifyReply =>
  reply.header('Cache-Control', 'no-store').header('Pragma', 'no-cache');

/**
 * Serves each document also at its path followed by the path of the address it describes (RFC 8414 3.1, RFC 9728 3.1).
 */
function mountMetadata(app: FastifyInstance, gate: PublicLimits, addresses: () => Addresses): void {
  const wellKnown = (name: string, describe: (suffix: string) => object | undefined): void => {
    for (const url of [`/.well-known/${name}`, `/.well-known/${name}/*`]) {
      openRoute(app, gate, {
        methods: PAGE as ('GET' | 'HEAD')[],
        url,
        isUnrefused: true,
        handler: (request, reply) => {
          const { '*': rest = '' } = request.params as { '*'?: string };
          const described = describe(rest === '' ? '' : `/${rest.replace(/\/$/, '')}`);
          if (described === undefined) throw new ServiceError('not_found', 'There is no metadata at this address.');
          return reply.header('Cache-Control', 'public, max-age=300').send(described);
        },
      });
    }
  };
  wellKnown('oauth-authorization-server', (suffix) =>
    isIssuerAt(addresses(), suffix) ? serverMetadata(addresses()) : undefined,
  );
  wellKnown('oauth-protected-resource', (suffix) => {
    const resource = resourceAt(addresses(), suffix);
    return resource === undefined ? undefined : resourceMetadata(addresses(), resource);
  });
}
