/** Calls of the ports for people and the operator, whose own tables stay on the coordinator. */
import { randomBytes, randomUUID } from 'node:crypto';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createAuditLog } from '../../../adapters/postgres/accounts/audit.js';
import { createEmailAccounts } from '../../../adapters/postgres/accounts/email-accounts.js';
import { createMemberStore } from '../../../adapters/postgres/accounts/members.js';
import { createPasskeyStore } from '../../../adapters/postgres/customers/passkeys.js';
import { createSessionStore } from '../../../adapters/postgres/customers/sessions.js';
import { createCosts } from '../../../adapters/postgres/figures/costs.js';
import { createOperatorStore } from '../../../adapters/postgres/figures/operator.js';
import { createRequestLog } from '../../../adapters/postgres/figures/request-log.js';
import { createTraffic } from '../../../adapters/postgres/figures/traffic.js';
import { QueryLimiter } from '../../../adapters/postgres/ledger/query-limiter.js';
import type { Sql } from '../../../adapters/postgres/sql.js';
import { OPERATOR } from '../../../src/domain/audit.js';
import type { AuditLog, MemberStore } from '../../../src/ports/accounts.js';
import type { Costs, LoggedRequest, RequestLog, Traffic } from '../../../src/ports/figures.js';
import type { OperatorStore } from '../../../src/ports/operator.js';
import type { PasskeyStore } from '../../../src/ports/passkeys.js';
import type { SessionStore } from '../../../src/ports/sessions.js';
import type { EmailAccounts } from '../../../src/ports/sign-in.js';
import { shardOf } from '../../kit/postgres/by-account.js';
import { soon } from '../../kit/postgres/customers.js';
import { after, type PayingCustomer, type PortCalls } from './calls.js';

const LONG_AGO = new Date(0);
const DAY = '2026-11-27';
const newEmail = () => `${randomUUID()}@example.org`;

/** `sql` is a function because the pool is opened after the calls are listed. */
export function callsOfPeople(sql: () => Sql) {
  const members = () => createMemberStore(sql());
  const sessions = () => createSessionStore(sql());

  const invite = async ({ accountId }: PayingCustomer, email = newEmail()) => {
    const hash = randomBytes(32);
    const invitation = { accountId, email, role: 'developer', hash, at: new Date(), expiresAt: soon() } as const;
    await members().invite(invitation, 100, OPERATOR);
    const [open] = await members().invitations(accountId);
    return { hash, invitationId: open?.invitationId ?? '' };
  };
  /** Invites a person with an account of their own, in another partition. */
  const invited: Invitations['invited'] = async (customer) => {
    const email = newEmail();
    const { accountId } = await createAccounts(sql()).create({ name: 'b', email, paidUsd: 0, qpsOverride: null });
    if ((await shardOf(sql(), accountId)) === (await shardOf(sql(), customer.accountId))) return invited(customer);
    return { personId: accountId, ...(await invite(customer, email)) };
  };
  const join = async (customer: PayingCustomer) => {
    const { hash, personId } = await invited(customer);
    await members().accept(hash, personId, 100, new Date(), OPERATOR);
    return { personId };
  };
  /** Expires the open sale, because an account with one cannot be deleted. */
  const endSale = async ({ accountId }: PayingCustomer) => {
    await sql()`update sales set state = 'expired' where account_id = ${accountId}`;
  };
  const signIn = async (personId: string, accountId: string | null = null) => {
    const hash = randomBytes(32);
    const from = { method: 'link', userAgent: null, address: null } as const;
    const time = { startedAt: Date.now(), expiresAt: Date.now() + 3_600_000 };
    await sessions().start({ personId, accountId, hash, ...from, ...time }, OPERATOR);
    const [session] = await sessions().list(personId, NOW, 1, null);
    return { personId, hash, sessionId: session?.sessionId ?? '' };
  };
  const signInOwner = ({ accountId }: PayingCustomer) => signIn(accountId, accountId);

  return {
    members: callsOfMembers(members, { invite, invited, join, endSale }),
    sessions: callsOfSessions(sessions, { signIn, signInOwner, join }),
    ...callsOfOthers(sql, join),
    ...callsOfOperators(sql),
  };
}

type Joined = (customer: PayingCustomer) => Promise<{ readonly personId: string }>;

