import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { signInPath } from '../../src/account/safe-next.js';
import type { Visitor } from '../../src/account/sessions.js';
import { asServiceError, ServiceError } from '../../src/core/errors.js';
import { ASK_FIELDS, type Ask, codeLocation, errorLocation, readAsk } from '../../src/oauth/authorization.js';
import { isDocumentId } from '../../src/oauth/clients.js';
import { OAuthError } from '../../src/oauth/oauth-error.js';
import type { Addresses } from '../../src/oauth/resources.js';
import { logFailure } from '../http/failure.js';
import { refuseCrossSite } from '../http/same-origin.js';
import { sendPage } from '../site/send-page.js';
import { fieldsOf } from './bodies.js';
import { type CapFields, capOf, OFFERED } from './cap-fields.js';
import { type ConsentModel, consentPage, refusalPage } from './consent-page.js';
import { consentPolicy } from './destination.js';
import type { OAuthOptions } from './mount.js';
import { type Allowance, admit, type Gate } from './open-route.js';

const PATH = '/oauth/authorize';
const ASKS: Allowance = { name: 'authorize', limit: 120, windowSeconds: 60 };

type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** The page that asks, and what it is answered with. For people: what goes wrong is a page. */
export function mountAuthorize(
  app: FastifyInstance,
  gate: Gate,
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
        await admit(gate, request, reply, ASKS);
        return handle(request, reply);
      },
    });
  };
  route('GET', async (request, reply) => {
    const fields = new URL(request.url, 'http://localhost').searchParams;
    return proven(request, reply, { fields, addresses: addresses(), options }, (ask, visitor) =>
      sendConsent(reply, options, { ask, visitor, fields, cap: OFFERED }),
    );
  });
  route('POST', async (request, reply) => {
    refuseCrossSite(request);
    const fields = fieldsOf(request);
    return proven(request, reply, { fields, addresses: addresses(), options }, (ask, visitor) =>
      decide(request, reply, { ask, visitor, fields, addresses: addresses(), options }),
    );
  });
}

interface Context {
  readonly fields: URLSearchParams;
  readonly addresses: Addresses;
  readonly options: OAuthOptions;
}

/** Goes on with a request that is sound and a customer who is signed in. */
async function proven(
  request: FastifyRequest,
  reply: FastifyReply,
  { fields, addresses, options }: Context,
  goOn: (ask: Ask, visitor: Visitor) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const visitor = await options.door.visitor(request);
  // Nobody makes us fetch a document without an account.
  if (visitor === null && isDocumentId(fields.get('client_id') ?? '')) return toSignIn(reply, fields);
  const asked = await readAsk(fields, options.clients, addresses);
  if (asked.state === 'refused') return sendTo(reply, asked.location);
  return visitor === null ? toSignIn(reply, fields) : goOn(asked.ask, visitor);
}

const sendTo = (reply: FastifyReply, location: string): FastifyReply =>
  reply.code(303).header('Location', location).send();

const toSignIn = (reply: FastifyReply, fields: URLSearchParams): FastifyReply =>
  sendTo(reply, signInPath(`${PATH}?${new URLSearchParams(asked(fields))}`));

/** What of the fields is the client's request. */
const asked = (fields: URLSearchParams): [string, string][] =>
  ASK_FIELDS.flatMap((name) => fields.getAll(name).map((value): [string, string] => [name, value]));

async function decide(
  request: FastifyRequest,
  reply: FastifyReply,
  { ask, visitor, fields, addresses, options }: Context & { ask: Ask; visitor: Visitor },
): Promise<FastifyReply> {
  const cap: CapFields = { amount: fields.get('cap_amount') ?? '', period: fields.get('cap_period') ?? '' };
  if (fields.get('account') !== visitor.accountId) {
    return sendConsent(reply, options, { ask, visitor, fields, cap, switched: true });
  }
  if (fields.get('decision') !== 'allow') {
    return sendTo(reply, errorLocation(ask, new OAuthError('access_denied', 'The customer said no.'), addresses));
  }
  const chosen = chosenCap(cap);
  if (chosen instanceof ServiceError) {
    return sendConsent(reply.code(400), options, { ask, visitor, fields, cap, fault: chosen.message });
  }
  const by = { who: 'customer', address: request.ip } as const;
  const code = await options.consents.allow(ask, visitor.accountId, chosen, by);
  return sendTo(reply, codeLocation(ask, code, addresses));
}

function chosenCap(cap: CapFields): ReturnType<typeof capOf> | ServiceError {
  try {
    return capOf(cap);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

async function sendConsent(
  reply: FastifyReply,
  { accounts }: OAuthOptions,
  shown: Pick<ConsentModel, 'ask' | 'cap'> &
    Partial<Pick<ConsentModel, 'fault' | 'switched'>> & { visitor: Visitor; fields: URLSearchParams },
): Promise<FastifyReply> {
  const { ask, visitor, fields, cap, fault = null, switched = false } = shown;
  const account = await accounts.get(visitor.accountId);
  if (account === undefined) throw new Error('a session belongs to an account that is not there');
  const page = consentPage({ ask, account, fields: asked(fields), cap, fault, switched });
  return sendPage(reply, page, consentPolicy(ask.redirectUri));
}

/** Never a redirect: nobody knows whose address it would be. */
function sendRefusal(request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  if (thrown instanceof OAuthError) {
    return sendPage(reply.code(400), refusalPage('This request is not right', thrown.message));
  }
  const failure = asServiceError(thrown);
  logFailure(request, failure);
  if (failure.retryAfter !== undefined) reply.header('Retry-After', String(failure.retryAfter));
  const title = failure.status < 500 ? 'This was not accepted' : 'Something went wrong on our side';
  return sendPage(reply.code(failure.status), refusalPage(title, failure.message));
}
