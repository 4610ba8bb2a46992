import { parseCredits } from '../../../../src/domain/credits.js';
import { badRequest } from '../../../../src/domain/errors.js';
import { FOLLOWED_READS, subjectParameter } from '../../../../src/domain/lists.js';
import type { WatchRecord, WatchRequest } from '../../../../src/ports/watches.js';

/** The input exactly as it was typed. */
export interface WatchInput {
  /** The list, named by the parameter for its subject. */
  readonly list: string;
  readonly subject: string;
  readonly webhookUrl: string;
  readonly dailyLimit: string;
  readonly keyId: string;
}

export const EMPTY_WATCH: WatchInput = { list: 'user', subject: '', webhookUrl: '', dailyLimit: '', keyId: '' };

/** The lists that can be watched, keyed by the parameter for their subject. */
export const WATCHED_LISTS: Readonly<Record<string, string>> = {
  user: 'Tweets of a user',
  q: 'Results of a search',
  replies: 'Replies to a tweet',
  quotes: 'Quotes of a tweet',
};

const parameterOf = ({ kind }: Pick<WatchRecord, 'kind'>): string =>
  FOLLOWED_READS.filter((read) => read.kind === kind).map(subjectParameter)[0] ?? kind;

/** "Tweets of a user: harbor_obs". */
export const watchText = (watch: Pick<WatchRecord, 'kind' | 'subject'>): string =>
  `${WATCHED_LISTS[parameterOf(watch)] ?? parameterOf(watch)}: ${watch.subject}`;

export const watchIn = (form: URLSearchParams): WatchInput => ({
  list: form.get('list') ?? '',
  subject: form.get('subject') ?? '',
  webhookUrl: form.get('webhook_url') ?? '',
  dailyLimit: form.get('max_credits_per_day') ?? '',
  keyId: form.get('key') ?? '',
});

/** Throws `bad_request` with the field and a message for the customer. */
export function readWatchForm({ list, subject, webhookUrl, dailyLimit }: WatchInput): WatchRequest {
  if (!Object.hasOwn(WATCHED_LISTS, list)) throw badRequest('Choose what to watch.', 'list');
  if (subject.trim() === '') throw badRequest('Enter a handle, a search or the id of a tweet.', 'subject');
  if (webhookUrl.trim() === '') throw badRequest('Enter the https address that new items are sent to.', 'webhook_url');
  return {
    subjects: { [list]: subject.trim() },
    webhookUrl: webhookUrl.trim(),
    dailyLimit: readLimit(dailyLimit.trim().replaceAll(',', '')),
  };
}

function readLimit(text: string): number | null {
  if (text === '') return null;
  const limit = parseCredits(text);
  if (limit !== undefined && limit > 0) return limit;
  throw badRequest(
    'Enter a number of credits greater than zero with at most three decimals, such as 500, or nothing for no limit.',
    'max_credits_per_day',
  );
}
