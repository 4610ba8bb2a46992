import type { FastifyInstance } from 'fastify';
import { asServiceError, ServiceError } from '../../../src/domain/errors.js';
import { logFailure } from '../../http/failure.js';
import { sendPage, wantsHtml } from '../kit/send-page.js';
import { refusedPage } from './page.js';

/**
 * Shows people the errors of this scope as pages; programs, and the pages' scripts, get the same errors as elsewhere.
 */
export function handleSignInErrors(room: FastifyInstance): void {
  room.setErrorHandler((error, request, reply) => {
    const { statusCode } = error as { statusCode?: number };
    // The server's own handler turns the framework's refusals into Perch's.
    if (!wantsHtml(request) || (!(error instanceof ServiceError) && statusCode !== undefined)) throw error;
    const failure = asServiceError(error);
    logFailure(request, failure);
    if (failure.retryAfter !== undefined) reply.header('Retry-After', String(failure.retryAfter));
    reply.code(failure.status).header('Cache-Control', 'no-store');
    return sendPage(reply, refusedPage(failure.message));
  });
}
