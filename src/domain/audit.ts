/** Who can change an account, and the kinds of changes. */

/**
 * Who made a change: a signed-in customer, the operator, a client with a grant, the payment processor, or Perch itself.
 */
export interface Actor {
  readonly who: 'customer' | 'operator' | 'client' | 'payments' | 'service';
  /** The client's address; null for changes that did not come over the network. */
  readonly address: string | null;
  /** The operator's own account, if they made the change signed in. Never shown to the customer. */
  readonly operatorId?: string;
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
  'checkout.opened': 'Checkout opened',
  'credits.granted': 'Credits granted',
  'credits.bought': 'Credits bought',
  'credits.reversed': 'Credits withdrawn',
  'credits.held': 'Credits set aside',
  'credits.returned': 'Credits returned',
} as const;

/** Of operators among themselves: not in the log that the customer reads. */
export const INTERNAL_KINDS: readonly AuditKind[] = ['account.noted'];

export type AuditKind = keyof typeof AUDIT;

/** Plain facts about the change: never a key, a token or a link. */
export type AuditDetail = Readonly<Record<string, string | number | boolean | null>>;
