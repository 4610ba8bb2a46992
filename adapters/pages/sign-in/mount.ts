import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { asServiceError, ServiceError } from '../../../src/domain/errors.js';
import { truncated } from '../../../src/lib/text.js';
import type { Passkeys } from '../../../src/sign-in/passkeys.js';
import { safeNext, signInPath } from '../../../src/sign-in/safe-next.js';
import type { Sessions } from '../../../src/sign-in/sessions.js';
import type { SignIn } from '../../../src/sign-in/sign-in.js';
import { logFailure } from '../../http/failure.js';
import { readForm } from '../../http/form.js';
import { type AdmitPublic, createKeyless, type Handler, PAGE } from '../../http/keyless.js';
import { byCustomer, limitedAs, requestOrigin } from '../../http/origin.js';
import { refuseCrossSite } from '../../http/same-origin.js';
import type { SessionCookies } from '../../http/session-cookies.js';
import { sendPage, wantsHtml } from '../kit/send-page.js';
import { readJsonObject, textIn } from './json.js';
import { refusedPage, type SignInState, signInPage } from './page.js';
import { passkeyHost } from './passkey-panel.js';
import { mountPasskeys } from './passkey-routes.js';

export interface SignInMountOptions {
  readonly admitPublic: AdmitPublic;
  readonly sessionCookies: SessionCookies;
  readonly signIn: Pick<SignIn, 'requestLink' | 'spend' | 'accountOf'>;
  readonly sessions: Pick<Sessions, 'end'>;
  readonly passkeys: Passkeys;
  /** Whether a mail server is configured; without one, the operator passes links on. */
  readonly byMail: boolean;
  /** How people reach the operator; null if not configured. */
  readonly contact: string | null;
}

const HOME = '/dashboard';

/** An invalid mail address is cut to this many characters when it is put back into the field. */
const LONGEST_ADDRESS = 254;

/** Sign-in and sign-out: pages and forms that work without scripts, and passkeys, which need one. */
export function mountSignIn(app: FastifyInstance, options: SignInMountOptions): void {
  // In a separate scope, whose errors are shown as pages.
  app.register(async (room) => {
    handleSignInErrors(room);
    mountRoutes(room, options);
  });
}

function mountRoutes(app: FastifyInstance, options: SignInMountOptions): void {
  const keyless = createKeyless(app, options.admitPublic);
  keyless(PAGE, '/sign-in', async (request, reply) => {
    const { next, sent, again, deleted } = request.query as Record<string, unknown>;
    const wanted = safeNext(typeof next === 'string' ? next : null);
    const visitor = await options.sessionCookies.visitorOf(request);
    const isExplicit = sent !== undefined || again !== undefined;
    if (visitor && wanted !== null && !isExplicit) return goTo(reply, wanted);
    // Signed-in visitors get the page, too: they may have a link to another account, which only their browser can see.
    const signedOut = deleted !== undefined ? 'deleted' : 'ask';
    const kind = sent !== undefined ? 'sent' : !visitor ? signedOut : again !== undefined ? 'again' : 'signed_in';
    return show(options, request, reply, { next: wanted, state: { kind } });
  });
  keyless(['POST'], '/sign-in/mail', mailHandler(options));
  keyless(['POST'], '/sign-in', spendHandler(options));
  keyless(['POST'], '/sign-in/whose', async (request, reply) => {
    const name = await options.signIn.accountOf(textIn(readJsonObject(request).token));
    return reply.header('Cache-Control', 'no-store').send({ name });
  });
  keyless(['POST'], '/sign-out', async (request, reply) => {
    refuseCrossSite(request);
    await endSession(options, request);
    options.sessionCookies.clear(reply);
    // Browsers honour it only over TLS. Without `cookies`: ours is already cleared, and those of other services must
    // stay.
    if (app.authUrl.startsWith('https:')) reply.header('Clear-Site-Data', '"cache", "storage"');
    return goTo(reply, '/');
  });
  mountPasskeys(keyless, options, (request) => endSession(options, request));
}

