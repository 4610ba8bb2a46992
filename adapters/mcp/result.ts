import { toCredits } from '../../src/domain/credits.js';
import type { ServiceError } from '../../src/domain/errors.js';
import type { Answer, Outcome } from '../../src/serve/call.js';
import type { Piece } from '../http/bodies/encodings.js';
import { errorBody } from '../http/failure.js';
import { buildEnvelope, estimateEnvelope } from '../rest/envelope.js';
import { adviceOn } from './advice.js';
import { RenderedResult, renderResult } from './rendered-result.js';
import { costLine, formatEnvelope, type ToolEnvelope } from './text.js';

/**
 * The members of a tool's result as they are written, `"content":…,"structuredContent":…`: the envelope of REST, or a
 * failure with the same code (A19). Throws where an answer's field failed.
 */
export function resultMembers({ result, requestId }: Outcome, baseUrl: string): readonly Piece[] {
  if (result.kind === 'refusal') return written(failed(result.failure, requestId, baseUrl));
  return result.estimate ? written(estimated(result, requestId)) : resultPieces(result, requestId);
}

const written = (result: object): Buffer[] => [Buffer.from(JSON.stringify(result).slice(1, -1))];

function estimated(answer: Answer, requestId: string): object {
  const envelope = JSON.parse(estimateEnvelope(answer, requestId, [])) as ToolEnvelope;
  return { content: [{ type: 'text', text: formatEnvelope(envelope) }], structuredContent: { ...envelope } };
}

/** The figures of the call itself are at the end of the text and at the end of the envelope. */
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

function failed(failure: ServiceError, requestId: string, baseUrl: string): object {
  const { code, message, isChargeUnknown } = failure;
  const isSaid = isChargeUnknown || /nothing was charged/i.test(message);
  const lines = [
    `${code}: ${message}`,
    adviceOn(failure),
    `${isSaid ? '' : 'Nothing was charged. '}Request ${requestId}.`,
  ];
  return {
    isError: true,
    content: [{ type: 'text', text: lines.join('\n') }],
    structuredContent: errorBody(failure, requestId, baseUrl),
  };
}
