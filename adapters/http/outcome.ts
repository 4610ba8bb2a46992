import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Outcome } from '../../src/serve/call.js';
import { limitHeaders, serverTiming, setHeaders } from './headers.js';

/**
 * What every interface does first with the outcome of a call: passes it to the log, and sets the headers of all
 * outcomes.
 */
export function noteOutcome(request: FastifyRequest, reply: FastifyReply, outcome: Outcome): void {
  request.outcome = outcome;
  setHeaders(reply, { ...limitHeaders(outcome), 'Server-Timing': serverTiming(outcome, elapsedMs(request, reply)) });
}

const elapsedMs = ({ raw }: FastifyRequest, { elapsedTime }: FastifyReply): number =>
  raw.served ? performance.now() - raw.served.startedAt : elapsedTime;