/** Gives the same answer for every address, so that it does not reveal whether the address has an account. */
const mailHandler = (options: SignInMountOptions): Handler => {
  const { signIn } = options;
  return async (request, reply) => {
    refuseCrossSite(request);
    const fields = readForm(request);
    const next = safeNext(fields.get('next'));
    const email = fields.get('email') ?? '';
    try {
      await signIn.requestLink(email, { address: limitedAs(request), next });
    } catch (error) {
      const state = error instanceof ServiceError ? refusedState(error, email) : undefined;
      if (!state) throw error;
      const { status, retryAfter } = error as ServiceError;
      if (retryAfter !== undefined) reply.header('Retry-After', String(retryAfter));
      return show(options, request, reply.code(status), { next, state });
    }
    const back = signInPath(next);
    return goTo(reply, `${back}${back.includes('?') ? '&' : '?'}sent=1`);
  };
};

function refusedState({ code, detail, retryAfter = 1 }: ServiceError, email: string): SignInState | undefined {
  if (detail.param === 'email') return { kind: 'bad_email', email: truncated(email, LONGEST_ADDRESS) };
  return code === 'rate_limited' ? { kind: 'limited', seconds: retryAfter } : undefined;
}

const spendHandler = (options: SignInMountOptions): Handler => {
  const { signIn, sessionCookies } = options;
  return async (request, reply) => {
    refuseCrossSite(request);
    const fields = readForm(request);
    const wanted = safeNext(fields.get('next'));
    const token = fields.get('token') ?? '';
    try {
      // An attacker may send a link that signs its reader in to the attacker's account, so people must see whose
      // account it is before they click.
      if (fields.get('seen') !== '1') {
        const state = { kind: 'confirm', token, name: await signIn.accountOf(token) } as const;
        return show(options, request, reply, { next: wanted, state });
      }
      const previous = await sessionCookies.visitorOf(request);
      const { session, next } = await signIn.spend(token, { ...requestOrigin(request), previous });
      // Ends this browser's previous session, because the browser loses that session's secret now.
      await endSession(options, request);
      sessionCookies.set(reply, session);
      return goTo(reply, next ?? wanted ?? HOME);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.detail.reason !== 'link_spent') throw error;
      return show(options, request, reply.code(error.status), { next: wanted, state: { kind: 'spent' } });
    }
  };
};

async function endSession({ sessionCookies, sessions }: SignInMountOptions, request: FastifyRequest): Promise<void> {
  const visitor = await sessionCookies.visitorOf(request);
  if (visitor) await sessions.end(visitor.personId, visitor.sessionId, byCustomer(request));
}

/**
 * Redirects after a POST, so that the browser requests the page with GET, and going back does not send the form again.
 */
const goTo = (reply: FastifyReply, path: string): FastifyReply =>
  reply.code(303).header('Location', path).header('Cache-Control', 'no-store').send();

function show(
  { passkeys, byMail, contact }: SignInMountOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  page: { next: string | null; state: SignInState },
): FastifyReply {
  const host = passkeyHost(request, passkeys);
  const here = host === null || host === 'here' ? host : { at: new URL(signInPath(page.next), host.at).href };
  reply.header('Cache-Control', 'no-store');
  return sendPage(reply, signInPage({ ...page, byMail, contact, passkeys: here }));
}

/**
 * Shows people the errors of this scope as pages. Programs and the pages' own scripts get the same errors as elsewhere.
 */
function handleSignInErrors(room: FastifyInstance): void {
  room.setErrorHandler((error, request, reply) => {
    const { statusCode } = error as { statusCode?: number };
    // The server's own handler turns the framework's errors into Perch's.
    if (!wantsHtml(request) || (!(error instanceof ServiceError) && statusCode !== undefined)) throw error;
    const failure = asServiceError(error);
    logFailure(request, failure);
    if (failure.retryAfter !== undefined) reply.header('Retry-After', String(failure.retryAfter));
    reply.code(failure.status).header('Cache-Control', 'no-store');
    return sendPage(reply, refusedPage(failure.message));
  });
}
