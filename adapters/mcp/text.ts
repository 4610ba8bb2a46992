import { counted, figure, inCredits } from '../../src/domain/figures.js';

/** The members of an envelope that are described as text. */
export interface ToolEnvelope {
  readonly data?: unknown;
  readonly request_id: string;
  readonly credits_charged: number;
  readonly balance_remaining: number;
  readonly cache?: string;
  readonly next_cursor?: string;
  readonly since_cursor?: string;
  readonly has_newer?: boolean;
  readonly gap?: boolean;
  readonly truncated?: string;
  readonly end_reason?: string;
  readonly errors?: readonly { readonly input: string; readonly code: string; readonly message: string }[];
  readonly estimate?: {
    readonly max_items: number;
    readonly max_credits: number;
    readonly refused?: { readonly message: string };
  };
}

/**
 * The members of paid answers that are described in words, or are only for programs. All other members are printed as
 * they are.
 */
const KNOWN: ReadonlySet<string> = new Set([
  ...['data', 'request_id', 'credits_charged', 'balance_remaining', 'cache', 'next_cursor', 'truncated'],
  ...['since_cursor', 'has_newer', 'gap', 'end_reason', 'errors', 'estimate', 'items', 'cache_hits', 'fetched_at'],
]);

/** Why a page is short although more remains, and what follows from that. */
const TRUNCATED: Readonly<Record<string, string>> = {
  no_credits: 'Trimmed: the wallet does not cover more. Tell the user that more credits are needed.',
  max_credits: 'Trimmed to `max_credits`.',
  key_cap: 'Trimmed: this key has reached its spend cap. Only the user can raise it.',
  sparse: 'This page is short, but not the last.',
};

/**
 * A result for readers that see only text: each item on a line, then the cost. `structuredContent` has the full answer.
 */
export const formatEnvelope = (envelope: ToolEnvelope): string =>
  [...sharedLines(envelope), costLine(envelope)].join('\n');

/** The warning comes first, because clients that cut off results keep their beginning (A40). */
export const largeResult = (tokens: number): string =>
  `Large: about ${figure(Math.round(tokens / 1000) * 1000)} tokens. If your client cuts this off, request less at a time: a smaller \`count\` and then \`next_cursor\`, or fewer inputs. What was read is cached, at half price.`;

/** The lines that do not depend on the call. */
export function sharedLines(envelope: ToolEnvelope): string[] {
  const { data, errors = [], next_cursor: cursor, truncated, end_reason: end } = envelope;
  const { since_cursor: since, has_newer: hasNewer, gap = false } = envelope;
  return [
    ...(gap ? ['Items may be missing between the earlier result and these.'] : []),
    ...(data === undefined ? [] : itemLines(data, hasNewer === undefined ? 'found' : 'new')),
    ...otherLines(envelope),
    ...errors.map(({ input, code, message }) => `No result for ${oneLine(input)}: ${code}. ${oneLine(message)}`),
    ...(truncated === undefined ? [] : [TRUNCATED[truncated] ?? `Trimmed: ${truncated}.`]),
    ...(end === undefined ? [] : [`The list ends here, because the network does not go back any further: ${end}.`]),
    ...(cursor === undefined ? [] : [`There is more: call again with cursor ${JSON.stringify(cursor)}.`]),
    ...(since === undefined ? [] : [`${newerWords(hasNewer)} with since ${JSON.stringify(since)}.`]),
  ];
}

const newerWords = (isThere = false): string =>
  isThere ? 'There are more new items: call again' : 'For newer items later: call again';

function otherLines(envelope: ToolEnvelope): string[] {
  const rest = Object.entries(envelope).filter(([name]) => !KNOWN.has(name));
  return rest.length === 0 ? [] : [oneLine(JSON.stringify(Object.fromEntries(rest)))];
}

/** How the price is explained where it is not the full price. */
const RATES: Readonly<Record<string, string>> = { hit: ' (cached: half price)', bypass: ' (`fresh`: double price)' };

/** The last line: what the call cost, and what is left in the wallet. */
export function costLine(envelope: ToolEnvelope): string {
  const { estimate, request_id: id, credits_charged: charged, balance_remaining: left, cache } = envelope;
  if (estimate) {
    const { max_items: items, max_credits: most, refused } = estimate;
    const however = refused ? ` It would be refused: ${refused.message}` : '';
    return `This call would cost at most ${inCredits(most)}, for at most ${counted(items, 'item')}. Nothing was read or charged; ${inCredits(left)} left.${however}`;
  }
  if (charged === 0) return `Charged 0 credits; ${figure(left)} left.`;
  return `Charged ${inCredits(charged)}${RATES[cache ?? ''] ?? ''}; ${figure(left)} left. Request ${id}.`;
}

function itemLines(data: unknown, expected: 'found' | 'new'): string[] {
  if (!Array.isArray(data)) return [itemLine(data)];
  if (data.length === 0) return [`Nothing ${expected}.`];
  if (data.every((item) => typeof item === 'string')) return [`${counted(data.length, 'id')}: ${data.join(' ')}`];
  return data.map(itemLine);
}

type Members = Readonly<Record<string, unknown>>;

function itemLine(value: unknown): string {
  const item = value as Members;
  if (typeof item.text === 'string') return tweetLine(item);
  if (typeof item.handle === 'string') return userLine(item);
  return oneLine(JSON.stringify(value));
}

/** Other tweets that a tweet refers to, by id: a reader needs the ids to read them. */
const REFERENCES: readonly (readonly [member: string, words: string])[] = [
  ['in_reply_to_id', 'replies to'],
  ['quoted_id', 'quotes'],
  ['retweeted_id', 'retweets'],
];

function tweetLine(tweet: Members): string {
  const author = (tweet.author as Members | undefined)?.handle ?? tweet.author_id;
  const refers = REFERENCES.flatMap(([member, words]) => (tweet[member] ? [`${words} ${tweet[member]}`] : []));
  const known = [...refers, ...countLabels(tweet, ['likes', 'retweets', 'replies', 'quotes'])];
  return `${tweet.id} @${author} ${tweet.created_at ?? ''}: ${oneLine(tweet.text)}${inBrackets(known)}`;
}

function userLine(user: Members): string {
  const bio = user.bio === undefined ? '' : `: ${oneLine(user.bio)}`;
  const hidden: unknown = user.unknown_counts;
  const names = ['followers', 'following', 'tweets'].filter(
    (name) => !(Array.isArray(hidden) && hidden.includes(name)),
  );
  const known = countLabels(user, names);
  return `@${user.handle} (id ${user.id}) ${oneLine(user.name ?? '')}${bio}${inBrackets(known)}`;
}

/** Text written by strangers stays on its own line. */
const oneLine = (text: unknown): string =>
  String(text)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();

const countLabels = (item: Members, names: readonly string[]): string[] =>
  names.filter((name) => typeof item[name] === 'number').map((name) => `${item[name]} ${name}`);

const inBrackets = (known: readonly string[]): string => (known.length === 0 ? '' : ` [${known.join(', ')}]`);