interface Invitations {
  readonly invite: (customer: PayingCustomer) => Promise<{ readonly hash: Buffer; readonly invitationId: string }>;
  readonly invited: (customer: PayingCustomer) => Promise<{ readonly hash: Buffer; readonly personId: string }>;
  readonly join: Joined;
  readonly endSale: (customer: PayingCustomer) => Promise<void>;
}

const callsOfMembers = (
  members: () => MemberStore,
  { invite, invited, join, endSale }: Invitations,
): PortCalls<MemberStore> => ({
  person: {
    'with an account': ({ accountId }) => members().person(accountId),
    'who was removed from all': after(
      async (customer) => {
        const { personId } = await join(customer);
        await members().deleteAccount(personId, OPERATOR);
        await members().remove(customer.accountId, personId, false, OPERATOR);
        return personId;
      },
      (personId) => members().person(personId),
    ),
  },
  members: ({ accountId }) => members().members(accountId),
  invitations: ({ accountId }) => members().invitations(accountId),
  invite: (customer) => invite(customer),
  withdraw: after(invite, ({ invitationId }, { accountId }) => members().withdraw(accountId, invitationId, OPERATOR)),
  findInvitation: after(invite, ({ hash }) => members().findInvitation(hash)),
  accept: after(invited, ({ hash, personId }) => members().accept(hash, personId, 100, new Date(), OPERATOR)),
  changeRole: after(join, ({ personId }, { accountId }) =>
    members().changeRole(accountId, personId, 'reader', OPERATOR),
  ),
  transfer: after(join, ({ personId }, { accountId }) =>
    members().transfer(accountId, accountId, personId, 'reader', OPERATOR),
  ),
  remove: {
    'who keep their keys': after(join, ({ personId }, { accountId }) =>
      members().remove(accountId, personId, false, OPERATOR),
    ),
    'with their keys': after(join, ({ personId }, { accountId }) =>
      members().remove(accountId, personId, true, OPERATOR),
    ),
  },
  deleteAccount: after(endSale, (_ended, { accountId }) => members().deleteAccount(accountId, OPERATOR)),
  exported: ({ accountId }) => members().exported(accountId, OPERATOR),
  forget: () => members().forget(LONG_AGO),
});

const NOW = { at: Date.now(), usedSince: 0 };

interface SignIns {
  readonly signIn: (personId: string) => Promise<{ readonly personId: string; readonly sessionId: string }>;
  readonly signInOwner: Joined &
    ((of: PayingCustomer) => Promise<{ readonly hash: Buffer; readonly sessionId: string }>);
  readonly join: Joined;
}

const callsOfSessions = (
  sessions: () => SessionStore,
  { signIn, signInOwner, join }: SignIns,
): PortCalls<SessionStore> => ({
  start: {
    'of one who has one account': (customer) => signInOwner(customer),
    'of one who has two': after(join, ({ personId }) => signIn(personId)),
  },
  find: after(signInOwner, ({ hash }) => sessions().find(hash, NOW)),
  choose: after(signInOwner, ({ sessionId }, { accountId }) => sessions().choose(accountId, sessionId, accountId)),
  seen: after(signInOwner, ({ sessionId }, { accountId }) => sessions().seen(accountId, sessionId, Date.now())),
  list: ({ accountId }) => sessions().list(accountId, NOW, 100, null),
  count: ({ accountId }) => sessions().count(accountId, NOW),
  end: {
    one: after(signInOwner, ({ sessionId }, { accountId }) =>
      sessions().end(accountId, { only: sessionId }, Date.now(), OPERATOR),
    ),
    all: after(signInOwner, (_session, { accountId }) =>
      sessions().end(accountId, { except: null }, Date.now(), OPERATOR),
    ),
    'of which there is none': ({ accountId }) => sessions().end(accountId, { except: null }, Date.now(), OPERATOR),
  },
  forget: () => sessions().forget(0),
});

