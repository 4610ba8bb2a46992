import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceError } from '../../../src/domain/errors.js';
import { isV1 } from '../../http/headers.js';
import { document } from './layout.js';
import { Bird } from './parts.js';
import { sendPage, wantsHtml } from './send-page.js';

/** The page for a browser that requests an address that does not exist; status 404. */
export const notFoundPage = (): string =>
  document(
    { title: 'Page not found · Perch', description: 'There is no page at this address.' },
    <div class="wrap page narrow lost">
      <Bird />
      <h1>Page not found</h1>
      <p class="lead">There is no page at this address. It may be mistyped, or the page may have been removed.</p>
      <p class="actions">
        <a class="button primary" href="/">
          Go to home page
        </a>
        <a class="button" href="/docs">
          Documentation
        </a>
      </p>
    </div>,
  );

const isForPage = (request: FastifyRequest): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') && wantsHtml(request);

/** Sends `notFoundPage` to a browser that requests a page; null for programs and forms. */
export const sendLostPage = (request: FastifyRequest, reply: FastifyReply): FastifyReply | null =>
  isForPage(request) ? sendPage(reply.code(404), notFoundPage()) : null;

/** The page for a browser whose network address requested too many pages at once; status 429. */
const busyPage = (message: string): string =>
  document(
    { title: 'Too many requests · Perch', description: 'This address has asked for too many pages at once.' },
    <div class="wrap page narrow lost">
      <Bird />
      <h1>Too many requests</h1>
      <p class="lead">{message} Then reload this page.</p>
      <p>Everyone behind the same network address shares this limit. Nothing was charged.</p>
    </div>,
  );

/** Sends `busyPage` to a browser that requests pages too fast; null for programs, forms, `/v1`, and other failures. */
export const sendBusyPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  { code, status, message, retryAfter = 1 }: ServiceError,
): FastifyReply | null =>
  code === 'rate_limited' && isForPage(request) && !isV1(request.url)
    ? sendPage(reply.code(status).header('Retry-After', String(retryAfter)), busyPage(message))
    : null;
