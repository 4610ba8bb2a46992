import { hashSecret, newSecret, type RandomBytes } from '../access/secret.js';
import { type Actor, type GivenRole, isGivenRole, ROLES, type Role } from '../domain/audit.js';
import { badRequest, ServiceError, takeOrThrow } from '../domain/errors.js';
import { counted } from '../domain/figures.js';
import { mailAddress } from '../domain/mail-address.js';
import { DAY_MS } from '../lib/durations.js';
import { truncated } from '../lib/text.js';
import type {
  AccountRecord,
  Accounts,
  FoundInvitation,
  MemberRecord,
  MemberStore,
  Membership,
  PersonRecord,
} from '../ports/accounts.js';
import type { Clock } from '../ports/clock.js';
import type { Message } from '../ports/mail.js';
import type { RateLimiter } from '../ports/rate-limiter.js';

/** Most members of an account, open invitations included. */
export const MOST_MEMBERS = 50;
/** Most accounts that a person is a member of. */
const MOST_MEMBERSHIPS = 50;

/** How long an invitation works. */
export const INVITED_DAYS = 7;

/** Invitations of an account in a day. Limited because each may send a mail to an address that the account chose. */
const INVITATIONS = 30;
const INVITATIONS_SECONDS = 86_400;

/**
 * How often a person can change an account in an hour, besides what takes something away. The account's log keeps every
 * change for good.
 */
const MOST_CHANGES = 200;
const CHANGES_SECONDS = 3600;

/** Exports of an account in an hour. */
const EXPORTS = 5;
const EXPORTS_SECONDS = 3600;

/** Most characters of an account's name in a mail, because strangers read it. */
const MOST_NAME = 60;

/** A path of the dashboard; its last part is the invitation's secret. */
export const INVITATIONS_PATH = '/dashboard/invitations';

/** A signed-in person, the account whose pages they see, and their role in it. */
export interface Standing {
  readonly person: Pick<PersonRecord, 'personId' | 'email'>;
  readonly account: AccountRecord;
  readonly role: Role;
  /** All accounts of the person, this one among them. */
  readonly memberships: readonly Membership[];
}

/** What a reader can do with an invitation. `taken`: already accepted; `other`: it is for another mail address. */
export type InvitationState = 'open' | 'taken' | 'withdrawn' | 'expired' | 'other';

export interface SeenInvitation extends FoundInvitation {
  readonly seenAs: InvitationState;
}

export interface InvitationMails {
  /** Throws `rate_limited` if no invitation may be mailed to this address now. `address`: the sender's IP. */
  admit(to: string, address: string): Promise<void>;
  /** False if the mail could not be sent. */
  send(message: Message): Promise<boolean>;
}

export interface MembersOptions {
  readonly store: MemberStore;
  readonly accounts: Pick<Accounts, 'get'>;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** Null if there is no mail server: the link is then passed on by hand. */
  readonly mails: InvitationMails | null;
  readonly authUrl: () => string;
}

/** Who is a member of which account. Callers check first that the role allows the action (`domain/audit.ts`). */
export class Members {
  readonly #options: MembersOptions;

  constructor(options: MembersOptions) {
    this.#options = options;
  }

  /**
   * The account whose pages the visitor sees: the one they chose, if they are a member of it, otherwise their first.
   * Null if the person no longer exists or has no account.
   */
  async standing(visitor: { readonly personId: string; readonly accountId?: string | null }): Promise<Standing | null> {
    const person = await this.#options.store.person(visitor.personId);
    if (person === undefined) return null;
    const { personId, email, memberships } = person;
    const shown = memberships.find(({ accountId }) => accountId === visitor.accountId) ?? memberships[0];
    const account = shown === undefined ? undefined : await this.#options.accounts.get(shown.accountId);
    if (shown === undefined || account === undefined) return null;
    return { person: { personId, email }, account, role: shown.role, memberships };
  }

  list(accountId: string): Promise<MemberRecord[]> {
    return this.#options.store.members(accountId);
  }

  invitations(accountId: string): ReturnType<MemberStore['invitations']> {
    return this.#options.store.invitations(accountId);
  }

  /**
   * Invites an address and mails the link, or returns it if there is no mail server. An earlier invitation to the
   * address stops working. Throws `bad_request` (param `email` or `role`), `rate_limited`, and `upstream_error` if the
   * mail could not be sent: the invitation then stays open, because a mail server may have taken it without saying so.
   */
  async invite(
    account: Pick<AccountRecord, 'accountId' | 'name'>,
    typed: { readonly email: string; readonly role: string },
    { by, address }: { readonly by: Actor; readonly address: string },
  ): Promise<string | null> {
    const { store, clock, randomBytes, authUrl, mails } = this.#options;
    const email = mailAddress.safeParse(typed.email.trim());
    if (!email.success) throw badRequest('Invalid email address. It should look like name@example.org.', 'email');
    const role = givenRole(typed.role);
    await this.#admit(account.accountId);
    await mails?.admit(email.data, address);
    const secret = newSecret(randomBytes);
    const at = new Date(clock.now());
    const expiresAt = new Date(at.getTime() + INVITED_DAYS * DAY_MS);
    const invitation = {
      accountId: account.accountId,
      email: email.data,
      role,
      hash: hashSecret(secret),
      at,
      expiresAt,
    };
    await store.invite(invitation, MOST_MEMBERS, by);
    const link = `${authUrl()}${INVITATIONS_PATH}/${secret}`;
    if (mails === null) return link;
    if (await mails.send(invitationMail({ to: email.data, account: account.name, role, link }))) return null;
    throw new ServiceError(
      'upstream_error',
      'The invitation was created, but its mail could not be sent. To send it again, invite the same address again.',
    );
  }

