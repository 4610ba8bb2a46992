import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { prefers } from '../../http/accept.js';
import { NO_PUBLISHER, type Publisher, withAddress, withPublisher } from './layout.js';

/** Who publishes the pages of a service, and the picture in previews of links to them. */
interface Publishing {
  readonly publisher: Publisher;
  /** The path of a picture; null: none. */
  readonly picture: string | null;
}

const PUBLISHING = Symbol('publishing');

/** Sets who publishes the pages. Must be called once, before pages are sent. */
export const publishPages = (app: FastifyInstance, publishing: Publishing): void => {
  app.decorate(PUBLISHING, publishing);
};

const publishingOf = (app: FastifyInstance): Publishing =>
  app.hasDecorator(PUBLISHING) ? app.getDecorator<Publishing>(PUBLISHING) : { publisher: NO_PUBLISHER, picture: null };

/** Completes a public page with its operator and its canonical address. */
export function publicPage(app: FastifyInstance, path: string, page: string): string {
  const { publisher, picture } = publishingOf(app);
  const absolute = picture === null ? null : `${app.baseUrl}${picture}`;
  return withAddress(withPublisher(page, publisher), { url: `${app.baseUrl}${path}`, picture: absolute });
}

/** Content-Security-Policy of all these pages: own files only, no inline script or style, no frame. */
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

/** Sets the headers of a page, with `SITE_CSP` unless the page needs another policy. */
export const pageHeaders = (reply: FastifyReply, csp: string = SITE_CSP): FastifyReply =>
  reply
    .header('Content-Security-Policy', csp)
    .header('Referrer-Policy', 'same-origin')
    .header('Vary', 'Accept')
    .type('text/html; charset=utf-8');

/** Sends a page that is only for its reader, or that has no address of its own. */
export const sendPage = (reply: FastifyReply, page: string, csp?: string): FastifyReply =>
  pageHeaders(reply, csp).send(withPublisher(page, publishingOf(reply.server).publisher));

/** Sends a public page. Its address is that of the request, without the query. */
export const sendPublicPage = (reply: FastifyReply, page: string): FastifyReply =>
  pageHeaders(reply).send(publicPage(reply.server, reply.request.url.split('?', 1)[0] ?? '/', page));

/** Whether a browser sent the request: browsers accept `text/html` explicitly, programs do not. */
export const wantsHtml = (request: FastifyRequest): boolean => prefers(request.headers.accept, 'text/html');
