import { type Action, type Role, whyNot } from '../../../../src/domain/audit.js';

/** What each form of the dashboard does: the roles that may are a row of `ACTIONS`. A form without a row is not mounted. */
export const FORMS: Readonly<Record<string, Action>> = {
  '/dashboard/keys': 'keys',
  '/dashboard/keys/:keyId/change': 'keys',
  '/dashboard/keys/:keyId/limits': 'keys',
  '/dashboard/keys/:keyId/rotate': 'keys',
  '/dashboard/keys/:keyId/revoke': 'keys',
  '/dashboard/mode': 'self',
  '/dashboard/first-steps/hide': 'self',
  '/dashboard/test-key': 'self',
  '/dashboard/credits/buy': 'credits',
  '/dashboard/alerts': 'alerts',
  '/dashboard/alerts/:alertId/test': 'alerts',
  '/dashboard/alerts/:alertId/remove': 'alerts',
  '/dashboard/alerts/deliveries/:deliveryId/send': 'alerts',
  '/dashboard/watches': 'keys',
  '/dashboard/watches/:watchId/pause': 'keys',
  '/dashboard/watches/:watchId/resume': 'keys',
  '/dashboard/watches/:watchId/end': 'keys',
  '/dashboard/watches/:watchId/deliveries/:deliveryId/send': 'keys',
  '/dashboard/clients/:grantId/revoke': 'apps',
  '/dashboard/members': 'members',
  '/dashboard/members/:personId/role': 'members',
  '/dashboard/members/:personId/remove': 'members',
  '/dashboard/members/:personId/transfer': 'account',
  '/dashboard/members/invitations/:invitationId/withdraw': 'members',
  '/dashboard/members/leave': 'self',
  '/dashboard/invitations/:secret/accept': 'self',
  '/dashboard/accounts/switch': 'self',
  '/dashboard/account/name': 'account',
  '/dashboard/account/export': 'account',
  '/dashboard/account/delete': 'account',
  '/dashboard/account/email': 'self',
  '/dashboard/account/email/confirm': 'self',
  '/dashboard/security/sessions/:sessionId/end': 'self',
  '/dashboard/security/end-others': 'self',
  '/dashboard/passkeys': 'self',
  '/dashboard/passkeys/options': 'self',
  '/dashboard/passkeys/remove': 'self',
};

/** Why a role may not send the forms of a route. Throws for a route without a row. */
export function formRule(url: string): (role: Role) => string | null {
  const action = FORMS[url];
  if (action === undefined) throw new Error(`no row of FORMS says which role may send forms to ${url}`);
  return (role) => whyNot(action, role);
}

/** The parts of the addresses of all forms. No form's path fits two rows. */
const ROWS = Object.entries(FORMS).map(([url, action]) => ({ parts: url.split('/'), action }));

/** What the form at an address does. */
export function actionOf(path: string): Action | undefined {
  const [plain = ''] = path.split(/[?#]/, 1);
  const given = plain.split('/');
  const isLike = (part: string, nth: number): boolean =>
    part.startsWith(':') ? given[nth] !== '' : part === given[nth];
  return ROWS.find(({ parts }) => parts.length === given.length && parts.every(isLike))?.action;
}

const OPENING = '<form method="post" action="';

/**
 * A page for somebody with this role: the controls of forms that they may not send are disabled, and say why. On the
 * whole page, so that none forgets it; the server refuses the forms all the same.
 */
export const withLockedForms = (page: string, role: Role): string =>
  page
    .split(OPENING)
    .map((part, nth) => (nth === 0 ? part : OPENING + lockedForm(part, role)))
    .join('');

/** A form from its address on, and what follows it. */
function lockedForm(part: string, role: Role): string {
  const [path = ''] = part.split('"', 1);
  const action = actionOf(path);
  const why = action === undefined ? null : whyNot(action, role);
  const from = part.indexOf('>') + 1;
  const to = part.indexOf('</form>');
  if (why === null || to < from) return part;
  return `${part.slice(0, from)}<fieldset class="locked" disabled>${part.slice(from, to)}</fieldset><p class="locked-why">${why}</p>${part.slice(to)}`;
}
