import { v7 } from 'uuid';
import { LIST_READS, type List } from '../../../src/domain/lists.js';

type Arguments = Readonly<Record<string, unknown>>;

const SUBJECTS: Readonly<Record<List['subject'], Arguments>> = {
  user: { user: '1' },
  tweet: { id: '120' },
  query: { q: 'bread' },
};

/** A call of every tool that answers, on the network of `startMcp`. */
export const CALLS: Readonly<Record<string, Arguments>> = {
  ...Object.fromEntries(LIST_READS.map(({ tool, list }) => [tool.name, SUBJECTS[list.subject]])),
  get_user: { handle: 'user1' },
  get_users: { handles: ['user3', 'user1', '@USER3', 'nobody', '!!'] },
  get_user_tweets: { user: '1', count: 5 },
  get_followers: { user: '1', count: 9 },
  get_follower_ids: { user: '1' },
  get_following: { user: 'user1' },
  search_tweets: { q: 'bread', product: 'Latest', count: 3 },
  get_tweet: { id: '120' },
  get_tweets: { ids: ['120', '121', '120', '999'] },
  get_thread: { id: '120' },
  get_replies: { id: '120', count: 3 },
  get_quotes: { id: '120' },
  get_retweeters: { id: '120', count: 4 },
  get_account: {},
  get_usage: { group: 'day,endpoint,key' },
  get_receipt: { request_id: v7() },
  get_packs: {},
  price: { tool: 'get_followers', arguments: { user: '1', count: 7 } },
};
