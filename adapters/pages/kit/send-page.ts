import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NO_PUBLISHER, type Publisher, withAddress, withPublisher } from './layout.js';

/** Who publishes the pages of a service, and the picture that stands for them elsewhere. */
interface Publishing {
  readonly publisher: Publisher;
  /** The path of a picture; null: none. */
  readonly picture: string | null;
}

const PUBLISHING = Symbol('publishing');

/** To be called once, before pages are sent. */
export const publishPages = (app: FastifyInstance, publishing: Publishing): void => {
  app.decorate(PUBLISHING, publishing);
};

const publishingOf = (app: FastifyInstance): Publishing =>
  app.hasDecorator(PUBLISHING) ? app.getDecorator<Publishing>(PUBLISHING) : { publisher: NO_PUBLISHER, picture: null };

/** A page for everyone, complete: whose it is, and which address is its own. */
export function publicPage(app: FastifyInstance, path: string, page: string): string {
  const { publisher, picture } = publishingOf(app);
  const absolute = picture === null ? null : `${app.baseUrl}${picture}`;
  return withAddress(withPublisher(page, publisher), { url: `${app.baseUrl}${path}`, picture: absolute });
}

/** Content-Security-Policy of every page here: own files only, no inline script or style, no frame. */
export const SITE_CSP = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The headers of every page, under the policy of all pages unless it needs another one. */
export const pageHeaders = (reply: FastifyReply, csp: string = SITE_CSP): FastifyReply =>
  reply
    .header('Content-Security-Policy', csp)
    .header('Referrer-Policy', 'same-origin')
    .header('Vary', 'Accept')
    .type('text/html; charset=utf-8');

/** A page that is for its reader alone, or has no address of its own. */
export const sendPage = (reply: FastifyReply, page: string, csp?: string): FastifyReply =>
  pageHeaders(reply, csp).send(withPublisher(page, publishingOf(reply.server).publisher));

/** A page for everyone. The address of the request is its own, without a query. */
export const sendPublicPage = (reply: FastifyReply, page: string): FastifyReply =>
  pageHeaders(reply).send(publicPage(reply.server, reply.request.url.split('?', 1)[0] ?? '/', page));

/** A browser names `text/html`; a program does not. */
export const wantsHtml = (request: FastifyRequest): boolean => (request.headers.accept ?? '').includes('text/html');
