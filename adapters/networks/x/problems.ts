import { expiredCursor, ServiceError } from '../../../src/domain/errors.js';
import type { Product } from '../../../src/domain/model.js';
import { sentence } from '../../../src/lib/text.js';
import { failure } from '../upstream/failures.js';
import type { UpstreamRefusal } from '../upstream/refusal.js';
import { type Problem, refusalSchema } from './schemas.js';

/** What a request reads, as far as this affects the meaning of refusals. */
export type RequestedInput =
  /** Objects by id or name, and timelines: every enrolled application may read these. */
  | { readonly kind: 'objects' }
  /** Lists that X withholds from some applications. */
  | { readonly kind: 'list' }
  | {
      readonly kind: 'search';
      readonly product: Product;
      /** The query is not the caller's, so a fault in it is Perch's. */
      readonly isOurs?: boolean;
      /** A page after the first: X accepted the query, but its range may have become too old since. */
      readonly isBegun?: boolean;
    };

/** What a failure is about; `object`: either a user or a tweet. */
type Subject = 'user' | 'tweet' | 'object';

/** Problems are identified by the end of their type, because the beginning was renamed with the vocabulary. */
const problemType = ({ type }: { type?: string | null | undefined }): string => type?.split('/').at(-1) ?? '';

/** The problem types of objects that are not visible, with the reason. */
const GONE: Readonly<Record<string, string | undefined>> = {
  'resource-not-found': undefined,
  'not-authorized-for-resource': 'private',
  'disallowed-resource': 'withheld',
  'resource-unavailable': 'unavailable',
};

/** The failure for a problem with the requested object. */
export function problemFailure(problem: Problem, what: Subject): ServiceError {
  const type = problemType(problem);
  if (!Object.hasOwn(GONE, type)) {
    return new ServiceError('upstream_error', 'The network did not return this object.', { cause: problem });
  }
  // Suspended accounts have the title "Forbidden" and the type for "not found".
  const isSuspended = /\bsuspended\b/i.test(problem.detail ?? '');
  const reason = isSuspended ? 'suspended' : GONE[type];
  if (reason === 'private') return privateFailure(what, problem);
  const message = isSuspended ? 'The account is suspended.' : (MESSAGES[reason ?? ''] ?? `No such ${what}.`);
  return new ServiceError('not_found', message, {
    ...(reason && { reason }),
    isOfAccount: isSuspended,
    cause: problem,
  });
}

const PRIVATE: Readonly<Record<Subject, string>> = {
  user: 'This account is protected.',
  tweet: 'The tweet is private: its author is protected.',
  object: 'This is private: the account is protected.',
};

export const privateFailure = (what: Subject, cause?: Problem): ServiceError =>
  new ServiceError('not_found', PRIVATE[what], { reason: 'private', isOfAccount: true, ...(cause && { cause }) });

const MESSAGES: Readonly<Record<string, string | undefined>> = {
  withheld: 'The network withholds it.',
  unavailable: 'The network does not show it.',
};

/** Problems that explain why a requested object is missing; others concern included objects. */
export const isOfInput = ({ parameter, section }: Problem): boolean =>
  section !== 'includes' && ['id', 'ids', 'username', 'usernames'].includes(parameter ?? '');

const SOON_S = 5;
const CREDITS_S = 300;
const NOT_ENROLLED_S = 900;
const CAP_S = 3600;

/** The failure for a refusal with a meaning specific to X; undefined for any other refusal. */
export function refusalFailure(refusal: UpstreamRefusal, input: RequestedInput): ServiceError | undefined {
  const parsed = refusalSchema.safeParse(refusal.json);
  const body = parsed.success ? parsed.data : undefined;
  const noAccount = (message: string, retryAfter: number) => failure('no_account', message, refusal, { retryAfter });
  const isOfObject =
    body && (refusal.status === 403 || refusal.status === 404) && Object.hasOwn(GONE, problemType(body));
  if (isOfObject && input.kind !== 'search') return problemFailure(body, 'object');
  switch (refusal.status) {
    case 400:
      return body && badInput(body, input, refusal);
    case 402:
      return noAccount('Our account with the network has run out of credits.', CREDITS_S);
    case 403:
      if (/spend cap/i.test(body?.detail ?? ''))
        return noAccount('Our account with the network has reached its cap.', CAP_S);
      return notAllowed(
        refusal,
        input,
        body?.reason === 'client-not-enrolled' || problemType(body ?? {}) === 'client-forbidden',
      );
    case 404:
      // A problem concerns the object; anything else means that the path no longer exists.
      if (body?.title || body?.type) return undefined;
      return failure('query_id_stale', 'The network no longer offers this read.', refusal);
    case 429:
      if (body && problemType(body) === 'usage-capped')
        return noAccount('Our account with the network has reached its cap.', CAP_S);
      // If calls are left, too many were made at once (the archive allows one a second), not too many in the window.
      if (!refusal.limit?.remaining) return undefined;
      return failure('upstream_rate_limited', 'The network has rate limited Perch. Nothing was charged.', refusal, {
        retryAfter: SOON_S,
      });
    default:
      return undefined;
  }
}

const TOKENS = ['next_token', 'pagination_token'];
const OF_RANGE = ['start_time', 'end_time', 'since_id', 'until_id'];
const OF_QUERY = ['query', ...OF_RANGE];

/**
 * A 400 is the caller's fault if it concerns the query, or a cursor that is too old. Otherwise Perch sent a wrong
 * request.
 */
function badInput(
  body: ReturnType<typeof refusalSchema.parse>,
  input: RequestedInput,
  refusal: UpstreamRefusal,
): ServiceError | undefined {
  const parameters = (body.errors ?? []).flatMap((each) => Object.keys(each.parameters ?? {}));
  const isBegun = input.kind === 'search' && input.isBegun;
  const ofCursor = isBegun ? [...TOKENS, ...OF_RANGE] : TOKENS;
  if (parameters.some((name) => ofCursor.includes(name))) {
    return expiredCursor('The network no longer accepts this cursor');
  }
  if (input.kind !== 'search' || input.isOurs || !parameters.some((name) => OF_QUERY.includes(name))) return undefined;
  const message = body.errors?.[0]?.message ?? body.detail ?? 'the query is invalid';
  return new ServiceError('bad_request', `The network rejected q: ${sentence(message)}`, {
    param: 'q',
    cause: refusal.text,
  });
}

/** 403: these credentials may not read this (P15). If every application may read it, the credentials are useless. */
function notAllowed(refusal: UpstreamRefusal, input: RequestedInput, isNotEnrolled: boolean): ServiceError {
  if (input.kind === 'search' && input.product !== 'Latest') {
    return failure('product_unavailable', `Our network session has no access to ${input.product} search.`, refusal);
  }
  if (isNotEnrolled && input.kind === 'objects') {
    return failure('no_account', 'Our application is not enrolled with the network.', refusal, {
      retryAfter: NOT_ENROLLED_S,
    });
  }
  return failure('access_denied', 'Our network session has no access to this.', refusal, { reason: 'session' });
}
