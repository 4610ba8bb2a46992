import { type Actor, type GivenRole, ROLES, type Role } from '../../../src/domain/audit.js';
import { badRequest, ServiceError } from '../../../src/domain/errors.js';
import { isUuid } from '../../../src/lib/uuid.js';
import type {
  FoundInvitation,
  InvitationRecord,
  MemberRecord,
  MemberStore,
  Membership,
  NewInvitation,
  PersonRecord,
} from '../../../src/ports/accounts.js';
import { lockingTransaction } from '../locking-transaction.js';
import type { Sql, Transaction } from '../sql.js';
import { deleteAccount, endCodes, endKeys } from './account-end.js';
import { record } from './audit.js';
import { lockMembers } from './member-locks.js';

/** People and members in Postgres. */
export const createMemberStore = (sql: Sql): MemberStore => ({
  person: (personId) => readPerson(sql, personId),
  members: (accountId) => readMembers(sql, accountId),
  invitations: (accountId) => readInvitations(sql, accountId),
  invite: (invitation, most, by) => lockingTransaction(sql, (tx) => invite(tx, invitation, most, by)),
  withdraw: (accountId, invitationId, by) =>
    lockingTransaction(sql, async (tx) => {
      if (!isUuid(invitationId)) throw noInvitation();
      const [withdrawn] = await tx<{ email: string }[]>`
        update invitations set withdrawn_at = now()
        where account_id = ${accountId} and invitation_id = ${invitationId} and accepted_at is null and withdrawn_at is null
        returning email`;
      if (withdrawn === undefined) throw noInvitation();
      await record(tx, accountId, by, 'member.withdrawn', withdrawn);
    }),
  findInvitation: (hash) => findInvitation(sql, hash),
  accept: (hash, personId, most, at, by) =>
    lockingTransaction(sql, (tx) => accept(tx, { hash, personId, most, at }, by)),
  changeRole: (accountId, personId, role, by) =>
    lockingTransaction(sql, async (tx) => {
      const { email } = await lockMember(tx, accountId, personId);
      await tx`update members set role = ${role} where account_id = ${accountId} and person_id = ${personId}`;
      await record(tx, accountId, by, 'member.changed', { email, role: ROLES[role].name });
    }),
  transfer: (accountId, from, to, then, by) =>
    lockingTransaction(sql, (tx) => transfer(tx, { accountId, from, to, then }, by)),
  remove: (accountId, personId, revokeKeys, by) =>
    lockingTransaction(sql, async (tx) => {
      const { email } = await lockMember(tx, accountId, personId);
      // Codes first: one that is being redeemed may become a grant until then.
      await endCodes(tx, { accountId, personId });
      const keys = revokeKeys ? await endKeys(tx, { accountId, personId }, by) : 0;
      await tx`delete from members where account_id = ${accountId} and person_id = ${personId}`;
      const what = by.personId === personId ? 'member.left' : 'member.removed';
      await record(tx, accountId, by, what, { email, revoked_keys: keys });
    }),
  deleteAccount: (accountId, by) => lockingTransaction(sql, (tx) => deleteAccount(tx, accountId, by)),
  exported: (accountId, by) => record(sql, accountId, by, 'account.exported'),
  async forget(before) {
    await sql`delete from invitations where expires_at < ${before}`;
  },
});

async function readPerson(sql: Sql, personId: string): Promise<PersonRecord | undefined> {
  const [person] = isUuid(personId)
    ? await sql<{ email: string | null }[]>`select email from people where person_id = ${personId}`
    : [];
  if (person === undefined) return undefined;
  const memberships = await readMemberships(sql, personId);
  return {
    personId,
    email: person.email,
    memberships: memberships.length > 0 ? memberships : await openFor(sql, personId),
  };
}

const readMemberships = (sql: Sql | Transaction, personId: string): Promise<Membership[]> => sql<Membership[]>`
  select account_id as "accountId", name, role from members join accounts using (account_id)
  where person_id = ${personId} order by role <> 'owner', joined_at, account_id`;

/** Opens an empty account for a person who was removed from their last one. */
const openFor = (sql: Sql, personId: string): Promise<Membership[]> =>
  lockingTransaction(sql, async (tx) => {
    const [person] = await tx<{ email: string | null }[]>`
      select email from people where person_id = ${personId} for update`;
    const opened = await readMemberships(tx, personId);
    if (person === undefined || opened.length > 0) return opened;
    const name = person.email ?? 'New account';
    const [account] = await tx<{ accountId: string }[]>`
      with account as (insert into accounts (name) values (${name}) returning account_id)
      insert into wallets (account_id) select account_id from account returning account_id as "accountId"`;
    if (account === undefined) throw new Error('an account was not created');
    const { accountId } = account;
    await tx`insert into members (account_id, person_id, role) values (${accountId}, ${personId}, 'owner')`;
    await record(tx, accountId, { who: 'service', address: null }, 'account.created');
    return [{ accountId, name, role: 'owner' }];
  });

async function readMembers(sql: Sql, accountId: string): Promise<MemberRecord[]> {
  const rows = await sql<(Omit<MemberRecord, 'joinedAt'> & { joinedAt: Date })[]>`
    with created as materialized (
      select created_by as person_id, count(*) as keys from keys k
      where k.account_id in (select account_id from accounts a where a.account_id = ${accountId} or a.test_of = ${accountId})
        and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
      group by 1
    )
    select person_id as "personId", email, role, joined_at as "joinedAt", coalesce(keys, 0) as keys
    from members join people using (person_id) left join created using (person_id)
    where account_id = ${accountId} order by role <> 'owner', joined_at, person_id`;
  return rows.map((row) => ({ ...row, joinedAt: row.joinedAt.toISOString() }));
}

