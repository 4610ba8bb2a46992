import type { CallToolResult } from '@modelcontextprotocol/server';
import { toCredits } from '../../src/domain/credits.js';
import { asServiceError, type ServiceError } from '../../src/domain/errors.js';
import type { Answer, Outcome } from '../../src/serve/call.js';
import type { Piece } from '../http/bodies/encodings.js';
import { errorBody } from '../http/failure.js';
import { buildEnvelope, estimateEnvelope } from '../rest/envelope.js';
import { adviceOn } from './advice.js';
import { RenderedResult, renderResult } from './rendered-result.js';
import { costLine, formatEnvelope, type ToolEnvelope } from './text.js';

/**
 * Takes the members of a result as they are written, `"content":…,"structuredContent":…`, to be sent later, and returns
 * what stands in for them until then.
 */
export type SendLater = (members: readonly Piece[]) => CallToolResult;

/** An outcome as a tool's result: the envelope of REST, or a failure with the same code (A19). */
export function toToolResult({ result, requestId }: Outcome, sendLater: SendLater): CallToolResult {
  if (result.kind === 'refusal') return failed(result.failure, requestId);
  try {
    return result.estimate ? estimated(result, requestId) : sendLater(resultPieces(result, requestId));
  } catch (error) {
    return failed(asServiceError(error), requestId);
  }
}

function estimated(answer: Answer, requestId: string): CallToolResult {
  const envelope = JSON.parse(estimateEnvelope(answer, requestId, [])) as ToolEnvelope;
  return { content: [{ type: 'text', text: formatEnvelope(envelope) }], structuredContent: { ...envelope } };
}

/** What is the call's own is at the end of the text and at the end of the envelope. */
function resultPieces(answer: Answer, requestId: string): Piece[] {
  const rendered = answer.rendered instanceof RenderedResult ? answer.rendered : renderResult(answer);
  const { shared, own } = buildEnvelope({ ...answer, rendered }, requestId, []);
  const money = costLine({
    request_id: requestId,
    credits_charged: toCredits(answer.charge.amount),
    balance_remaining: toCredits(answer.balance ?? 0),
    cache: answer.charge.cache,
  });
  return [
    Buffer.from('"content":[{"type":"text","text":"'),
    rendered.lines,
    Buffer.from(`${JSON.stringify(money).slice(1)}}],"structuredContent":`),
    shared,
    own,
  ];
}

function failed(failure: ServiceError, requestId: string): CallToolResult {
  const lines = [
    `${failure.code}: ${failure.message}`,
    adviceOn(failure),
    `${failure.isChargeUnknown ? '' : 'Nothing was charged. '}Request ${requestId}.`,
  ];
  return {
    isError: true,
    content: [{ type: 'text', text: lines.join('\n') }],
    structuredContent: errorBody(failure, requestId),
  };
}
