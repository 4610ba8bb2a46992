import type { CallToolResult } from '@modelcontextprotocol/server';
import { asServiceError, type ServiceError } from '../../src/core/errors.js';
import type { Outcome } from '../../src/serve/call.js';
import { errorBody } from '../http/failure.js';
import { bodyText } from '../http/shared-body.js';
import { envelopeOf, estimateEnvelope } from '../rest/envelope.js';
import { adviceOn } from './advice.js';
import { type ToolEnvelope, textOf } from './text.js';

/** An outcome as a tool's result: the envelope of REST, or a failure with the same code (A19). */
export function resultOf({ result, requestId }: Outcome): CallToolResult {
  if (result.kind === 'refusal') return failed(result.failure, requestId);
  try {
    const text = result.estimate
      ? estimateEnvelope(result, requestId, [])
      : bodyText(envelopeOf(result, requestId, []));
    const envelope = JSON.parse(text) as ToolEnvelope;
    return { content: [{ type: 'text', text: textOf(envelope) }], structuredContent: { ...envelope } };
  } catch (error) {
    return failed(asServiceError(error), requestId);
  }
}

function failed(failure: ServiceError, requestId: string): CallToolResult {
  const lines = [
    `${failure.code}: ${failure.message}`,
    adviceOn(failure),
    `Nothing was charged. Request ${requestId}.`,
  ];
  return {
    isError: true,
    content: [{ type: 'text', text: lines.join('\n') }],
    structuredContent: errorBody(failure, requestId),
  };
}
