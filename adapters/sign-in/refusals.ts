import type { FastifyInstance } from 'fastify';
import { asServiceError, ServiceError } from '../../src/core/errors.js';
import { logFailure } from '../http/failure.js';
import { sendPage, wantsHtml } from '../site/send-page.js';
import { refusedPage } from './page.js';

/** Says what goes wrong in this room in words to people; programs, and scripts of the pages, get what they get everywhere. */
export function handleSignInErrors(room: FastifyInstance): void {
  room.setErrorHandler((error, request, reply) => {
    const { statusCode } = error as { statusCode?: number };
    // The framework's own refusals are put into words by the whole's handler.
    if (!wantsHtml(request) || (!(error instanceof ServiceError) && statusCode !== undefined)) throw error;
    const failure = asServiceError(error);
    logFailure(request, failure);
    if (failure.retryAfter !== undefined) reply.header('Retry-After', String(failure.retryAfter));
    reply.code(failure.status).header('Cache-Control', 'no-store');
    return sendPage(reply, refusedPage(failure.message));
  });
}
