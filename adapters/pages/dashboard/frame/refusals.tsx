import type { FastifyInstance } from 'fastify';
import { document } from '../../kit/layout.js';
import { SITE_CSP, wantsHtml } from '../../kit/send-page.js';
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

/** Shows the service's errors as pages, also where no page answered, such as for an unknown path. */
export function installRefusalPages(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const type = String(reply.getHeader('content-type') ?? '');
    const isOurs = reply.statusCode >= 400 && /^\/dashboard(?:[/?]|$)/.test(request.url);
    if (!isOurs || typeof payload !== 'string' || !type.startsWith('application/json') || !wantsHtml(request)) {
      return done(null, payload);
    }
    const { error } = JSON.parse(payload) as { error: { message: string } };
    reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', SITE_CSP)
      .header('Referrer-Policy', 'same-origin')
      .header('Cache-Control', 'private, no-store');
    done(null, page(refusalTitle(reply.statusCode), error.message));
  });
}
