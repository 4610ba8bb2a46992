import { mapTweets, mapUsers } from '../../../../adapters/networks/x/map.js';
import { tweetsAnswer, usersAnswer } from '../../../../adapters/networks/x/schemas.js';
import type { Tweet, User } from '../../../../src/domain/model.js';

export type Json = Record<string, unknown>;

export const USER: Json = {
  id: '12',
  username: 'gull',
  name: 'Gull',
  created_at: '2009-12-31T23:59:59.000Z',
  public_metrics: { followers_count: 1, following_count: 2, tweet_count: 3, listed_count: 4 },
};
export const POST: Json = { id: '100', text: 'low tide', created_at: '2026-01-02T03:04:05.000Z', author_id: '12' };

export const userOf = (user: Json): User | undefined =>
  mapUsers(usersAnswer.parse({ data: [{ ...USER, ...user }] }))[0];
export const tweetOf = (tweet: Json, includes: Json = {}): Tweet | undefined =>
  mapTweets(tweetsAnswer.parse({ data: [{ ...POST, ...tweet }], includes }))[0];
