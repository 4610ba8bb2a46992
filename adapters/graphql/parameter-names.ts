import { ServiceError } from '../../src/domain/errors.js';

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

/** A failure with GraphQL's names. Only messages about these parameters are changed: others may quote the caller's text. */
export function withGraphqlNames(failure: ServiceError): ServiceError {
  const { code, message, detail } = failure;
  const param = PARAMETERS.get(detail.param ?? '');
  if (param === undefined) return failure;
  return new ServiceError(
    code,
    message.replaceAll(/[\w-]+/g, (word) => WORDS.get(word) ?? word),
    { ...detail, param },
  );
}
