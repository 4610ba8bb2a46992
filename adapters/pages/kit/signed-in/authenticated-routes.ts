import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Members, Standing } from '../../../../src/account/members.js';
import type { IsOperator } from '../../../../src/account/operators.js';
import type { Actor } from '../../../../src/domain/audit.js';
import { asServiceError, badRequest, ServiceError } from '../../../../src/domain/errors.js';
import type { Mode } from '../../../../src/domain/mode.js';
import { truncated } from '../../../../src/lib/text.js';
import type { AccountRecord } from '../../../../src/ports/accounts.js';
import { signInPath } from '../../../../src/sign-in/safe-next.js';
import type { Visitor } from '../../../../src/sign-in/sessions.js';
import { logFailure, sendFailure } from '../../../http/failure.js';
import { readForm } from '../../../http/form.js';
import { type Keyless, PAGE } from '../../../http/keyless.js';
import { byCustomer } from '../../../http/origin.js';
import { disconnectSignal, queryString } from '../../../http/request.js';
import { refuseCrossSite } from '../../../http/same-origin.js';
import type { SessionCookies } from '../../../http/session-cookies.js';
import { notFoundPage } from '../not-found.js';
import { SITE_CSP, sendPage, wantsHtml } from '../send-page.js';

/** A request of a signed-in customer. */
export interface SignedInRequest extends Pick<Standing, 'person' | 'role' | 'memberships'> {
  readonly request: FastifyRequest;
  readonly visitor: Visitor;
  /** The account that the customer looks at. */
  readonly live: AccountRecord;
  /** The account that the page shows: `live`, or in test mode its test account. */
  readonly account: AccountRecord;
  /** Whether the customer may also see the operator's pages. */
  readonly isOperator: boolean;
  /** The mode of pages that have two; null on all others. */
  readonly mode: Mode | null;
  /** Who makes a change, for the log. */
  readonly by: Actor;
  /** Up to when usage, receipts and statements are complete, if they lag far behind; null if they do not. */
  readonly historyAsOf: Date | null;
  /** Aborts if the customer leaves before the answer, to end the work for the request. */
  readonly signal: AbortSignal;
}

type Show = (signedIn: SignedInRequest, reply: FastifyReply) => Promise<FastifyReply> | FastifyReply;
type Act = (
  signedIn: SignedInRequest,
  form: URLSearchParams,
  reply: FastifyReply,
) => Promise<FastifyReply> | FastifyReply;

/** Serves pages and forms only to signed-in people, never cached, and with errors as pages. */
export interface AuthenticatedRoutes {
  /** `of`: the page that a file or a part belongs to; a visitor goes there after signing in. */
  page(url: string, show: Show, of?: string): void;
  /** A form sent to `url`; a visitor who is not signed in returns to the page `from`. */
  form(url: string, from: string, act: Act): void;
}

/** The field of a form with the account that its page showed. */
export const SHOWN_ACCOUNT = 'shown_account';

/** One parameter of the path, decoded. */
export const pathParam = ({ params }: FastifyRequest, name: string): string =>
  (params as Record<string, string | undefined>)[name] ?? '';

/** Sends a page. `formsTo`: another origin that its forms may lead to. */
export function sendPrivatePage(reply: FastifyReply, page: string, formsTo: string | null = null): FastifyReply {
  const csp = formsTo === null ? SITE_CSP : SITE_CSP.replace("form-action 'self'", `form-action 'self' ${formsTo}`);
  return sendPage(reply, page, csp);
}

/** Redirects after a form, so that the browser requests a page and a reload does not send the form again. */
export const redirectTo = (reply: FastifyReply, url: string): FastifyReply => reply.redirect(url, 303);

/** Statuses 400 to 499 and failures of the payment processor concern the customer; all others are Perch's own. */
export const isCallerError = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code !== 'internal';

/** What routes of pages need. */
export interface RoutesOptions {
  readonly keyless: Keyless;
  readonly sessionCookies: Pick<SessionCookies, 'visitorOf'>;
  readonly isOperator: IsOperator;
  readonly members: Pick<Members, 'standing'>;
  /** Undefined if history is read from the database where it is written. */
  readonly historyAsOf?: (() => Promise<Date | null>) | undefined;
}

/** What distinguishes the pages of one kind. */
export interface PageKind {
  /** A page that says why something was refused. */
  refusalPage(signedIn: SignedInRequest, title: string, message: string): string;
  /** Whether the person may see such pages; for others, the path does not exist. By default, everyone may. */
  admits?(signedIn: SignedInRequest): boolean;
  /**
   * Returns a function that says why a role may not send the forms of this route; null if it may. Called once for each
   * route, before any request, and throws if there is no rule for the route.
   */
  rule?(url: string): (role: SignedInRequest['role']) => string | null;
  /** Called before each form of the route is acted on. Throws if the person has sent too many. */
  admitForm?(url: string, signedIn: SignedInRequest): Promise<void>;
  /** The account that a page shows; by default the visitor's own, `live`. */
  shown?(request: FastifyRequest, live: AccountRecord): Promise<Pick<SignedInRequest, 'account' | 'mode'>>;
}