type InvitationRow = Omit<InvitationRecord, 'createdAt' | 'expiresAt'> & { createdAt: Date; expiresAt: Date };

const invitationRecord = <Row extends InvitationRow>(row: Row) => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
});

async function readInvitations(sql: Sql, accountId: string): Promise<InvitationRecord[]> {
  const rows = await sql<InvitationRow[]>`
    select invitation_id as "invitationId", email, role, created_at as "createdAt", expires_at as "expiresAt"
    from invitations where account_id = ${accountId} and accepted_at is null and withdrawn_at is null
    order by created_at desc, invitation_id`;
  return rows.map(invitationRecord);
}

async function findInvitation(sql: Sql, hash: Buffer): Promise<FoundInvitation | undefined> {
  const [row] = await sql<(InvitationRow & Pick<FoundInvitation, 'accountId' | 'accountName' | 'state'>)[]>`
    select i.invitation_id as "invitationId", i.email, i.role, i.created_at as "createdAt", i.expires_at as "expiresAt",
      a.account_id as "accountId", a.name as "accountName", case when accepted_at is not null then 'accepted'
        when withdrawn_at is not null or a.deleted_at is not null then 'withdrawn' else 'open' end as state
    from invitations i join accounts a using (account_id) where hash = ${hash}`;
  return row === undefined ? undefined : invitationRecord(row);
}

async function invite(tx: Transaction, invitation: NewInvitation, most: number, by: Actor): Promise<void> {
  const { accountId, email, role, hash, at, expiresAt } = invitation;
  const [account] = await tx`
    select from accounts where account_id = ${accountId} and test_of is null and deleted_at is null for no key update`;
  if (account === undefined) throw new ServiceError('not_found', 'No such account.');
  const [member] = await tx`
    select from members join people using (person_id)
    where account_id = ${accountId} and lower(email) = ${email.toLowerCase()}`;
  if (member !== undefined) throw badRequest('They are already a member of this account.', 'email');
  // Earlier links to the same address no longer count, nor do expired ones.
  await tx`
    update invitations set withdrawn_at = now() where account_id = ${accountId} and accepted_at is null
      and withdrawn_at is null and (lower(email) = ${email.toLowerCase()} or expires_at <= ${at})`;
  const [places] = await tx<{ taken: number }[]>`
    select (select count(*) from members where account_id = ${accountId})
      + (select count(*) from invitations where account_id = ${accountId} and accepted_at is null and withdrawn_at is null)
      as taken`;
  if ((places?.taken ?? 0) >= most) {
    throw badRequest(
      `An account can have at most ${most} members, open invitations included. Remove one first.`,
      'email',
    );
  }
  await tx`
    insert into invitations (account_id, hash, email, role, invited_by, created_at, expires_at)
    values (${accountId}, ${hash}, ${email}, ${role}, ${by.personId ?? null}, ${at}, ${expiresAt})`;
  await record(tx, accountId, by, 'member.invited', { email, role: ROLES[role].name });
}

interface Acceptance {
  readonly hash: Buffer;
  readonly personId: string;
  readonly most: number;
  readonly at: Date;
}

async function accept(tx: Transaction, { hash, personId, most, at }: Acceptance, by: Actor): Promise<boolean> {
  const [person] = await tx<{ email: string | null }[]>`
    select email from people where person_id = ${personId} for update`;
  const [of] = await tx<{ count: number }[]>`select count(*) as count from members where person_id = ${personId}`;
  if ((of?.count ?? 0) >= most) {
    throw badRequest(`You are a member of ${most} accounts, the maximum. Leave one first.`);
  }
  const [accepted] = await tx<{ accountId: string; role: Role }[]>`
    update invitations i set accepted_at = ${at} from accounts a
    where i.hash = ${hash} and lower(i.email) = ${person?.email?.toLowerCase() ?? null} and i.accepted_at is null
      and i.withdrawn_at is null and i.expires_at > ${at} and a.account_id = i.account_id and a.deleted_at is null
    returning i.account_id as "accountId", i.role`;
  if (accepted === undefined) return false;
  const { accountId, role } = accepted;
  await tx`
    insert into members (account_id, person_id, role) values (${accountId}, ${personId}, ${role})
    on conflict do nothing`;
  await record(tx, accountId, by, 'member.joined', { email: person?.email ?? null, role: ROLES[role].name });
  return true;
}

interface Transfer {
  readonly accountId: string;
  readonly from: string;
  readonly to: string;
  readonly then: GivenRole;
}

async function transfer(tx: Transaction, { accountId, from, to, then }: Transfer, by: Actor): Promise<void> {
  const { email } = await lockMember(tx, accountId, to);
  const left = await tx`
    update members set role = ${then} where account_id = ${accountId} and person_id = ${from} and role = 'owner'`;
  if (left.count === 0) throw noMember();
  await tx`update members set role = 'owner' where account_id = ${accountId} and person_id = ${to}`;
  await record(tx, accountId, by, 'account.transferred', { to: email });
}

/** Finds a member who is not the owner, and locks the account's members until the transaction ends. */
async function lockMember(tx: Transaction, accountId: string, personId: string): Promise<{ email: string | null }> {
  if (!isUuid(accountId) || !isUuid(personId)) throw noMember();
  await lockMembers(tx, accountId);
  const [member] = await tx<{ email: string | null; role: Role }[]>`
    select email, role from members join people using (person_id)
    where account_id = ${accountId} and person_id = ${personId}`;
  if (member === undefined) throw noMember();
  if (member.role === 'owner') {
    throw badRequest('This is the owner of the account. Transfer the ownership to another member first.');
  }
  return member;
}

const noMember = (): ServiceError => new ServiceError('not_found', 'This account has no such member.');
const noInvitation = (): ServiceError => new ServiceError('not_found', 'This account has no such open invitation.');
