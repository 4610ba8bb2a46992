import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Thousandths } from '../../src/domain/credits.js';
import { asServiceError } from '../../src/domain/errors.js';
import { digestText } from '../../src/lib/digest.js';
import { LiveBudget } from '../../src/live/budget.js';
import type { Live } from '../../src/live/live.js';
import type { Outcome } from '../../src/serve/call.js';
import { NOT_FOLLOWED, type Serve } from '../../src/serve/serve.js';
import { answerLive, type LiveForm, readStart } from '../http/live/answer-live.js';
import { sendOutcome } from '../http/outcome.js';
import { callerParts } from '../http/request.js';
import { FORM, refuse, shown } from './answer.js';
import { budgetOfParams, type GraphqlParams } from './params.js';
import { graphqlCall, toAsked } from './request.js';
import { renderedBody, toResult } from './result.js';

/** A result as the value of an event, on one line. */
function resultText(outcome: Outcome, baseUrl: string): string {
  const body = renderedBody(outcome);
  if (body) return body.shared.bytes.toString() + body.own.toString();
  const result = toResult(outcome, baseUrl);
  return (result.stringify ?? JSON.stringify)(shown(result));
}

const COMPLETE = { event: 'complete', data: '' } as const;

/**
 * Answers a client that reads server-sent events, as the protocol of `graphql-sse` has it in its distinct connections mode:
 * `next` for each result, `complete` at the end. A subscription is followed; its position is the id of each event.
 */
export async function answerEvents(
  { live, serve }: { readonly live: Live; readonly serve: Serve },
  params: GraphqlParams,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const asked = toAsked(params, request);
  let start: ReturnType<typeof readStart>;
  let budget: Thousandths | null;
  try {
    start = readStart(live, request, null, 1);
    budget = budgetOfParams(params, request.headers['x-max-credits']);
  } catch (error) {
    return refuse(serve, request, reply, asServiceError(error));
  }
  const { baseUrl } = request.server;
  const { positions, isResumed } = start;
  const [from] = positions;
  if (from === undefined) throw new TypeError('A stream has a list.');
  const form: LiveForm = {
    refusal: FORM,
    async otherwise({ result, rate }) {
      if (result.kind !== 'refusal' || result.failure.detail.reason !== NOT_FOLLOWED) return false;
      const call = { ...graphqlCall(request), ...callerParts(request, reply), ...asked, admitted: rate ?? undefined };
      // What ends at once is JSON, whatever is accepted.
      await sendOutcome(FORM, await serve(call), request, reply);
      return true;
    },
    open: () => null,
    heartbeat: () => null,
    event(_index, event) {
      if (event.kind === 'end') return { event: 'next', data: resultText(event.outcome, baseUrl) };
      const { followed, outcome, position } = event;
      if (followed.items === 0 && !followed.gap) return null;
      return { event: 'next', id: live.positions.encode([position]), data: resultText(outcome, baseUrl) };
    },
    close: () => COMPLETE,
  };
  // What is left of the budget is worked out for each call.
  const parse = () => ({ ...asked.parse(), budget: null });
  const call = { ...graphqlCall(request), mayBeKeyless: false, document: asked.document, parse };
  const { query, documentId, operationName, variables, extensions } = params;
  const which = JSON.stringify([query, documentId, operationName, variables, extensions?.persistedQuery]);
  const lists = [{ call, asked: digestText(which), from }];
  return answerLive(live, { lists, isResumed, budget: new LiveBudget({ inAll: budget }), form }, request, reply);
}
