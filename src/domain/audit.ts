/** Who can change an account, what their roles let them do, and the kinds of changes. */

/**
 * Who made a change: a signed-in customer, the operator, a client with a grant, the payment processor, or Perch itself.
 */
export interface Actor {
  readonly who: 'customer' | 'operator' | 'client' | 'payments' | 'service';
  /** The client's address; null for changes that did not come over the network. */
  readonly address: string | null;
  /** The person who was signed in. That of an operator is never shown to the customer. */
  readonly personId?: string;
}

export const OPERATOR: Actor = { who: 'operator', address: null };

/** Every kind of change, with the text that people read. */
export const AUDIT = {
  'account.created': 'Account created',
  'account.frozen': 'Account frozen',
  'account.thawed': 'Account thawed',
  'account.renamed': 'Name changed',
  'account.email_changed': 'Email address changed',
  'account.link_created': 'Sign-in link created',
  'account.transferred': 'Ownership transferred',
  'account.exported': 'Data exported',
  'account.deleted': 'Account deleted',
  'member.invited': 'Member invited',
  'member.withdrawn': 'Invitation withdrawn',
  'member.joined': 'Member joined',
  'member.changed': 'Role changed',
  'member.removed': 'Member removed',
  'member.left': 'Member left',
  'account.limits_changed': 'Rate limit changed',
  'account.noted': 'Note changed',
  'key.created': 'Key created',
  'key.changed': 'Key changed',
  'key.rotated': 'Key rotated',
  'key.revoked': 'Key revoked',
  'session.started': 'Signed in',
  'session.ended': 'Signed out',
  'passkey.added': 'Passkey added',
  'passkey.removed': 'Passkey removed',
  'client.allowed': 'App allowed',
  'client.refreshed': 'App key renewed',
  'client.revoked': 'App disconnected',
  'alert.added': 'Alert set',
  'alert.removed': 'Alert removed',
  'watch.added': 'Watch set',
  'watch.paused': 'Watch paused',
  'watch.resumed': 'Watch resumed',
  'watch.ended': 'Watch ended',
  'checkout.opened': 'Checkout opened',
  'credits.granted': 'Credits granted',
  'credits.bought': 'Credits bought',
  'credits.reversed': 'Credits withdrawn',
  'credits.held': 'Credits set aside',
  'credits.returned': 'Credits returned',
} as const;

/** Kinds that only operators see: they are not in the log that the customer reads. */
export const INTERNAL_KINDS: readonly AuditKind[] = ['account.noted'];

export type AuditKind = keyof typeof AUDIT;

/** Plain facts about the change: never a key, a token or a link. */
export type AuditDetail = Readonly<Record<string, string | number | boolean | null>>;

/** Every role, with the text that people read. The role with the most rights comes first. */
export const ROLES = {
  owner: { name: 'Owner', who: 'the owner', can: 'Everything. An account has one owner.' },
  billing: { name: 'Billing', who: 'billing members', can: 'Buys credits and sets alerts.' },
  developer: {
    name: 'Developer',
    who: 'developers',
    can: 'Creates, changes and revokes keys, connects apps and sets alerts.',
  },
  reader: { name: 'Read only', who: 'read-only members', can: 'Sees every page and changes nothing.' },
} as const;

export type Role = keyof typeof ROLES;

/** Roles that can be given to a member. Ownership cannot: an owner transfers the account instead. */
export const GIVEN_ROLES = ['billing', 'developer', 'reader'] as const satisfies readonly Role[];
export type GivenRole = (typeof GIVEN_ROLES)[number];

export const isGivenRole = (text: string): text is GivenRole => GIVEN_ROLES.some((role) => role === text);

const EVERYONE = ['owner', 'billing', 'developer', 'reader'] as const;

/** Every kind of change that a signed-in person can make, and the roles that may make it. No other place says so. */
export const ACTIONS = {
  keys: { does: 'create, change and revoke keys', roles: ['owner', 'developer'] },
  apps: { does: 'connect and disconnect apps', roles: ['owner', 'developer'] },
  alerts: { does: 'change alerts and send notices', roles: ['owner', 'billing', 'developer'] },
  credits: { does: 'buy credits', roles: ['owner', 'billing'] },
  members: { does: 'invite, change and remove members', roles: ['owner'] },
  account: { does: 'change, export, transfer and delete the account', roles: ['owner'] },
  /** What concerns only the person: sessions, passkeys, their mail address, which account they look at. */
  self: { does: 'change this', roles: EVERYONE },
} as const satisfies Readonly<Record<string, { does: string; roles: readonly Role[] }>>;

export type Action = keyof typeof ACTIONS;

/** Why a member with this role may not take the action, in words for that member; null if they may. */
export function whyNot(action: Action, role: Role): string | null {
  const { does, roles }: { does: string; roles: readonly Role[] } = ACTIONS[action];
  if (roles.includes(role)) return null;
  const names = roles.map((each) => ROLES[each].who);
  const who = names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return `Your role on this account is ${ROLES[role].name.toLowerCase()}. Only ${who} can ${does}.`;
}
