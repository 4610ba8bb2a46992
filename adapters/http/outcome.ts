import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { asServiceError } from '../../src/domain/errors.js';
import type { Outcome } from '../../src/serve/call.js';
import { fieldFailure } from '../../src/serve/execute.js';
import { encodeBody, setBodyHeaders } from './bodies/shared-body.js';
import { failureHeaders, logFailure } from './failure.js';
import { creditHeaders, type Headers, limitHeaders, serverTiming, setHeaders } from './headers.js';
import type { AnswerContext, Form, HttpAnswer, Plan } from './plans.js';
import { callerParts } from './request.js';

/**
 * An answer with all its headers, in the order in which they are sent: those of every interface, then the form's own.
 */
export interface WholeAnswer extends Pick<HttpAnswer, 'status' | 'body'> {
  readonly headers: readonly Headers[];
}

/**
 * An outcome as it is sent, for any interface, inside the framework or ahead of it. Logs failures that Perch caused.
 */
export function answerOf(form: Form, outcome: Outcome, context: AnswerContext, log: FastifyBaseLogger): WholeAnswer {
  logFailures(outcome, log);
  try {
    const { status, headers, body } = form.write(outcome, context);
    return { status, headers: [limitHeaders(outcome), resultHeaders(outcome), headers], body };
  } catch (error) {
    if (outcome.result.kind === 'refusal') throw error;
    const refused: Outcome = { ...outcome, result: { kind: 'refusal', failure: asServiceError(error) } };
    return answerOf(form, refused, context, log);
  }
}

function logFailures({ requestId: id, result }: Outcome, log: FastifyBaseLogger): void {
  if (result.kind === 'refusal') logFailure({ id, log }, result.failure);
  else for (const error of result.errors) logFailure({ id, log }, fieldFailure(error));
}

/** The headers that say what an outcome cost: the same figures as in the body. */
const resultHeaders = (outcome: Outcome): Headers =>
  outcome.result.kind === 'answer' ? creditHeaders(outcome.result, outcome) : failureHeaders(outcome.result.failure);

/**
 * Serves and answers a request that the framework has read. The next one like it is answered ahead of the framework.
 */
export async function answerPlan(plan: Plan, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const outcome = await plan.serve({ ...callerParts(request, reply), ...plan.call });
  return sendPlanned(plan, outcome, request, reply);
}

/** Sends the outcome of a plan. Remembers the plan, with its parsed parameters, if the answer is kept. */
export function sendPlanned(
  plan: Plan,
  outcome: Outcome,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (outcome.result.kind === 'answer' && outcome.result.rendered) {
    const params = plan.call.parse();
    request.server.rememberPlan(request, { ...plan, call: { ...plan.call, parse: () => params } });
  }
  return sendOutcome(plan.form, outcome, request, reply);
}

/** Sends an outcome through the framework. */
export async function sendOutcome(
  form: Form,
  outcome: Outcome,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  request.outcome = outcome;
  const context = { accept: request.headers.accept, baseUrl: request.server.baseUrl };
  const { status, headers, body } = answerOf(form, outcome, context, request.log);
  setHeaders(reply, form.headers);
  for (const some of headers) setHeaders(reply, some);
  setHeaders(reply, { 'Server-Timing': serverTiming(outcome, reply.elapsedTime) });
  const sent = await encodeBody(request.headers, body);
  request.madeBytes = sent.made;
  setBodyHeaders(reply, sent);
  return reply.code(status).send(Buffer.concat([sent.begin, sent.end]));
}
