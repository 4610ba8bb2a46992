import type { FastifyReply, FastifyRequest } from 'fastify';
import { asServiceError } from '../../src/domain/errors.js';
import { digestText } from '../../src/lib/digest.js';
import { LiveBudget, type LiveLimits, type Spent, spentMore } from '../../src/live/budget.js';
import type { Live, LiveEvent } from '../../src/live/live.js';
import type { Outcome } from '../../src/serve/call.js';
import { NOT_FOLLOWED, type Serve } from '../../src/serve/serve.js';
import { answerLive, type LiveForm, readStart } from '../http/live/answer-live.js';
import { HEARTBEAT_MS } from '../http/live/event-stream.js';
import { sendOutcome } from '../http/outcome.js';
import { callerParts } from '../http/request.js';
import { FORM, refuse, shown } from './answer.js';
import { type GraphqlParams, limitsOfParams, parseDryRun, parseHeartbeats } from './params.js';
import { graphqlCall, toOperation } from './request.js';
import { renderedBody, toResult } from './result.js';

/** A result as the value of an event, on one line. */
function resultText(outcome: Outcome, baseUrl: string): string {
  const body = renderedBody(outcome);
  if (body) return body.shared.bytes.toString() + body.own.toString();
  const result = toResult(outcome, baseUrl);
  return (result.stringify ?? JSON.stringify)(shown(result));
}

const COMPLETE = { event: 'complete', data: '' } as const;

/** The position of a subscription, for clients that do not see event ids, and how its list is read. */
function liveExtension(position: string, checked: Extract<LiveEvent, { followed: unknown }>['checked']): string {
  const { at, everyMs, failed } = checked();
  return JSON.stringify({
    position,
    heartbeat_seconds: HEARTBEAT_MS / 1000,
    checked_at: new Date(at).toISOString(),
    every_seconds: Math.round(everyMs / 1000),
    ...(failed !== null && { failed }),
  });
}

/** Writes the results of a subscription as events of the `graphql-sse` protocol. */
function createForm(
  live: Live,
  baseUrl: string,
  { wantsHeartbeats, before }: { readonly wantsHeartbeats: boolean; readonly before: Spent },
): Pick<LiveForm, 'event' | 'heartbeat'> {
  let spent = before;
  let latest: Parameters<typeof liveExtension> | undefined;
  /** The name of the subscription's field in results. */
  let field: string | undefined;
  return {
    event(_index, event) {
      if (event.kind === 'end') return { event: 'next', data: resultText(event.outcome, baseUrl) };
      spent = spentMore(spent, event.spent, Date.now());
      const id = live.positions.encode([event.position], spent);
      latest = [id, event.checked];
      const text = resultText(event.outcome, baseUrl);
      field ??= Object.keys((JSON.parse(text) as { data: object }).data)[0];
      // A result ends with its extensions, so two closing braces are cut off and written again below.
      const data = `${text.slice(0, -2)},"live":${liveExtension(...latest)}}}`;
      return { event: 'next', id, data };
    },
    heartbeat() {
      if (!wantsHeartbeats || latest === undefined || field === undefined) return null;
      // Sent as a result, because clients read nothing else. The field is null: an empty page would replace the last
      // one.
      const data = `{"data":{${JSON.stringify(field)}:null},"extensions":{"live":${liveExtension(...latest)}}}`;
      return { event: 'next', data };
    },
  };
}

/**
 * Answers a client that reads server-sent events by the `graphql-sse` protocol, in its distinct connections mode:
 * `next` for each result, `complete` at the end. A subscription is followed, and the id of each event is its position.
 */
export async function answerEvents(
  { live, serve }: { readonly live: Live; readonly serve: Serve },
  params: GraphqlParams,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const operation = toOperation(params, request);
  const answerOnce = async (rate: Outcome['rate'] = null): Promise<FastifyReply> => {
    const call = { ...graphqlCall(request), ...callerParts(request, reply), ...operation, admitted: rate ?? undefined };
    return sendOutcome(FORM, await serve(call), request, reply);
  };
  let start: ReturnType<typeof readStart>;
  let limits: LiveLimits;
  let wantsHeartbeats: boolean;
  try {
    start = readStart(live, request, null, 1);
    limits = limitsOfParams(params, request.headers['x-max-credits']);
    wantsHeartbeats = parseHeartbeats(params);
    if (parseDryRun(params)) return answerOnce();
  } catch (error) {
    return refuse(serve, request, reply, asServiceError(error));
  }
  const { positions, isResumed, spent } = start;
  const [from] = positions;
  if (from === undefined) throw new TypeError('A stream has a list.');
  const form: LiveForm = {
    refusal: FORM,
    async otherwise({ result, rate }) {
      if (result.kind !== 'refusal' || result.failure.detail.reason !== NOT_FOLLOWED) return false;
      // Queries and mutations are answered with JSON, whatever the client accepts.
      await answerOnce(rate);
      return true;
    },
    open: () => null,
    ...createForm(live, request.server.baseUrl, { wantsHeartbeats, before: spent }),
    close: () => COMPLETE,
  };
  // No budget here: the stream computes what is left for each call.
  const parse = () => ({ ...operation.parse(), budget: null });
  const call = { ...graphqlCall(request), mayBeKeyless: false, document: operation.document, parse };
  const { query, documentId, operationName, variables, extensions } = params;
  const which = JSON.stringify([query, documentId, operationName, variables, extensions?.persistedQuery]);
  const lists = [{ call, queryKey: digestText(which), from }];
  return answerLive(live, { lists, isResumed, budget: new LiveBudget({ ...limits, spent }), form }, request, reply);
}
