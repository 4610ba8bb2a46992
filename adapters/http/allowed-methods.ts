import type { FastifyInstance } from 'fastify';

/** The methods that routes accept at a path; empty where there is no such path. */
export type AllowedMethods = (path: string) => string[];

/** Watches the routes as they are added. Call it before adding any. */
export function allowedMethods(app: FastifyInstance): AllowedMethods {
  const routes: { methods: readonly string[]; pattern: RegExp }[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    const source = url
      .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll(/:\w+/g, '[^/]+')
      .replaceAll('*', '.*');
    routes.push({ methods: [method].flat(), pattern: new RegExp(`^${source}/?$`) });
  });
  return (path) => {
    const found = routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods);
    // OPTIONS is answered everywhere, whether or not a route has its own handler for it.
    return [...new Set(found)].filter((method) => method !== 'OPTIONS').sort();
  };
}
