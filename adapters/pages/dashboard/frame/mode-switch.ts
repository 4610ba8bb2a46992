import { fastifyCookie } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { badRequest } from '../../../../src/domain/errors.js';
import type { Mode } from '../../../../src/domain/mode.js';
import type { AccountRecord } from '../../../../src/ports/accounts.js';
import type { DashboardServices } from './services.js';

const COOKIE = 'perch-mode';

/** Pages that show one mode at a time, and everything below them. The others belong to the customer's account. */
const SWITCHED = /^\/dashboard\/(?:keys|usage|receipts)(?=[/.?]|$)/;

/** The mode of a page that has two: as last chosen in this browser. Null for the other pages. */
export const modeOf = (request: FastifyRequest): Mode | null =>
  SWITCHED.test(request.url) ? (chosen(request) === 'test' ? 'test' : 'live') : null;

const chosen = ({ headers }: FastifyRequest): string | undefined => fastifyCookie.parse(headers.cookie ?? '')[COOKIE];

/** Remembers the choice of a form until the browser is closed. Throws `bad_request` for anything but a mode. */
export function chooseMode(form: URLSearchParams, reply: FastifyReply): Mode {
  const mode = form.get('mode');
  if (mode !== 'live' && mode !== 'test') throw badRequest('The mode must be live or test.', 'mode');
  rememberMode(mode, reply);
  return mode;
}

/** Until the browser is closed. */
export function rememberMode(mode: Mode, reply: FastifyReply): void {
  const secure = reply.server.authUrl.startsWith('https:');
  const options = { path: '/dashboard', httpOnly: true, sameSite: 'lax', secure } as const;
  reply.header('Set-Cookie', fastifyCookie.serialize(COOKIE, mode, options));
}

/** Where the form was sent from, if that page has two modes; otherwise the keys. */
export const pageBefore = (form: URLSearchParams): string => {
  const from = form.get('from') ?? '';
  return (
    ['/dashboard/keys', '/dashboard/usage', '/dashboard/receipts'].find((page) => page === from) ?? '/dashboard/keys'
  );
};

/** The account that a page in this mode shows; undefined while there is no test account. */
export async function accountIn(
  mode: Mode | null,
  live: AccountRecord,
  accounts: Pick<DashboardServices['accounts'], 'get' | 'testAccount'>,
): Promise<AccountRecord | undefined> {
  if (mode !== 'test') return live;
  const accountId = await accounts.testAccount(live.accountId);
  return accountId === undefined ? undefined : accounts.get(accountId);
}
