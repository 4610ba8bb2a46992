import { type ExecutionResult, GraphQLError } from 'graphql';
import { toCredits } from '../../src/domain/credits.js';
import { ServiceError } from '../../src/domain/errors.js';
import type { Answer, Outcome, Refusal } from '../../src/serve/call.js';
import { fieldFailure } from '../../src/serve/execute.js';
import { Rendered } from '../../src/serve/rendered.js';
import type { SharedBody } from '../http/bodies/shared-body.js';
import { failureMembers, refusedBody } from '../http/failure.js';

/** What GraphQL calls the parameters that failures name as REST does. */
const PARAMETERS: ReadonlyMap<string, string> = new Map([
  ['cursor', 'after'],
  ['since', 'since'],
  ['max_credits', 'maxCredits'],
  ['max_credits_per_day', 'maxCreditsPerDay'],
  ['webhook_url', 'webhookUrl'],
  ['idempotency_key', 'idempotencyKey'],
]);

/** The words for them in messages, and for where a cursor comes from. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['next_cursor', 'endCursor'],
  ['since_cursor', 'sinceCursor'],
  ['max_credits', 'extensions.maxCredits'],
  ['max_credits_per_day', 'maxCreditsPerDay'],
  ['Idempotency-Key', 'idempotencyKey'],
]);

/** A result that may bring its own JSON, in Yoga's form. */
export interface Result extends ExecutionResult {
  readonly stringify?: (result: ExecutionResult) => string;
}

/**
 * An outcome as GraphQL reports it: charges in `extensions.credits`, failures with the interface's codes and statuses.
 * `baseUrl` is the address of the pages about codes.
 */
export function toResult({ requestId, result }: Outcome, baseUrl: string): Result {
  return result.kind === 'refusal' ? refused(result, requestId, baseUrl) : answered(result, requestId, baseUrl);
}

/**
 * The part that calls with the same answer share: everything before the balance and the request id, which end the body.
 */
export const renderResult = ({ data, charge }: Answer): Rendered => {
  const credits = JSON.stringify(creditsExtension(charge)).slice(0, -1);
  return new Rendered(Buffer.from(`{"data":${JSON.stringify(data)},"extensions":{"credits":${credits}`));
};

/** The body of an answer that was rendered; undefined for any other outcome. */
export function renderedBody({ requestId, result }: Outcome): SharedBody | undefined {
  if (result.kind === 'refusal' || !result.rendered) return undefined;
  const own = `,"remaining":${remainingCredits(result)}},"request_id":${JSON.stringify(requestId)}}}`;
  return { shared: result.rendered, own: Buffer.from(own) };
}

const remainingCredits = ({ balance }: Answer): number | null => (balance === null ? null : toCredits(balance));

const creditsExtension = (charge: Answer['charge']) => ({
  charged: toCredits(charge.amount),
  cache: charge.cache,
  ...(charge.cuts && { truncated: charge.cuts }),
  breakdown: charge.lines.map(({ path, items, unitPrice, cache }) => ({
    path,
    items,
    unit: toCredits(unitPrice),
    cache,
    charged: toCredits(items * unitPrice),
  })),
});

function answered(answer: Answer, requestId: string, baseUrl: string): Result {
  const { charge, estimate, dataText } = answer;
  const credits = { ...creditsExtension(charge), remaining: remainingCredits(answer) };
  if (estimate) {
    const { maxItems, maxAmount, refused } = estimate;
    const priced = {
      max_items: maxItems,
      max_credits: toCredits(maxAmount),
      ...refusedBody(refused && withGraphqlNames(refused)),
    };
    return { data: null, extensions: { estimate: priced, credits, request_id: requestId } };
  }
  return {
    data: answer.data,
    ...(answer.errors.length > 0 && { errors: answer.errors.map((error) => fieldError(error, baseUrl)) }),
    extensions: { credits, request_id: requestId },
    ...(dataText !== undefined && {
      stringify: ({ data: _, ...rest }) => `{"data":${dataText},${JSON.stringify(rest).slice(1)}`,
    }),
  };
}

/**
 * A failed field: null in the data, and free. Messages of internal errors are not shown. Only the path says where it
 * failed, because not every executor knows the location in the document.
 */
const fieldError = (error: GraphQLError, baseUrl: string): GraphQLError => {
  const failure = withGraphqlNames(fieldFailure(error));
  return new GraphQLError(failure.message, {
    ...(error.path && { path: error.path }),
    extensions: failureMembers(failure, baseUrl),
  });
};

function refused(refusal: Refusal, requestId: string, baseUrl: string): ExecutionResult {
  const { errors = [] } = refusal;
  const failure = withGraphqlNames(refusal.failure);
  const members = failureMembers(failure, baseUrl);
  const http = toHttpExtension(failure, errors.length > 0);
  const said = errors.map(
    (error) =>
      new GraphQLError(error.message, {
        ...(error.nodes && { nodes: error.nodes }),
        ...(error.source && { source: error.source }),
        ...(error.positions && { positions: error.positions }),
        // Errors with a code of the protocol itself have no page.
        extensions: { ...(error.extensions.code === undefined && members), ...error.extensions, http },
      }),
  );
  const all = said.length > 0 ? said : [new GraphQLError(failure.message, { extensions: { ...members, http } })];
  return { errors: all, extensions: { request_id: requestId } };
}

/** The HTTP part of a refusal before execution, in the form of Yoga's extension. */
const toHttpExtension = (failure: ServiceError, inDocument: boolean) => ({
  status: failure.status,
  // With plain JSON, an invalid document gets 200, as the protocol says.
  ...(inDocument && { spec: true }),
});

/** A failure with GraphQL's names. Only messages about these parameters are changed: others may quote the caller's text. */
function withGraphqlNames(failure: ServiceError): ServiceError {
  const { code, message, detail } = failure;
  const param = PARAMETERS.get(detail.param ?? '');
  if (param === undefined) return failure;
  return new ServiceError(
    code,
    message.replaceAll(/[\w-]+/g, (word) => WORDS.get(word) ?? word),
    { ...detail, param },
  );
}
