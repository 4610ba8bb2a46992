import type { FastifyReply } from 'fastify';
import type { Actor } from '../../../src/domain/audit.js';
import { badRequest, ServiceError } from '../../../src/domain/errors.js';
import { isUuid } from '../../../src/lib/uuid.js';
import type { AccountRecord } from '../../../src/ports/accounts.js';
import { signInLink } from '../../../src/sign-in/links.js';
import { needRecentSignIn, recentUntil } from '../../../src/sign-in/recent.js';
import { queryString } from '../../http/request.js';
import {
  type AuthenticatedRoutes,
  isCallerError,
  pathParam,
  redirectTo,
  type SignedInRequest,
  sendPrivatePage,
} from '../kit/signed-in/authenticated-routes.js';
import { MOST_FILE_ROWS, sendCsv } from '../kit/signed-in/csv.js';
import { statementCsv } from '../kit/signed-in/statement.js';
import { MOST_KEYS, operatorAccountPage } from './account.js';
import { confirmGrantPage, type OperatorAccountModel } from './account-actions.js';
import { accountsCsv, accountsPage } from './accounts.js';
import { actionsPage, eventsCsv } from './events.js';
import { operatorLayout } from './frame.js';
import { EMPTY_GRANT, grantIn, readGrant } from './grant-form.js';
import type { OperatorOptions } from './options.js';
import { readLimits, readNote, settingsIn, UNTYPED } from './settings-form.js';

/** Accounts on one page of the list, and rows in the lists of one account. */
const MOST_ACCOUNTS = 50;
const NEWEST = 20;
const EVENTS = 100;

/** The longest search text, in characters. */
const LONGEST_SEARCH = 254;

/** Routes to find, show and change accounts. */
export function mountAccounts(routes: AuthenticatedRoutes, options: OperatorOptions, authUrl: () => string): void {
  const { store } = options;
  routes.page('/operator/accounts', async (signedIn, reply) => {
    const query = queryString(signedIn.request);
    const search = (query.get('q') ?? '').trim();
    const after = query.get('after') ?? '';
    const error = search.length > LONGEST_SEARCH ? `Enter at most ${LONGEST_SEARCH} characters.` : null;
    const found =
      error === null
        ? await store.accounts({ matching: search, after: isUuid(after) ? after : undefined, limit: MOST_ACCOUNTS + 1 })
        : [];
    const accounts = found.slice(0, MOST_ACCOUNTS);
    const next = found.length > MOST_ACCOUNTS ? (accounts.at(-1)?.accountId ?? null) : null;
    const page = accountsPage({ layout: operatorLayout(signedIn), search, error, accounts, next });
    return sendPrivatePage(error === null ? reply : reply.code(400), page);
  });
  routes.page('/operator/accounts.csv', async ({ request }, reply) => {
    const search = (queryString(request).get('q') ?? '').trim().slice(0, LONGEST_SEARCH);
    return sendCsv(reply, 'accounts', accountsCsv(await store.accounts({ matching: search, limit: MOST_FILE_ROWS })));
  });
  routes.page('/operator/accounts/:accountId/statement.csv', async (signedIn, reply) => {
    const { accountId } = await namedAccount(signedIn, options);
    const statement = await options.ledger.statement(accountId, MOST_FILE_ROWS, signedIn.signal);
    return sendCsv(reply, 'statement', statementCsv(statement));
  });
  routes.page('/operator/accounts/:accountId', async (signedIn, reply) => {
    const account = await namedAccount(signedIn, options);
    return sendPrivatePage(reply, await shown(signedIn, account, options));
  });
  routes.page('/operator/actions', async (signedIn, reply) =>
    sendPrivatePage(
      reply,
      actionsPage({ layout: operatorLayout(signedIn), events: await store.events('operators', EVENTS) }),
    ),
  );
  routes.page('/operator/actions.csv', async (_signedIn, reply) =>
    sendCsv(reply, 'actions', eventsCsv(await store.events('operators', MOST_FILE_ROWS))),
  );
  mountActions(routes, options, authUrl);
}

/** The operator, as named in logs. */
const byOperator = ({ by, person }: SignedInRequest): Actor => ({
  who: 'operator',
  address: by.address,
  personId: person.personId,
});

/** The fields of parameters that an operator's change of settings may refuse. */
const FIELDS: Readonly<Record<string, 'paid' | 'qps' | 'note'>> = { paid_usd: 'paid', qps: 'qps', note: 'note' };

