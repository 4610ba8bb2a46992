import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceError } from '../../../../src/domain/errors.js';
import { document } from '../../kit/layout.js';
import { sendPage, wantsHtml } from '../../kit/send-page.js';
import { refusalTitle } from '../../kit/signed-in/authenticated-routes.js';

const page = (title: string, message: string): string =>
  document(
    {
      title: `${title} · Perch dashboard`,
      description: 'Keys, credits and usage of your Perch account.',
      here: '/dashboard',
      style: 'dashboard.css',
    },
    <div class="wrap stack">
      <h1>{title}</h1>
      <div class="card">
        <p>{message}</p>
        <p class="actions">
          <a class="button primary" href="/dashboard">
            Go to dashboard
          </a>
        </p>
      </div>
    </div>,
  );

/** Sends a browser a page about any failure under `/dashboard`, even if no route matched; null for everything else. */
export const dashboardFailure = (
  request: FastifyRequest,
  reply: FastifyReply,
  { status, message }: ServiceError,
): FastifyReply | null =>
  /^\/dashboard(?:[/?]|$)/.test(request.url) && wantsHtml(request)
    ? sendPage(reply.code(status).header('Cache-Control', 'private, no-store'), page(refusalTitle(status), message))
    : null;