  #admit(accountId: string): Promise<void> {
    return takeOrThrow(this.#options.limiter, [`invitations:${accountId}`, INVITATIONS, INVITATIONS_SECONDS], {
      message: `An account can invite ${INVITATIONS} times a day.`,
      param: 'email',
    });
  }

  withdraw(accountId: string, invitationId: string, by: Actor): Promise<void> {
    return this.#options.store.withdraw(accountId, invitationId, by);
  }

  /** The invitation with this secret, and what this person can do with it; undefined if there never was one. */
  async invitation(secret: string, { email }: Pick<PersonRecord, 'email'>): Promise<SeenInvitation | undefined> {
    const found = await this.#options.store.findInvitation(hashSecret(secret));
    if (found === undefined) return undefined;
    const isTheirs = email?.toLowerCase() === found.email.toLowerCase();
    const isOver = Date.parse(found.expiresAt) <= this.#options.clock.now();
    const { state } = found;
    const used = state === 'accepted' ? 'taken' : state === 'withdrawn' ? 'withdrawn' : isOver ? 'expired' : 'open';
    return { ...found, seenAs: isTheirs ? used : 'other' };
  }

  /** Makes the person a member. Throws `bad_request` with the reason if the invitation does not work for them. */
  async accept(secret: string, person: Pick<PersonRecord, 'personId' | 'email'>, by: Actor): Promise<string> {
    const { store, clock } = this.#options;
    const { personId } = person;
    const seen = await this.invitation(secret, person);
    if (seen === undefined) throw new ServiceError('not_found', 'There is no such invitation.');
    const accepted = await store.accept(hashSecret(secret), personId, MOST_MEMBERSHIPS, new Date(clock.now()), by);
    if (accepted) return seen.accountId;
    const now = await this.invitation(secret, person);
    throw badRequest(invitationText(now?.seenAs === 'open' || now === undefined ? 'withdrawn' : now.seenAs));
  }

  changeRole(accountId: string, personId: string, role: string, by: Actor): Promise<void> {
    return this.#options.store.changeRole(accountId, personId, givenRole(role), by);
  }

  /** Makes another person the owner. The previous owner becomes a developer. */
  transfer(accountId: string, fromPersonId: string, toPersonId: string, by: Actor): Promise<void> {
    return this.#options.store.transfer(accountId, fromPersonId, toPersonId, 'developer', by);
  }

  remove(accountId: string, personId: string, revokeKeys: boolean, by: Actor): Promise<void> {
    return this.#options.store.remove(accountId, personId, revokeKeys, by);
  }

  /** `typed`: the account's name, as confirmation, so that the wrong account is not deleted by mistake. */
  async deleteAccount({ accountId, name }: AccountRecord, typed: string, by: Actor): Promise<void> {
    if (typed.trim() !== name) throw badRequest(`Type the name of the account, ${name}, exactly as it is.`, 'name');
    await this.#options.store.deleteAccount(accountId, by);
  }

  /** Call before a change of an account. Throws `rate_limited`. */
  admitChange(accountId: string, personId: string): Promise<void> {
    return takeOrThrow(this.#options.limiter, [`changes:${accountId}:${personId}`, MOST_CHANGES, CHANGES_SECONDS], {
      message: (seconds) =>
        `You can change an account ${MOST_CHANGES} times an hour. Try again in ${counted(seconds, 'second')}. What takes something away, such as revoking a key, always works.`,
    });
  }

  /** Call before exporting an account's data. Throws `rate_limited`, because an export may take many queries. */
  async admitExport(accountId: string, by: Actor): Promise<void> {
    await takeOrThrow(this.#options.limiter, [`exports:${accountId}`, EXPORTS, EXPORTS_SECONDS], {
      message: `Data can be exported ${EXPORTS} times an hour.`,
    });
    await this.#options.store.exported(accountId, by);
  }

  /** Deletes invitations that expired a month ago. */
  sweep(): Promise<void> {
    return this.#options.store.forget(new Date(this.#options.clock.now() - 30 * DAY_MS));
  }
}

/** Why an invitation cannot be used, for its reader. */
export const invitationText = (state: Exclude<InvitationState, 'open'>): string =>
  ({
    taken: 'This invitation has already been accepted.',
    withdrawn: 'This invitation was withdrawn, or replaced by a newer one.',
    expired: `This invitation has expired: it worked for ${INVITED_DAYS} days. Ask the owner of the account for a new one.`,
    other: 'This invitation is for another email address than yours. Sign in with the address that it was sent to.',
  })[state];

function givenRole(text: string): GivenRole {
  if (isGivenRole(text)) return text;
  throw badRequest('Choose a role.', 'role');
}

const invitationMail = (of: { to: string; account: string; role: GivenRole; link: string }): Message => ({
  to: of.to,
  subject: 'You are invited to a Perch account',
  text: [
    `You are invited to join the Perch account "${truncated(of.account, MOST_NAME)}" with the role ${ROLES[of.role].name.toLowerCase()}:`,
    '',
    of.link,
    '',
    `The link works once, for ${INVITED_DAYS} days, and only for the person who signs in with this address.`,
    '',
    'If you do not know who invited you, you can ignore this: nothing happens unless you accept.',
    '',
  ].join('\n'),
});
