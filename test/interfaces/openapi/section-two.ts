/** Section 2 of the interface, field by field: name, type, and `!` if it is required. */
export const SECTION_TWO: Readonly<Record<string, string>> = {
  Meta: `items integer!, credits_charged number!, balance_remaining number!, cache string!, request_id string!,
    next_cursor string`,
  BatchMeta: `errors array!, items integer!, credits_charged number!, balance_remaining number!, cache string!,
    cache_hits integer!, request_id string!`,
  BatchError: 'input string!, code string!, message string!',
  User: `id string!, handle string!, name string!, bio string, location string, url string, avatar_url string,
    banner_url string, verified boolean, protected boolean, followers integer!, following integer!, tweets integer!,
    likes integer, listed integer, created_at string!, pinned_tweet_ids array`,
  Tweet: `id string!, text string!, lang string, created_at string!, author_id string!, author User,
    conversation_id string, in_reply_to_id string, in_reply_to_user_id string, quoted_id string, retweeted_id string,
    replies integer, retweets integer, likes integer, quotes integer, bookmarks integer, views integer, media array,
    urls array, hashtags array, mentions array, is_retweet boolean, is_quote boolean, is_reply boolean, source string`,
  Media: 'type string, url string, width integer, height integer',
  Account: 'customer_id string, key_prefix string, balance number, rate_limit_qps integer',
  Pack: 'name string, usd integer, credits integer, buyable boolean',
  RateLimitTier: 'paid_usd integer, requests_per_second integer',
  Checkout: 'url string, pack string, usd integer, credits integer',
  Error: 'error ErrorBody!, request_id string!',
  ErrorBody: 'code string!, message string!',
  Problem: `type string!, title string!, status integer!, detail string, code string!, request_id string!,
    error ErrorBody`,
};

/** Tables of section 2 that do not state what is required; the schema does. */
export const SILENT = ['Media', 'Account', 'Pack', 'RateLimitTier', 'Checkout'];

export interface FieldRow {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
}

export const fieldRows = (table: string): FieldRow[] =>
  table.split(',').map((row) => {
    const [name = '', type = ''] = row.trim().split(' ');
    return { name, type: type.replace('!', ''), required: type.endsWith('!') };
  });
