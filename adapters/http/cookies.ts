import { fastifyCookie } from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';

/**
 * Loads the cookie parser, which `parse` and `serialize` need, in a scope of its own: otherwise its hooks would also run
 * for every request with a key.
 */
export function loadCookies(app: FastifyInstance): void {
  app.register(async (room) => void (await room.register(fastifyCookie, { hook: false })));
}