function mountActions(routes: AuthenticatedRoutes, options: OperatorOptions, authUrl: () => string): void {
  const { accounts, store, links, clock } = options;
  const action = (what: string, act: Act): void =>
    routes.form(`/operator/accounts/:accountId/${what}`, '/operator/accounts', async (signedIn, form, reply) => {
      const account = await namedAccount(signedIn, options);
      try {
        needRecentSignIn(signedIn.visitor, clock.now());
        return await act(signedIn, account, form, reply);
      } catch (error) {
        if (!isCallerError(error)) throw error;
        const { message, status, detail } = error;
        const field = FIELDS[detail.param ?? ''];
        const why = field === undefined ? { refused: message } : { settingsErrors: { [field]: message } };
        const typed = { typed: grantIn(form), settingsTyped: settingsIn(form) };
        const page = await shown(signedIn, account, options, { ...why, ...typed });
        return sendPrivatePage(reply.code(status), page);
      }
    });
  for (const [what, frozen, done] of [
    ['freeze', true, 'frozen'],
    ['thaw', false, 'thawed'],
  ] as const) {
    action(what, async (signedIn, { accountId }, _form, reply) => {
      await accounts.freeze(accountId, frozen, byOperator(signedIn));
      return redirectTo(reply, `/operator/accounts/${accountId}?done=${done}`);
    });
  }
  for (const [what, read, done] of [
    ['limits', readLimits, 'limits'],
    ['note', readNote, 'noted'],
  ] as const) {
    action(what, async (signedIn, account, form, reply) => {
      const settingsTyped = settingsIn(form);
      const parsed = read(settingsTyped);
      if ('errors' in parsed) {
        const page = await shown(signedIn, account, options, { settingsTyped, settingsErrors: parsed.errors });
        return sendPrivatePage(reply.code(400), page);
      }
      await store.changeSettings(account.accountId, parsed.change, byOperator(signedIn));
      return redirectTo(reply, `/operator/accounts/${account.accountId}?done=${done}`);
    });
  }
  action('link', async (signedIn, account, _form, reply) => {
    if (account.testOf !== null) throw nobodySignsIn();
    await store.linkCreated(account.accountId, byOperator(signedIn));
    const link = signInLink(authUrl(), await links.forAccount(account.accountId));
    return sendPrivatePage(reply, await shown(signedIn, account, options, { link }));
  });
  action('grant', (signedIn, account, form, reply) => grant(signedIn, account, form, reply, options));
}

type Act = (
  signedIn: SignedInRequest,
  account: AccountRecord,
  form: URLSearchParams,
  reply: FastifyReply,
) => Promise<FastifyReply>;

async function grant(...[signedIn, account, form, reply, options]: [...Parameters<Act>, OperatorOptions]) {
  const { ledger, newId } = options;
  const typed = grantIn(form);
  const named = form.get('grant') ?? '';
  const grantId = isUuid(named) ? named : newId();
  const read = readGrant(typed);
  if ('errors' in read || form.get('step') === 'change') {
    const errors = 'errors' in read ? read.errors : {};
    const page = await shown(signedIn, account, options, { typed, errors, grantId });
    return sendPrivatePage('errors' in read ? reply.code(400) : reply, page);
  }
  const { requested } = read;
  if (form.get('step') !== 'confirmed') {
    const layout = operatorLayout(signedIn);
    return sendPrivatePage(reply, confirmGrantPage({ layout, account, grantId, typed, requested }));
  }
  const { accountId } = account;
  await ledger.grant({ requestId: grantId, accountId, ...requested }, byOperator(signedIn));
  // Repeating an id grants nothing, so this fails if the first grant was of another amount.
  const entries = await ledger.statement(accountId, EVENTS, signedIn.signal);
  const entry = entries.find(({ requestId }) => requestId === grantId);
  if (entry !== undefined && entry.amount !== requested.amount) throw usedForm();
  return redirectTo(reply, `/operator/accounts/${accountId}?done=granted`);
}

const nobodySignsIn = (): ServiceError =>
  badRequest('You cannot sign in to a test account. Create the link on the page of the account that it belongs to.');

const usedForm = (): ServiceError =>
  new ServiceError(
    'bad_request',
    'This form was already used to grant another amount. Open the account again to grant more.',
    { param: 'grant' },
  );

/** Throws `not_found`. */
async function namedAccount(
  { request }: SignedInRequest,
  { accounts }: Pick<OperatorOptions, 'accounts'>,
): Promise<AccountRecord> {
  const account = await accounts.get(pathParam(request, 'accountId'));
  if (account === undefined) throw new ServiceError('not_found', 'There is no such account.');
  return account;
}

async function shown(
  signedIn: SignedInRequest,
  account: AccountRecord,
  { accounts, ledger, store, clock, newId }: OperatorOptions,
  rest: Partial<OperatorAccountModel> = {},
): Promise<string> {
  const testKeys = async () => {
    const testId = await accounts.testAccount(account.accountId);
    return testId === undefined ? [] : accounts.keys(testId, MOST_KEYS);
  };
  const [ofLive, ofTest, settings, statement, recent, events] = await Promise.all([
    accounts.keys(account.accountId, MOST_KEYS),
    testKeys(),
    store.settings(account.accountId),
    ledger.statement(account.accountId, NEWEST, signedIn.signal),
    ledger.recent(account.accountId, NEWEST, signedIn.signal),
    store.events({ accountId: account.accountId }, EVENTS),
  ]);
  const keys = [...ofLive, ...ofTest];
  const model = { layout: operatorLayout(signedIn), account, keys, nowMs: clock.now(), statement, recent, events };
  const standing = { settings: settings ?? null, recentUntilMs: recentUntil(signedIn.visitor) };
  const form = { grantId: newId(), typed: EMPTY_GRANT, errors: {}, refused: null, link: null };
  return operatorAccountPage({ ...model, ...standing, ...form, settingsTyped: UNTYPED, settingsErrors: {}, ...rest });
}