/** Calls for what a person has besides accounts, and for what members look up. */
function callsOfOthers(sql: () => Sql, join: Joined) {
  const emails = () => createEmailAccounts(sql());
  const passkeys = () => createPasskeyStore(sql());
  const requests = () => createRequestLog(sql(), new QueryLimiter(sql()));
  const addPasskey = async ({ accountId: personId }: Pick<PayingCustomer, 'accountId'>) => {
    const credentialId = randomUUID();
    const passkey = { personId, credentialId, publicKey: randomBytes(32), counter: 0, name: 'p', transports: [] };
    await passkeys().add(passkey, 20, OPERATOR);
    return credentialId;
  };
  const change = (personId: string, from: string | null) =>
    emails().change(
      { personId, from, to: newEmail(), notice: null, sessionId: randomUUID(), at: Date.now() },
      OPERATOR,
    );

  const emailAccounts: PortCalls<EmailAccounts> = {
    personOf: ({ email, accountId }) => emails().personOf(email, async () => accountId),
    find: ({ email }) => emails().find(email),
    emailOf: ({ accountId }) => emails().emailOf(accountId),
    ownerOf: ({ accountId }) => emails().ownerOf(accountId),
    ownedBy: ({ accountId }) => emails().ownedBy(accountId),
    change: {
      'of one who has one account': ({ accountId, email }) => change(accountId, email),
      'of one who has two': after(
        async (customer) => {
          const { personId } = await join(customer);
          return { personId, email: await emails().emailOf(personId) };
        },
        ({ personId, email }) => change(personId, email),
      ),
    },
    claimStartingCredits: ({ accountId }) => emails().claimStartingCredits(accountId),
  };
  const passkeyCalls: PortCalls<PasskeyStore> = {
    add: {
      'of one who has one account': (customer) => addPasskey(customer),
      'of one who has two': after(join, ({ personId }) => addPasskey({ accountId: personId })),
    },
    find: after(addPasskey, (credentialId) => passkeys().find(credentialId)),
    used: after(addPasskey, (credentialId) => passkeys().used(credentialId, 1, Date.now())),
    list: ({ accountId }) => passkeys().list(accountId),
    remove: after(addPasskey, (credentialId, { accountId }) => passkeys().remove(accountId, credentialId, OPERATOR)),
  };
  const auditLog: PortCalls<AuditLog> = {
    list: ({ accountId }) => createAuditLog(new QueryLimiter(sql())).list(accountId, 100),
  };
  const requestLog: PortCalls<RequestLog> = {
    write: (customer) => requests().write([requestOf(customer)]),
    list: ({ accountId, keyId }) => requests().list(accountId, { keyId, limit: 100 }),
    operations: ({ accountId }) => requests().operations(accountId),
    forget: () => requests().forget(LONG_AGO),
  };
  return { emailAccounts, passkeys: passkeyCalls, auditLog, requestLog };
}

const requestOf = ({ accountId, keyId }: PayingCustomer): LoggedRequest => ({
  ...{ accountId, keyId, requestId: randomUUID(), at: Date.now(), interface: 'rest', operation: 'user', status: 200 },
  ...{ code: null, message: null, requestLine: 'GET /v1/user', ms: 1, charged: 500 },
});

function callsOfOperators(sql: () => Sql) {
  const store = () => createOperatorStore(sql());
  const [costs, traffic] = [() => createCosts(sql()), () => createTraffic(sql())];
  const operator: PortCalls<OperatorStore> = {
    accounts: {
      '': () => store().accounts({ limit: 100 }),
      'found by a key': ({ prefix }) => store().accounts({ matching: prefix, limit: 100 }),
    },
    events: {
      'of one account': ({ accountId }) => store().events({ accountId }, 100),
      'of all': () => store().events('operators', 100),
    },
    settings: ({ accountId }) => store().settings(accountId),
    changeSettings: {
      'of a note': ({ accountId }) => store().changeSettings(accountId, { note: 'n' }, OPERATOR),
      'of limits': ({ accountId }) => store().changeSettings(accountId, { qpsOverride: 7 }, OPERATOR),
    },
    linkCreated: ({ accountId }) => store().linkCreated(accountId, OPERATOR),
    money: () => store().money(),
    revenue: () => store().revenue({ from: DAY, to: DAY }),
  };
  const of = { network: 'demo', operation: 'user' };
  const sums = { answers: 1, items: 1, cacheHits: 0, charged: 500, calls: 1, tweets: 0, users: 1, cost: 1 };
  const costCalls: PortCalls<Costs> = {
    add: () => costs().add(randomUUID(), [{ day: DAY, ...of, ...sums }]),
    read: () => costs().read(DAY),
    creditPrice: () => costs().creditPrice(),
    claimWarning: () => costs().claimWarning(DAY, of.network, of.operation),
  };
  const trafficCalls: PortCalls<Traffic> = {
    add: ({ accountId }) => traffic().add(randomUUID(), [], [{ day: DAY, accountId, limit: 'qps', refusals: 1 }]),
    read: () => traffic().read(`${DAY}T00:00:00Z`, { limits: 10 }),
  };
  return { operator, costs: costCalls, traffic: trafficCalls };
}
