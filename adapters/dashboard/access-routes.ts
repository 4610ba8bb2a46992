import { passkeyPlace } from '../sign-in/passkey-place.js';
import { clientsPage } from './clients.js';
import { securityPage } from './security.js';
import type { DashboardOptions } from './services.js';
import { aroundOf, backTo, namedIn, notHere, type Rooms, sendDashboard } from './visit.js';

/** Events of the log. */
const LOGGED = 100;

/** Who can get at the account: clients with consent, and browsers. */
export function mountAccess(rooms: Rooms, options: DashboardOptions): void {
  const { grants, sessions, auditLog, passkeys } = options;
  rooms.page('/dashboard/clients', async (visit, reply) => {
    const list = await grants.list(visit.account.accountId);
    return sendDashboard(reply, clientsPage({ around: aroundOf(visit), grants: list }));
  });
  rooms.form(
    '/dashboard/clients/:grantId/revoke',
    '/dashboard/clients',
    async ({ request, account, by }, _form, reply) => {
      const grantId = namedIn(request, 'grantId');
      const list = await grants.list(account.accountId);
      if (!list.some((grant) => grant.grantId === grantId)) throw notHere('client');
      await grants.revoke(account.accountId, grantId, by);
      return backTo(reply, '/dashboard/clients?done=client-revoked');
    },
  );
  rooms.page('/dashboard/security', async (visit, reply) => {
    const { accountId, sessionId } = visit.visitor;
    const [list, log, keys] = await Promise.all([
      sessions.list(accountId),
      auditLog.list(accountId, LOGGED, visit.signal),
      passkeys.list(accountId),
    ]);
    const model = {
      around: aroundOf(visit),
      sessionId,
      sessions: list,
      log,
      passkeys: keys,
      place: passkeyPlace(visit.request, passkeys),
    };
    return sendDashboard(reply, securityPage(model));
  });
  const security = '/dashboard/security';
  rooms.form(
    '/dashboard/security/sessions/:sessionId/end',
    security,
    async ({ request, visitor, by }, _form, reply) => {
      const sessionId = namedIn(request, 'sessionId');
      const list = await sessions.list(visitor.accountId);
      if (!list.some((session) => session.sessionId === sessionId)) throw notHere('session');
      await sessions.end(visitor.accountId, sessionId, by);
      // Their own session over, they meet the door there.
      return backTo(reply, `${security}?done=session-ended`);
    },
  );
  rooms.form('/dashboard/security/end-others', security, async ({ visitor, by }, _form, reply) => {
    await sessions.endAll(visitor.accountId, visitor.sessionId, by);
    return backTo(reply, `${security}?done=others-ended`);
  });
}
