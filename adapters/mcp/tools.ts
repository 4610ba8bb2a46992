import { hasSince, LIST_READS, type List } from '../../src/domain/lists.js';

/** A tool that runs a persisted operation: its name, and what a model with a budget should know about it. */
export interface ToolRow {
  readonly name: string;
  readonly title: string;
  /** The persisted operation. */
  readonly operation: string;
  /**
   * Follows the description and the price of the operation's field. Says where another call is cheaper, and what to
   * watch for.
   */
  readonly advice: string;
}

/** For lists: the cheapest way to read the next page. */
const ONWARD =
  'For the next page, pass the returned `next_cursor` as `cursor`: cached items cost half. Repeating the call with a larger `count` charges for the first items again.';

/** For lists whose newest items can be asked for. */
const LATER =
  'To get only items newer than a result, pass its `since_cursor` as `since`: if there are none, the call is free.';

const listTools = (subject: List['subject']): ToolRow[] =>
  LIST_READS.filter(({ list }) => list.subject === subject).map((read) => {
    const { name, title, advice = '' } = read.tool;
    const all = [advice, ONWARD, hasSince(read) ? LATER : ''].filter((part) => part !== '');
    return { name, title, operation: read.operation, advice: all.join(' ') };
  });

/** Every read, in the order in which they are listed. No tool buys, writes or changes anything. */
export const TOOLS: readonly ToolRow[] = [
  {
    name: 'get_user',
    title: 'Read a profile',
    operation: 'user',
    advice: 'Ids are not accepted here. For several profiles, call `get_users` once: same price, a single request.',
  },
  {
    name: 'get_users',
    title: 'Read up to 100 profiles',
    operation: 'users-batch',
    advice:
      'Ids are not accepted: they would be treated as handles. Counts as a single request. Handles that are not found are listed in `errors` and cost nothing; duplicates are charged once.',
  },
  ...listTools('user'),
  ...listTools('query'),
  {
    name: 'get_tweet',
    title: 'Read a tweet',
    operation: 'tweet',
    advice: 'Includes the author. For several tweets, call `get_tweets` once: same price, a single request.',
  },
  {
    name: 'get_tweets',
    title: 'Read up to 100 tweets',
    operation: 'tweets-batch',
    advice:
      'Counts as a single request. Ids that are not found are listed in `errors` and cost nothing; duplicates are charged once.',
  },
  ...listTools('tweet'),
  {
    name: 'get_account',
    title: 'Show the balance',
    operation: 'me',
    advice: 'Every other result also includes the balance, as `balance_remaining`.',
  },
  {
    name: 'get_usage',
    title: 'Show usage',
    operation: 'usage',
    advice: 'Returns up to 1,000 rows; for more, pass the returned `next_cursor` as `cursor`.',
  },
  {
    name: 'get_receipt',
    title: 'Show what one call cost and why',
    operation: 'receipt',
    advice: 'Only paid calls have a receipt.',
  },
  {
    name: 'get_packs',
    title: 'Show credit prices',
    operation: 'packs',
    advice: 'Credits cannot be bought here: a person has to do that on the website of the service.',
  },
];

/** The tool that prices the others. */
export const PRICE_TOOL = 'price';
