import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../src/domain/errors.js';
import type { Passkeys } from '../../../src/sign-in/passkeys.js';
import { safeNext, signInAgainPath, signInPath } from '../../../src/sign-in/safe-next.js';
import type { Visitor } from '../../../src/sign-in/sessions.js';
import { readForm } from '../../http/form.js';
import type { Keyless } from '../../http/keyless.js';
import { byCustomer, limitedAs, requestOrigin } from '../../http/origin.js';
import { refuseCrossSite } from '../../http/same-origin.js';
import type { SessionCookies } from '../../http/session-cookies.js';
import { readJsonObject, textIn } from './json.js';

interface PasskeyRoutes {
  readonly sessionCookies: SessionCookies;
  readonly passkeys: Passkeys;
}

/** The JSON routes for the scripts of the sign-in page and of `PasskeyPanel`, and the form that removes a passkey. */
export function mountPasskeys(
  keyless: Keyless,
  { sessionCookies, passkeys }: PasskeyRoutes,
  endSession: (request: FastifyRequest) => Promise<void>,
): void {
  keyless(['POST'], '/sign-in/passkey/options', async (request, reply) => {
    readJsonObject(request);
    return fresh(reply).send(await passkeys.signInOptions(limitedAs(request)));
  });
  keyless(['POST'], '/sign-in/passkey', async (request, reply) => {
    const { response, next } = readJsonObject(request);
    const previous = await sessionCookies.visitorOf(request);
    const session = await passkeys.signIn(response, { ...requestOrigin(request), previous });
    await endSession(request);
    sessionCookies.set(reply, session);
    return fresh(reply).send({ location: safeNext(textIn(next)) ?? '/dashboard' });
  });
  keyless(['POST'], '/dashboard/passkeys/options', async (request, reply) => {
    readJsonObject(request);
    const visitor = await signedIn(sessionCookies, request);
    return fresh(reply).send(await passkeys.registrationOptions(visitor));
  });
  keyless(['POST'], '/dashboard/passkeys', async (request, reply) => {
    const { response, name } = readJsonObject(request);
    await passkeys.register(await signedIn(sessionCookies, request), response, textIn(name), byCustomer(request));
    return fresh(reply).code(201).send({});
  });
  keyless(['POST'], '/dashboard/passkeys/remove', async (request, reply) => {
    refuseCrossSite(request);
    const fields = readForm(request);
    const back = safeNext(fields.get('next')) ?? '/dashboard';
    const visitor = await sessionCookies.visitorOf(request);
    const goTo = (path: string) => fresh(reply).code(303).header('Location', path).send();
    if (!visitor) return goTo(signInPath(back));
    try {
      await passkeys.remove(visitor, fields.get('credential') ?? '', byCustomer(request));
      return goTo(back);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.detail.reason !== 'sign_in_again') throw error;
      return goTo(signInAgainPath(back));
    }
  });
}

const fresh = (reply: FastifyReply): FastifyReply => reply.header('Cache-Control', 'no-store');

async function signedIn(sessionCookies: SessionCookies, request: FastifyRequest): Promise<Visitor> {
  const visitor = await sessionCookies.visitorOf(request);
  if (visitor) return visitor;
  throw new ServiceError('access_denied', 'You are no longer signed in. Sign in again.', { reason: 'signed_out' });
}
