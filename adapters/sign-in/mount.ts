import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Passkeys } from '../../src/account/passkeys.js';
import { safeNext, signInPath } from '../../src/account/safe-next.js';
import type { Sessions } from '../../src/account/sessions.js';
import type { SignIn } from '../../src/account/sign-in.js';
import { ServiceError } from '../../src/core/errors.js';
import type { Door } from '../http/door.js';
import { formOf } from '../http/form.js';
import { type AdmitPublic, createKeyless, type Handler, PAGE } from '../http/keyless.js';
import { byCustomer, originOf } from '../http/origin.js';
import { refuseCrossSite } from '../http/same-origin.js';
import { sendPage } from '../site/send-page.js';
import { type SignInState, signInPage } from './page.js';
import { passkeyPlace } from './passkey-place.js';
import { mountPasskeys } from './passkey-routes.js';

export interface SignInMountOptions {
  readonly admitPublic: AdmitPublic;
  readonly door: Door;
  readonly signIn: Pick<SignIn, 'requestLink' | 'spend'>;
  readonly sessions: Pick<Sessions, 'end'>;
  readonly passkeys: Passkeys;
  /** Whether a mail server is set: without one, the operator passes links on. */
  readonly byMail: boolean;
}

const HOME = '/dashboard';

/** Sign-in and sign-out: pages and forms that work without a script, and passkeys with one. */
export function mountSignIn(app: FastifyInstance, options: SignInMountOptions): void {
  const keyless = createKeyless(app, options.admitPublic);
  keyless(PAGE, '/sign-in', async (request, reply) => {
    const { next, sent } = request.query as Record<string, unknown>;
    const wanted = safeNext(typeof next === 'string' ? next : null);
    const visitor = await options.door.visitor(request);
    if (visitor && wanted !== null) return goTo(reply, wanted);
    // With a link in hand, which only the browser sees, somebody may want to be somebody else from here on.
    const kind = visitor ? 'signed_in' : sent === undefined ? 'ask' : 'sent';
    return show(options, request, reply, { next: wanted, state: { kind } });
  });
  keyless(['POST'], '/sign-in/mail', mailHandler(options));
  keyless(['POST'], '/sign-in', spendHandler(options));
  keyless(['POST'], '/sign-out', async (request, reply) => {
    refuseCrossSite(request);
    await endSession(options, request);
    options.door.shut(reply);
    return goTo(reply, '/');
  });
  mountPasskeys(keyless, options, (request) => endSession(options, request));
}

/** The same answer whatever the address: whether it has an account shows nowhere. */
const mailHandler = (options: SignInMountOptions): Handler => {
  const { signIn } = options;
  return async (request, reply) => {
    refuseCrossSite(request);
    const fields = formOf(request);
    const next = safeNext(fields.get('next'));
    const email = fields.get('email') ?? '';
    try {
      await signIn.requestLink(email, { address: originOf(request).address, next });
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
  if (detail.param === 'email') return { kind: 'bad_email', email };
  return code === 'rate_limited' ? { kind: 'limited', seconds: retryAfter } : undefined;
}

const spendHandler = (options: SignInMountOptions): Handler => {
  const { signIn, door } = options;
  return async (request, reply) => {
    refuseCrossSite(request);
    const fields = formOf(request);
    const asked = safeNext(fields.get('next'));
    try {
      const { session, next } = await signIn.spend(fields.get('token') ?? '', originOf(request));
      // What was signed in here before is not any more: its secret leaves the browser.
      await endSession(options, request);
      door.open(reply, session);
      return goTo(reply, next ?? asked ?? HOME);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.detail.reason !== 'link_spent') throw error;
      return show(options, request, reply.code(error.status), { next: asked, state: { kind: 'spent' } });
    }
  };
};

async function endSession({ door, sessions }: SignInMountOptions, request: FastifyRequest): Promise<void> {
  const visitor = await door.visitor(request);
  if (visitor) await sessions.end(visitor.accountId, visitor.sessionId, byCustomer(request));
}

/** After a POST the browser asks for the page with GET, so that going back sends nothing twice. */
const goTo = (reply: FastifyReply, path: string): FastifyReply =>
  reply.code(303).header('Location', path).header('Cache-Control', 'no-store').send();

function show(
  { passkeys, byMail }: SignInMountOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  page: { next: string | null; state: SignInState },
): FastifyReply {
  const place = passkeyPlace(request, passkeys);
  const here = place === null || place === 'here' ? place : { at: new URL(signInPath(page.next), place.at).href };
  reply.header('Cache-Control', 'no-store');
  return sendPage(reply, signInPage({ ...page, byMail, passkeys: here }));
}
