import type { FastifyReply, FastifyRequest } from 'fastify';
import { document } from './layout.js';
import { Bird } from './parts.js';
import { sendPage, wantsHtml } from './send-page.js';

/** The answer to a browser that requests an address which does not exist; status 404. */
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

/** Sends it to a browser that requests a page; null for programs and forms. */
export const sendLostPage = (request: FastifyRequest, reply: FastifyReply): FastifyReply | null =>
  (request.method === 'GET' || request.method === 'HEAD') && wantsHtml(request)
    ? sendPage(reply.code(404), notFoundPage())
    : null;