const REFUSALS: Readonly<Record<number, string>> = {
  403: 'Request refused',
  404: 'Page not found',
  429: 'Too many requests',
};

/** The title of a refusal's page, by status. */
export const refusalTitle = (status: number): string => REFUSALS[status] ?? 'Something went wrong';

/** Answers a person, with a failure as a page of the same kind. */
const answers =
  ({ refusalPage }: PageKind) =>
  async (
    one: SignedInRequest,
    reply: FastifyReply,
    answer: () => Promise<FastifyReply> | FastifyReply,
  ): Promise<FastifyReply> => {
    try {
      return await answer();
    } catch (error) {
      const failure = asServiceError(error);
      // Work that ended because the customer left is not a failure.
      if (!one.signal.aborted) logFailure(one.request, failure);
      if (failure.retryAfter !== undefined) reply.header('Retry-After', String(failure.retryAfter));
      const page = refusalPage(one, refusalTitle(failure.status), failure.message);
      return sendPrivatePage(reply.code(failure.status), page);
    }
  };

export function authenticatedRoutes(
  { keyless, sessionCookies, members, isOperator, historyAsOf }: RoutesOptions,
  kind: PageKind,
): AuthenticatedRoutes {
  const signedIn = async (request: FastifyRequest, reply: FastifyReply): Promise<SignedInRequest | null> => {
    reply.header('Cache-Control', 'private, no-store');
    const { signal } = disconnectSignal(reply);
    const visitor = await sessionCookies.visitorOf(request);
    const standing = visitor === null ? null : await members.standing(visitor);
    if (visitor === null || standing === null) return null;
    const { person, account: live, role, memberships } = standing;
    const shown = (await kind.shown?.(request, live)) ?? { account: live, mode: null };
    const by = { ...byCustomer(request), personId: person.personId };
    const stands = { historyAsOf: (await historyAsOf?.()) ?? null, isOperator: isOperator(person) };
    return { request, visitor, person, role, memberships, live, ...shown, ...stands, by, signal };
  };
  const isHidden = (one: SignedInRequest | null): boolean =>
    kind.admits !== undefined && (one === null || !kind.admits(one));
  const answered = answers(kind);
  return {
    page(url, show, of = url) {
      keyless(PAGE, url, async (request, reply) => {
        const one = await signedIn(request, reply);
        if (isHidden(one)) return notHere(request, reply);
        if (one === null) return signIn(reply, request.url.replace(url, of));
        return answered(one, reply, () => {
          refuseNul(queryString(request));
          return show(one, reply);
        });
      });
    },
    form(url, from, act) {
      const refusal = kind.rule?.(url) ?? (() => null);
      keyless(['POST'], url, async (request, reply) => {
        const one = await signedIn(request, reply);
        if (isHidden(one)) return notHere(request, reply);
        if (one === null) return signIn(reply, from);
        return answered(one, reply, async () => {
          refuseCrossSite(request);
          const fields = readForm(request);
          refuseNul(fields);
          // The form must not change an account that its sender did not see.
          if ((fields.get(SHOWN_ACCOUNT) ?? one.live.accountId) !== one.live.accountId) {
            const message = `The form was on a page of another account than ${one.live.name}, which you see now. Nothing was changed. To change the other account, switch to it and send the form again.`;
            return sendPrivatePage(reply.code(409), kind.refusalPage(one, 'You now see another account', message));
          }
          const why = refusal(one.role);
          if (why !== null) throw new ServiceError('access_denied', why, { reason: 'role' });
          await kind.admitForm?.(url, one);
          return act(one, fields, reply);
        });
      });
    },
  };
}

/** Answers as for an unknown address. */
function notHere(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.removeHeader('Cache-Control');
  if (wantsHtml(request)) return sendPage(reply.code(404), notFoundPage());
  const [path = '/'] = request.url.split('?');
  return sendFailure(request, reply, new ServiceError('not_found', `There is nothing at ${truncated(path)}.`));
}

/** Refuses NUL, which no store accepts and no keyboard types. */
function refuseNul(fields: URLSearchParams): void {
  const named = [...fields].find(([, value]) => value.includes('\0'));
  if (named !== undefined) throw badRequest(`${named[0]} contains an invalid character.`, named[0]);
}

const signIn = (reply: FastifyReply, next: string): FastifyReply => redirectTo(reply, signInPath(next));
