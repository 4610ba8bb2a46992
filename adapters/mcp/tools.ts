/** A tool that runs a persisted operation: how it is called, and what a model with a budget should know of it. */
export interface ToolRow {
  readonly name: string;
  readonly title: string;
  /** A file of `schema/operations`. */
  readonly operation: string;
  /** Said after the words and the price of the operation's field: where another call is cheaper, what to mind. */
  readonly advice: string;
}

/** For lists: the cheapest way on. */
const ONWARD =
  'To go on, pass `next_cursor` of the answer as `cursor`: what is held of the list costs half. Asking again with a larger `count` pays for the first items again.';

/** Every read, in the order in which they are listed. There is no tool that buys, writes or changes anything. */
export const TOOLS: readonly ToolRow[] = [
  {
    name: 'get_user',
    title: 'Read a profile',
    operation: 'user',
    advice:
      'An id is not taken: it would be read as a handle. For several profiles call `get_users` once: the same price, one request instead of many.',
  },
  {
    name: 'get_users',
    title: 'Read up to 100 profiles',
    operation: 'users-batch',
    advice:
      'Ids are not taken: they would be read as handles. One request however many handles. A handle that finds nothing stands in `errors` and costs nothing; one named twice is paid for once.',
  },
  { name: 'get_user_tweets', title: "Read a user's tweets", operation: 'user-tweets', advice: ONWARD },
  {
    name: 'get_followers',
    title: 'List followers',
    operation: 'followers',
    advice: `If ids will do, \`get_follower_ids\` costs a fifth. ${ONWARD}`,
  },
  {
    name: 'get_follower_ids',
    title: 'List follower ids',
    operation: 'follower-ids',
    advice: ONWARD,
  },
  { name: 'get_following', title: 'List whom a user follows', operation: 'following', advice: ONWARD },
  {
    name: 'search_tweets',
    title: 'Search tweets or people',
    operation: 'search',
    advice: `Narrow the query with operators before raising \`count\`. ${ONWARD}`,
  },
  {
    name: 'get_tweet',
    title: 'Read a tweet',
    operation: 'tweet',
    advice:
      'Its author comes with it. For several tweets call `get_tweets` once: the same price, one request instead of many.',
  },
  {
    name: 'get_tweets',
    title: 'Read up to 100 tweets',
    operation: 'tweets-batch',
    advice:
      'One request however many ids. An id that finds nothing stands in `errors` and costs nothing; one named twice is paid for once.',
  },
  { name: 'get_thread', title: 'Read a conversation', operation: 'thread', advice: ONWARD },
  { name: 'get_replies', title: 'List replies to a tweet', operation: 'replies', advice: ONWARD },
  { name: 'get_quotes', title: 'List tweets that quote a tweet', operation: 'quotes', advice: ONWARD },
  { name: 'get_retweeters', title: 'List who retweeted a tweet', operation: 'retweeters', advice: ONWARD },
  {
    name: 'get_account',
    title: 'See the balance',
    operation: 'me',
    advice: 'Every other answer says what is left, too, as `balance_remaining`.',
  },
  {
    name: 'get_usage',
    title: 'See what was spent',
    operation: 'usage',
    advice: 'An answer has up to 1,000 rows: for more, pass `next_cursor` of the answer as `cursor`.',
  },
  {
    name: 'get_receipt',
    title: 'See what one call cost, and why',
    operation: 'receipt',
    advice: 'Only calls that cost something have one.',
  },
  {
    name: 'get_packs',
    title: 'See what credits cost',
    operation: 'packs',
    advice: 'Nothing can be bought here: a person does that on the web page of the service.',
  },
];

/** The tool that prices the others. */
export const PRICE_TOOL = 'price';
