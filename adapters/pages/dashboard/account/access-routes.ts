import { queryString } from '../../../http/request.js';
import {
  type AuthenticatedRoutes,
  pathParam,
  redirectTo,
  sendPrivatePage,
} from '../../kit/signed-in/authenticated-routes.js';
import { passkeyHost } from '../../sign-in/passkey-panel.js';
import { dashboardLayout } from '../frame/dashboard-page.js';
import { type DashboardOptions, notOnAccount } from '../frame/services.js';
import { clientsPage, pendingClients } from './clients.js';
import { securityPage } from './security.js';

/** The most log events on a page. */
const LOGGED = 100;

/** Pages about who has access to the account: clients with consent, and browsers. */
export function mountAccess(routes: AuthenticatedRoutes, options: DashboardOptions): void {
  const { grants, sessions, auditLog, passkeys, clock } = options;
  routes.page('/dashboard/clients', async (signedIn, reply) => {
    const { accountId } = signedIn.account;
    const [list, log] = await Promise.all([grants.list(accountId), auditLog.list(accountId, LOGGED, signedIn.signal)]);
    const pending = pendingClients(log, list, clock.now());
    return sendPrivatePage(reply, clientsPage({ layout: dashboardLayout(signedIn), grants: list, pending }));
  });
  routes.form(
    '/dashboard/clients/:grantId/revoke',
    '/dashboard/clients',
    async ({ request, account, by }, _form, reply) => {
      await grants.revoke(account.accountId, pathParam(request, 'grantId'), by);
      return redirectTo(reply, '/dashboard/clients?done=client-revoked');
    },
  );
  routes.page('/dashboard/security', async (signedIn, reply) => {
    const { personId, sessionId } = signedIn.visitor;
    const before = /^\d{1,18}$/.exec(queryString(signedIn.request).get('before') ?? '')?.[0];
    const [active, log, keys] = await Promise.all([
      sessions.list(personId, sessionId),
      auditLog.list(signedIn.account.accountId, LOGGED + 1, signedIn.signal, before),
      passkeys.list(personId),
    ]);
    const model = {
      layout: dashboardLayout(signedIn),
      personId,
      sessionId,
      ...active,
      log: log.slice(0, LOGGED),
      older: log.length > LOGGED ? (log[LOGGED - 1]?.eventId ?? null) : null,
      passkeys: keys,
      host: passkeyHost(signedIn.request, passkeys),
    };
    return sendPrivatePage(reply, securityPage(model));
  });
  const security = '/dashboard/security';
  routes.form(
    '/dashboard/security/sessions/:sessionId/end',
    security,
    async ({ request, visitor, by }, _form, reply) => {
      const ended = await sessions.end(visitor.personId, pathParam(request, 'sessionId'), by);
      if (!ended) throw notOnAccount('session');
      // Customers who have ended their own session are sent on to sign-in from there.
      return redirectTo(reply, `${security}?done=session-ended`);
    },
  );
  routes.form('/dashboard/security/end-others', security, async ({ visitor, by }, _form, reply) => {
    await sessions.endAll(visitor.personId, visitor.sessionId, by);
    return redirectTo(reply, `${security}?done=others-ended`);
  });
}
