import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Outcome } from '../../src/serve/call.js';
import { failureOf } from '../../src/serve/execute.js';
import { challengeOf, failureHeaders, logFailure } from '../http/failure.js';
import { creditHeaders, noteOutcome, setHeaders } from '../http/headers.js';

/**
 * The headers that REST also has: rate, credits, age, and where to get a key (H9). Failures that Perch caused
 * are logged.
 */
export function outcomeHeaders(request: FastifyRequest, reply: FastifyReply, outcome: Outcome): void {
  const { result } = outcome;
  noteOutcome(request, reply, outcome);
  if (result.kind === 'answer') {
    setHeaders(reply, creditHeaders(result, outcome));
    for (const error of result.errors) logFailure(request, failureOf(error));
    return;
  }
  const { failure } = result;
  logFailure(request, failure);
  failureHeaders(reply, failure);
  if (failure.status === 401) reply.header('WWW-Authenticate', challengeOf(failure, request.server.baseUrl));
  // Only a query can be refused for its method.
  if (failure.status === 405) reply.header('Allow', 'POST');
}
