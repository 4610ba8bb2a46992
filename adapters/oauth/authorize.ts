import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Members, Standing } from '../../src/account/members.js';
import { type Actor, whyNot } from '../../src/domain/audit.js';
import { asServiceError, ServiceError } from '../../src/domain/errors.js';
import {
  AUTHORIZATION_FIELDS,
  type AuthorizationRequest,
  codeLocation,
  errorLocation,
  parseAuthorization,
} from '../../src/oauth/authorization.js';
import { type Clients, isDocumentId } from '../../src/oauth/clients.js';
import type { Consents } from '../../src/oauth/consents.js';
import { OAuthError } from '../../src/oauth/oauth-error.js';
import type { Addresses } from '../../src/oauth/resources.js';
import type { Tokens } from '../../src/oauth/tokens.js';
import type { AccountRecord } from '../../src/ports/accounts.js';
import { MOST_GRANTS } from '../../src/ports/grants.js';
import type { RateLimiter } from '../../src/ports/rate-limiter.js';
import { safeNext, signInPath } from '../../src/sign-in/safe-next.js';
import type { Visitor } from '../../src/sign-in/sessions.js';
import { logFailure } from '../http/failure.js';
import type { AdmitPublic } from '../http/keyless.js';
import { byCustomer } from '../http/origin.js';
import { queryString } from '../http/request.js';
import { refuseCrossSite } from '../http/same-origin.js';
import type { SessionCookies } from '../http/session-cookies.js';
import { sendPage } from '../pages/kit/send-page.js';
import { readFormFields, refuseControls } from './bodies.js';
import { type CapFields, offeredCap, parseCap } from './cap-fields.js';
import { type ConsentModel, consentPage, refusedPage } from './consent-page.js';
import { CONSENT_CSP } from './destination.js';
import { type Allowance, admit, type PublicLimits, takeOne } from './open-route.js';

/** The dependencies of sign-in for clients. */
export interface OAuthOptions {
  readonly clients: Clients;
  readonly consents: Consents;
  readonly tokens: Tokens;
  readonly members: Pick<Members, 'standing'>;
  readonly sessionCookies: SessionCookies;
  readonly admitPublic: AdmitPublic;
  readonly admitStatic: AdmitPublic;
  readonly limiter: RateLimiter;
}

/** Sends a page with the reason. `back`: a link that takes the error to the client, whose address must be proven. */
const sendRefused = (
  reply: FastifyReply,
  { status = 400, title = 'Invalid request', message, back = null }: Refusal,
): FastifyReply => sendPage(reply.code(status), refusedPage(title, message, back));

interface Refusal {
  readonly status?: number;
  readonly title?: string;
  readonly message: string;
  readonly back?: string | null;
}

/** Sends a page for a thrown error. It never has a link back, because that address would be unproven. */
function sendRefusal(request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  if (thrown instanceof OAuthError) return sendRefused(reply, { message: thrown.message });
  const failure = asServiceError(thrown);
  logFailure(request, failure);
  if (failure.retryAfter !== undefined) reply.header('Retry-After', String(failure.retryAfter));
  const title = failure.status < 500 ? 'Request refused' : 'Something went wrong on our side';
  return sendRefused(reply, { status: failure.status, title, message: failure.message });
}

const PATH = '/oauth/authorize';
const REQUESTS: Allowance = { name: 'authorize', limit: 120, windowSeconds: 60 };

/** Per account, from whatever IP address: each request may name a document that Perch must fetch from anywhere. */
const DOCUMENTS: Allowance = { name: 'document', limit: 20, windowSeconds: 60 };

/** Per account, because its log keeps each for good. */
const ALLOWED: Allowance = { name: 'allowed', limit: 200, windowSeconds: 3600 };

type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Mounts the consent page, and the customer's decision. They are for people, so errors are shown as pages. */
export function mountAuthorize(
  app: FastifyInstance,
  gate: PublicLimits,
  addresses: () => Addresses,
  options: OAuthOptions,
): void {
  const route = (method: 'GET' | 'POST', handle: Handle): void => {
    app.route({
      method,
      url: PATH,
      errorHandler: (error, request, reply) => sendRefusal(request, reply, error),
      handler: async (request, reply) => {
        reply.header('Cache-Control', 'no-store');
        await admit(gate, request, reply, REQUESTS);
        return handle(request, reply);
      },
    });
  };
  route('GET', async (request, reply) => {
    const fields = queryString(request);
    return proven(
      request,
      reply,
      { fields, addresses: addresses(), options, gate },
      (authRequest, { account, person }) => {
        const shown = { authRequest, account, email: person.email, fields, addresses: addresses() };
        return sendConsent(reply, { ...shown, cap: offeredCap(account.balance) });
      },
    );
  });
  route('POST', async (request, reply) => {
    refuseCrossSite(request);
    const fields = readFormFields(request);
    return proven(
      request,
      reply,
      { fields, addresses: addresses(), options, gate },
      async (authRequest, { account, person }) => {
        if (fields.get('decision') === 'allow') await takeOne(gate, ALLOWED, account.accountId, 'to allow an app');
        const by = { ...byCustomer(request), personId: person.personId };
        const shown = { authRequest, account, email: person.email, fields, addresses: addresses() };
        return decide(reply, { ...shown, options, by });
      },
    );
  });
}

interface Context {
  readonly fields: URLSearchParams;
  readonly addresses: Addresses;
  readonly options: OAuthOptions;
  readonly gate: PublicLimits;
}

