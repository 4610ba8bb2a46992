import { LIST_READS, type List } from '../../src/core/lists.js';

/** A tool that runs a persisted operation: how it is called, and what a model with a budget should know of it. */
export interface ToolRow {
  readonly name: string;
  readonly title: string;
  /** The persisted operation. */
  readonly operation: string;
  /** Said after the words and the price of the operation's field: where another call is cheaper, what to mind. */
  readonly advice: string;
}

/** For lists: the cheapest way on. */
const ONWARD =
  'To go on, pass `next_cursor` of the answer as `cursor`: what is held of the list costs half. Asking again with a larger `count` pays for the first items again.';

const listsOf = (subject: List['subject']): ToolRow[] =>
  LIST_READS.filter(({ list }) => list.subject === subject).map(({ operation, tool: { name, title, advice } }) => ({
    name,
    title,
    operation,
    advice: advice === undefined ? ONWARD : `${advice} ${ONWARD}`,
  }));

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
  ...listsOf('user'),
  ...listsOf('query'),
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
  ...listsOf('tweet'),
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
