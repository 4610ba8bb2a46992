/** What an envelope may hold, as far as it is told in words. */
export interface Told {
  readonly data?: unknown;
  readonly credits_charged: number;
  readonly balance_remaining: number;
  readonly cache?: string;
  readonly next_cursor?: string;
  readonly truncated?: string;
  readonly end_reason?: string;
  readonly errors?: readonly { readonly input: string; readonly code: string; readonly message: string }[];
  readonly estimate?: { readonly max_items: number; readonly max_credits: number };
}

/** For readers that see only text: each item in a line, and what it cost. The whole is in `structuredContent`. */
export function textOf(envelope: Told): string {
  const { data, errors = [], next_cursor: cursor, truncated, end_reason: end } = envelope;
  return [
    ...(data === undefined ? [] : linesOf(data)),
    ...errors.map(({ input, code, message }) => `Nothing for ${input}: ${code}. ${message}`),
    ...(truncated === undefined ? [] : [`Trimmed: ${truncated}.`]),
    ...(end === undefined ? [] : [`The list ends here: ${end}.`]),
    ...(cursor === undefined ? [] : [`There is more: call again with cursor ${JSON.stringify(cursor)}.`]),
    moneyOf(envelope),
  ].join('\n');
}

function moneyOf({ estimate, credits_charged: charged, balance_remaining: left, cache }: Told): string {
  if (estimate) {
    const { max_items: items, max_credits: most } = estimate;
    return `This call would cost at most ${most} credits, for at most ${items} items. Nothing was read or charged; ${left} credits are left.`;
  }
  const half = cache === 'hit' ? ' (held: half price)' : '';
  return `Charged ${charged} credits${half}; ${left} are left.`;
}

function linesOf(data: unknown): string[] {
  if (!Array.isArray(data)) return [lineOf(data)];
  if (data.length === 0) return ['Nothing found.'];
  if (data.every((item) => typeof item === 'string')) return [`${data.length} ids: ${data.join(' ')}`];
  return data.map(lineOf);
}

type Members = Readonly<Record<string, unknown>>;

function lineOf(value: unknown): string {
  const item = value as Members;
  if (typeof item.text === 'string') return tweetLine(item);
  if (typeof item.handle === 'string') return userLine(item);
  return JSON.stringify(value);
}

function tweetLine(tweet: Members): string {
  const author = (tweet.author as Members | undefined)?.handle ?? tweet.author_id;
  return `${tweet.id} @${author} ${tweet.created_at ?? ''}: ${oneLine(tweet.text)}${counts(tweet, ['likes', 'retweets', 'replies', 'quotes'])}`;
}

function userLine(user: Members): string {
  const bio = user.bio === undefined ? '' : `: ${oneLine(user.bio)}`;
  return `@${user.handle} (id ${user.id}) ${oneLine(user.name ?? '')}${bio}${counts(user, ['followers', 'following', 'tweets'])}`;
}

/** What a stranger wrote stays in its line. */
const oneLine = (text: unknown): string =>
  String(text)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();

function counts(item: Members, names: readonly string[]): string {
  const known = names.filter((name) => typeof item[name] === 'number').map((name) => `${item[name]} ${name}`);
  return known.length === 0 ? '' : ` [${known.join(', ')}]`;
}
