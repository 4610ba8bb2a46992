import type { FastifyReply, FastifyRequest } from 'fastify';
import { asServiceError, badRequest, ServiceError } from '../../../../src/domain/errors.js';
import { truncated } from '../../../../src/lib/text.js';
import { signInPath } from '../../../../src/sign-in/safe-next.js';
import { logFailure, sendFailure } from '../../../http/failure.js';
import { formOf } from '../../../http/form.js';
import { PAGE } from '../../../http/keyless.js';
import { byCustomer } from '../../../http/origin.js';
import { signalOf } from '../../../http/request.js';
import { refuseCrossSite } from '../../../http/same-origin.js';
import { notFoundPage } from '../../kit/not-found.js';
import { SITE_CSP } from '../../kit/policy.js';
import { sendPage, wantsHtml } from '../../kit/send-page.js';
import { FLASH_MESSAGES } from './flash-messages.js';
import { type PageLayout, refusalPage } from './frame.js';
import { accountIn, modeOf } from './mode-switch.js';
import { refusalTitle } from './refusals.js';
import type { DashboardOptions, SignedInRequest } from './services.js';

type Show = (signedIn: SignedInRequest, reply: FastifyReply) => Promise<FastifyReply> | FastifyReply;
type Act = (
  signedIn: SignedInRequest,
  form: URLSearchParams,
  reply: FastifyReply,
) => Promise<FastifyReply> | FastifyReply;

/** How pages and forms are served: only to signed-in customers, never cached, and errors as pages. */
export interface AuthenticatedRoutes {
  page(url: string, show: Show): void;
  /** A form sent to `url`; a visitor who is not signed in returns to the page `from`. */
  form(url: string, from: string, act: Act): void;
}

/** The query of a request: keys may occur more than once. */
export const queryOf = ({ url }: FastifyRequest): URLSearchParams => {
  const at = url.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
};

/** One parameter of the path, decoded. */
export const pathParam = ({ params }: FastifyRequest, name: string): string =>
  (params as Record<string, string | undefined>)[name] ?? '';

export function layoutOf({ request, account, isOperator, mode }: SignedInRequest): PageLayout {
  const name = queryOf(request).get('done') ?? '';
  return {
    name: account.name,
    email: account.email === account.name ? null : account.email,
    frozen: account.frozen,
    isOperator,
    mode,
    balance: account.balance,
    flash: Object.hasOwn(FLASH_MESSAGES, name) ? FLASH_MESSAGES[name as keyof typeof FLASH_MESSAGES] : null,
  };
}

/** Sends a page of the dashboard. `formsTo`: another origin that its forms may lead to. */
export function sendDashboard(reply: FastifyReply, page: string, formsTo: string | null = null): FastifyReply {
  const csp = formsTo === null ? SITE_CSP : SITE_CSP.replace("form-action 'self'", `form-action 'self' ${formsTo}`);
  return sendPage(reply, page, csp);
}

/** After a form: the browser requests the page again, so that a reload does not send the form twice. */
export const redirectTo = (reply: FastifyReply, url: string): FastifyReply => reply.redirect(url, 303);

/** 400 to 499 and the processor's failures concern the customer; the rest are Perch's own. */
export const isCallerError = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code !== 'internal';

/** What the routes of pages need. */
export type RoutesOptions = Pick<DashboardOptions, 'keyless' | 'sessionCookies' | 'isOperator'> & {
  readonly accounts: Pick<DashboardOptions['accounts'], 'get' | 'testAccount'>;
};

/** Pages that are not for every customer. */
export interface Gate {
  /** For whom there are such pages. To others the path is like any that does not exist. */
  admits(signedIn: SignedInRequest): boolean;
  readonly refusalPage: typeof refusalPage;
}

export function authenticatedRoutes(
  { keyless, sessionCookies, accounts, isOperator }: RoutesOptions,
  gate: Gate | null = null,
): AuthenticatedRoutes {
  const signedIn = async (request: FastifyRequest, reply: FastifyReply): Promise<SignedInRequest | null> => {
    reply.header('Cache-Control', 'private, no-store');
    const { signal } = signalOf(reply);
    const visitor = await sessionCookies.visitorOf(request);
    const live = visitor === null ? undefined : await accounts.get(visitor.accountId);
    if (visitor === null || live === undefined) return null;
    const mode = modeOf(request);
    const account = await accountIn(mode, live, accounts);
    const common = { request, visitor, isOperator: isOperator(live), by: byCustomer(request), signal };
    // Another account that is signed in to with the same browser may have no test account.
    return account === undefined ? { ...common, account: live, mode: 'live' } : { ...common, account, mode };
  };
  const isShut = (one: SignedInRequest | null): boolean => gate !== null && (one === null || !gate.admits(one));
  const answered = async (
    one: SignedInRequest,
    reply: FastifyReply,
    answer: () => Promise<FastifyReply> | FastifyReply,
  ) => {
    try {
      return await answer();
    } catch (error) {
      const failure = asServiceError(error);
      // A caller who has left gets no answer, and work that was ended for that did not fail.
      if (!one.signal.aborted) logFailure(one.request, failure);
      if (failure.retryAfter !== undefined) reply.header('Retry-After', String(failure.retryAfter));
      const page = (gate?.refusalPage ?? refusalPage)(layoutOf(one), refusalTitle(failure.status), failure.message);
      return sendDashboard(reply.code(failure.status), page);
    }
  };
  return {
    page(url, show) {
      keyless(PAGE, url, async (request, reply) => {
        const one = await signedIn(request, reply);
        if (isShut(one)) return notHere(request, reply);
        if (one === null) return signIn(reply, request.url);
        return answered(one, reply, () => {
          refuseNul(queryOf(request));
          return show(one, reply);
        });
      });
    },
    form(url, from, act) {
      keyless(['POST'], url, async (request, reply) => {
        const one = await signedIn(request, reply);
        if (isShut(one)) return notHere(request, reply);
        if (one === null) return signIn(reply, from);
        return answered(one, reply, () => {
          refuseCrossSite(request);
          const fields = formOf(request);
          refuseNul(fields);
          return act(one, fields, reply);
        });
      });
    },
  };
}

/** As for an unknown address. */
function notHere(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.removeHeader('Cache-Control');
  if (wantsHtml(request)) return sendPage(reply.code(404), notFoundPage());
  const [path = '/'] = request.url.split('?');
  return sendFailure(request, reply, new ServiceError('not_found', `There is nothing at ${truncated(path)}.`));
}

/** Refuses a character that no store accepts, and that nobody types. */
function refuseNul(fields: URLSearchParams): void {
  const named = [...fields].find(([, value]) => value.includes('\0'));
  if (named !== undefined) throw badRequest(`${named[0]} contains an invalid character.`, named[0]);
}

/** After sign-in they return to the page that a file or a part belongs to. */
const signIn = (reply: FastifyReply, next: string): FastifyReply =>
  redirectTo(reply, signInPath(next.replace(/^(\/dashboard\/usage)\.csv|^(\/dashboard)\/live$/, '$1$2')));

export const notOnAccount = (what: string): ServiceError =>
  new ServiceError('not_found', `This account has no such ${what}.`);
