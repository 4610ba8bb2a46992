import type { FastifyReply, FastifyRequest } from 'fastify';
import { asServiceError } from '../../src/domain/errors.js';
import { OAuthError } from '../../src/oauth/oauth-error.js';
import { logFailure } from '../http/failure.js';
import { sendPage } from '../pages/kit/send-page.js';
import { refusalPage } from './consent-page.js';

/** A page with the reason; with `back`, a link that takes the error to the client, whose address is proven. */
export const sendRefused = (
  reply: FastifyReply,
  { status = 400, title = 'Invalid request', message, back = null }: Refusal,
): FastifyReply => sendPage(reply.code(status), refusalPage(title, message, back));

interface Refusal {
  readonly status?: number;
  readonly title?: string;
  readonly message: string;
  readonly back?: string | null;
}

/** A page for a thrown error. Never with a link back: its address would be unproven. */
export function sendRefusal(request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  if (thrown instanceof OAuthError) return sendRefused(reply, { message: thrown.message });
  const failure = asServiceError(thrown);
  logFailure(request, failure);
  if (failure.retryAfter !== undefined) reply.header('Retry-After', String(failure.retryAfter));
  const title = failure.status < 500 ? 'Request refused' : 'Something went wrong on our side';
  return sendRefused(reply, { status: failure.status, title, message: failure.message });
}
