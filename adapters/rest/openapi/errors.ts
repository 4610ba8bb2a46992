import { ERROR_CODES } from '../../../src/domain/errors.js';
import { refTo } from './schema-text.js';
import type { JsonSchema } from './types.js';

const REQUEST_ID: JsonSchema = { type: 'string', format: 'uuid', description: 'Include it in support requests.' };

const CREDITS_CHARGED: JsonSchema = {
  type: 'number',
  description:
    '0: failed requests are not charged. Absent if `error.reason` is `charge_unknown`: look the receipt up before you repeat the request.',
};

/** The standard shape of a failure, and its RFC 9457 form (section 7); `adapters/http/failure.ts` writes both. */
export const ERROR_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  ErrorBody: {
    description: 'What went wrong.',
    type: 'object',
    required: ['code', 'message'],
    properties: {
      code: {
        type: 'string',
        enum: Object.keys(ERROR_CODES),
        description: 'Stable and machine-readable: match on this, never on `message`.',
      },
      message: { type: 'string', description: 'Human-readable; the wording may change.' },
      reason: {
        type: 'string',
        description: 'A more specific reason, such as `private`, `suspended`, `unknown`, `max_credits` or `key_cap`.',
      },
      param: { type: 'string', description: 'The parameter that caused the error.' },
      place: {
        type: 'object',
        description: 'Where the error is in a search query.',
        required: ['text', 'position'],
        properties: {
          text: { type: 'string', description: 'The query, or the part of it around the error.' },
          position: {
            type: 'integer',
            format: 'int32',
            description: 'Position of the error in `text`, in characters counted from 1.',
          },
        },
      },
      retry_after: {
        type: 'integer',
        format: 'int32',
        description: 'Seconds to wait before retrying, as in `Retry-After`.',
      },
      doc_url: { type: 'string', format: 'uri', description: 'URL of the page that describes the code.' },
    },
  },
  Error: {
    description: 'Any failure.',
    type: 'object',
    required: ['error', 'request_id'],
    properties: { error: refTo('schemas', 'ErrorBody'), request_id: REQUEST_ID, credits_charged: CREDITS_CHARGED },
  },
  Problem: {
    description: 'The same failure in RFC 9457 format, for callers that accept `application/problem+json`.',
    type: 'object',
    required: ['type', 'title', 'status', 'code', 'request_id'],
    properties: {
      type: { type: 'string', format: 'uri', description: 'URL of a page that describes the code.' },
      title: { type: 'string', description: 'The same for every failure with this code.' },
      status: { type: 'integer', format: 'int32', description: 'The HTTP status.' },
      detail: { type: 'string', description: 'The same text as `error.message`.' },
      code: { type: 'string', enum: Object.keys(ERROR_CODES), description: 'The same as `error.code`.' },
      request_id: REQUEST_ID,
      error: refTo('schemas', 'ErrorBody'),
      credits_charged: CREDITS_CHARGED,
    },
  },
};
