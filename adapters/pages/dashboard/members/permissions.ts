import { type Action, type Role, whyNot } from '../../../../src/domain/audit.js';
import { SHOWN_ACCOUNT } from '../../kit/signed-in/authenticated-routes.js';

/**
 * The action of each form of the dashboard; `ACTIONS` says which roles may do it. A form without a row is not mounted.
 */
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

/** Returns a function that says why a role may not send the forms of a route. Throws for a route without a row. */
export function formRule(url: string): (role: Role) => string | null {
  const action = FORMS[url];
  if (action === undefined) throw new Error(`no row of FORMS says which role may send forms to ${url}`);
  return (role) => whyNot(action, role);
}

/** Forms that only take away what another form has made. */
const TAKES_AWAY = /\/(?:revoke|remove|withdraw|pause|end)$/;

/** Whether forms of the route count against what a person may change in an hour. */
export const isCounted = (url: string): boolean => FORMS[url] !== 'self' && !TAKES_AWAY.test(url);

/** All forms with the parts of their addresses. No path matches two rows. */
const ROWS = Object.entries(FORMS).map(([url, action]) => ({ parts: url.split('/'), action }));

/** The action of the form at an address. */
export function actionOf(path: string): Action | undefined {
  const [plain = ''] = path.split(/[?#]/, 1);
  const given = plain.split('/');
  const isLike = (part: string, nth: number): boolean =>
    part.startsWith(':') ? given[nth] !== '' : part === given[nth];
  return ROWS.find(({ parts }) => parts.length === given.length && parts.every(isLike))?.action;
}

const OPENING = '<form method="post" action="';

/**
 * Changes the forms of a complete page, so that none is forgotten. `change` gets the address of a form, and a part of
 * the page that begins with this address and ends before the next form.
 */
const withForms = (page: string, change: (path: string, part: string) => string): string =>
  page
    .split(OPENING)
    .map((part, nth) => (nth === 0 ? part : OPENING + change(part.split('"', 1)[0] ?? '', part)))
    .join('');

/** The one form of this kind that changes the account. */
const LEAVE = '/dashboard/members/leave';

/**
 * Makes the forms that change the account say which one their page shows: another tab may switch to another account, and
 * the form must not change that one.
 */
export const withAccountNamed = (page: string, accountId: string): string =>
  withForms(page, (path, part) => {
    const action = actionOf(path);
    if (action === undefined || (action === 'self' && path !== LEAVE)) return part;
    const from = part.indexOf('>') + 1;
    return `${part.slice(0, from)}<input type="hidden" name="${SHOWN_ACCOUNT}" value="${accountId}"/>${part.slice(from)}`;
  });

/**
 * A page as this role sees it: forms that the role may not send are disabled and say why. The server refuses the forms
 * in any case.
 */
export const withLockedForms = (page: string, role: Role): string =>
  withForms(page, (path, part) => lockedForm(path, part, role));

function lockedForm(path: string, part: string, role: Role): string {
  const action = actionOf(path);
  const why = action === undefined ? null : whyNot(action, role);
  const from = part.indexOf('>') + 1;
  const to = part.indexOf('</form>');
  if (why === null || to < from) return part;
  return `${part.slice(0, from)}<fieldset class="locked" disabled>${part.slice(from, to)}</fieldset><p class="locked-why">${why}</p>${part.slice(to)}`;
}