/**
 * Continues with a valid request of a customer who is signed in. Until the customer decides, nothing is sent to any
 * client.
 */
async function proven(
  request: FastifyRequest,
  reply: FastifyReply,
  { fields, addresses, options, gate }: Context,
  goOn: (authRequest: AuthorizationRequest, standing: Standing) => FastifyReply | Promise<FastifyReply>,
): Promise<FastifyReply> {
  refuseControls(clientFields(fields));
  if (safeNext(wayHere(fields)) === null) throw new OAuthError('invalid_request', TOO_LONG);
  const visitor = await options.sessionCookies.visitorOf(request);
  // Only an account can make Perch fetch a document.
  if (isDocumentId(fields.get('client_id') ?? '')) {
    if (visitor === null) return toSignIn(reply, fields);
    await takeOne(gate, DOCUMENTS, visitor.personId, 'of this account');
  }
  const read = await parseAuthorization(fields, options.clients, addresses);
  if (read.state === 'refused') return sendRefused(reply, { message: read.error.message, back: read.back });
  if (visitor === null) return toSignIn(reply, fields);
  const stands = await standing(options, visitor);
  const why = whyNot('apps', stands.role);
  if (why === null) return goOn(read.authRequest, stands);
  const back = errorLocation(
    read.authRequest,
    new OAuthError('access_denied', 'The user may not allow apps.'),
    addresses,
  );
  return sendRefused(reply, { status: 403, title: 'You cannot allow apps', message: why, back });
}

const TOO_LONG = 'The request is too long: it can have at most 4,096 characters.';

/** The account that the customer is looking at on the dashboard. */
async function standing({ members }: OAuthOptions, visitor: Visitor): Promise<Standing> {
  const found = await members.standing(visitor);
  if (found === null) throw new Error('a session belongs to a person who is not there');
  return found;
}

const sendTo = (reply: FastifyReply, location: string): FastifyReply =>
  reply.code(303).header('Location', location).send();

const wayHere = (fields: URLSearchParams): string => `${PATH}?${new URLSearchParams(clientFields(fields))}`;

const toSignIn = (reply: FastifyReply, fields: URLSearchParams): FastifyReply =>
  sendTo(reply, signInPath(wayHere(fields)));

/** The fields that belong to the client's request. */
const clientFields = (fields: URLSearchParams): [string, string][] =>
  AUTHORIZATION_FIELDS.flatMap((name) => fields.getAll(name).map((value): [string, string] => [name, value]));

type Decision = Omit<Context, 'options' | 'gate'> & {
  readonly authRequest: AuthorizationRequest;
  readonly account: AccountRecord;
  /** The address of the signed-in person. */
  readonly email: string | null;
};

async function decide(
  reply: FastifyReply,
  { options, by, ...decision }: Decision & { options: OAuthOptions; by: Actor },
): Promise<FastifyReply> {
  const { authRequest, account, fields, addresses } = decision;
  const cap: CapFields = { amount: fields.get('cap_amount') ?? '', period: fields.get('cap_period') ?? '' };
  if (fields.get('account') !== account.accountId) {
    return sendConsent(reply, { ...decision, cap, switched: true });
  }
  if (fields.get('decision') !== 'allow') {
    return sendTo(
      reply,
      errorLocation(authRequest, new OAuthError('access_denied', 'The user denied the request.'), addresses),
    );
  }
  if (account.frozen) return sendFrozen(reply, decision);
  const chosen = chosenCap(cap);
  if (chosen instanceof ServiceError) {
    return sendConsent(reply.code(400), { ...decision, cap, fault: chosen.message });
  }
  const code = await options.consents.allow(authRequest, account.accountId, chosen, by);
  return code === null ? sendFull(reply, decision) : sendTo(reply, codeLocation(authRequest, code, addresses));
}

function chosenCap(cap: CapFields): ReturnType<typeof parseCap> | ServiceError {
  try {
    return parseCap(cap);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

type Shown = Decision & Pick<ConsentModel, 'cap'> & Partial<Pick<ConsentModel, 'fault' | 'switched'>>;

function sendConsent(reply: FastifyReply, shown: Shown): FastifyReply {
  const { authRequest, account, email, fields, cap, fault = null, switched = false } = shown;
  if (account.frozen) return sendFrozen(reply, shown);
  return sendPage(
    reply,
    consentPage({ authRequest, account, email, fields: clientFields(fields), cap, fault, switched }),
    CONSENT_CSP,
  );
}

function sendFull(reply: FastifyReply, { authRequest, addresses }: Decision): FastifyReply {
  const back = errorLocation(authRequest, new OAuthError('access_denied', 'The user has too many apps.'), addresses);
  const message = `${MOST_GRANTS} apps are connected to your account, the maximum. Disconnect one that you no longer use, under Apps on the dashboard, and then allow this app again.`;
  return sendRefused(reply, { title: 'Too many connected apps', message, back });
}

/**
 * Refuses an account whose keys do not work: a client that is allowed now would get a key that does not work either.
 */
function sendFrozen(reply: FastifyReply, { authRequest, addresses }: Decision): FastifyReply {
  const back = errorLocation(authRequest, new OAuthError('access_denied', 'The account is frozen.'), addresses);
  const message =
    'A payment dispute was lost, or the operator froze the account. You cannot allow apps until you settle this with the operator.';
  return sendRefused(reply, { status: 403, title: 'Your account is frozen', message, back });
}
