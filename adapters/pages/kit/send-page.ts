import type { FastifyReply, FastifyRequest } from 'fastify';

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

/** A complete page. */
export const sendPage = (reply: FastifyReply, page: string, csp?: string): FastifyReply =>
  pageHeaders(reply, csp).send(page);

/** A browser names `text/html`; a program does not. */
export const wantsHtml = (request: FastifyRequest): boolean => (request.headers.accept ?? '').includes('text/html');
