import { truncated } from '../lib/text.js';

/** Longest description, in characters: it may quote what a client sent, and may become part of an address. */
const MOST_DESCRIPTION = 500;

/** The codes of RFC 6749 5.2, RFC 7009, RFC 7591 3.2.2 and RFC 8707 that are used here. */
export type OAuthErrorCode =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_client_metadata'
  | 'invalid_grant'
  | 'invalid_redirect_uri'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'unsupported_grant_type'
  | 'unsupported_response_type';

/** An error that a client can cause, reported in OAuth's form, `{error, error_description}`. The message is public. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  readonly status: number;
  /** Seconds; undefined if waiting does not help. */
  readonly retryAfter: number | undefined;

  constructor(code: OAuthErrorCode, message: string, status = 400, retryAfter?: number) {
    super(truncated(message, MOST_DESCRIPTION));
    this.name = 'OAuthError';
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}
