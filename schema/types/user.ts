import type { User } from '../../src/domain/model.js';
import { builder, UserRef } from '../builder.js';
import { Node } from './node.js';

const COUNTS = { followers: 'followersCount', following: 'followingCount', tweets: 'tweetsCount' } as const;

const UserCount = builder.enumType('UserCount', {
  description: 'A count of a profile.',
  values: {
    followers: { description: '`followersCount`.' },
    following: { description: '`followingCount`.' },
    tweets: { description: '`tweetsCount`.' },
  },
});

/** The counts that the network hides or does not send; null where all are known (T21). */
function unknownCounts(user: User): (keyof typeof COUNTS)[] | null {
  const unknown = (Object.keys(COUNTS) as (keyof typeof COUNTS)[]).filter((name) => user[COUNTS[name]] === undefined);
  return unknown.length > 0 ? unknown : null;
}

builder.objectType(UserRef, {
  interfaces: [Node],
  description: 'A profile. Its scalars are free once the profile is paid for; its lists are priced separately.',
  fields: (t) => ({
    id: t.exposeID('id', {
      nullable: false,
      description: 'Numeric id, as a string, unique only among users, so store objects by type and id. Free.',
    }),
    handle: t.exposeString('handle', {
      nullable: false,
      description: 'The handle as the network spells it, without @. Free.',
    }),
    name: t.exposeString('name', { nullable: false, description: 'Display name. Free.' }),
    bio: t.exposeString('bio', { description: 'Bio. Free.' }),
    location: t.exposeString('location', { description: 'Location they entered. Free.' }),
    url: t.exposeString('url', { description: 'Website. Free.' }),
    avatarUrl: t.exposeString('avatarUrl', { description: 'URL of the profile picture. Free.' }),
    bannerUrl: t.exposeString('bannerUrl', { description: 'URL of the banner image. Free.' }),
    verified: t.exposeBoolean('verified', { description: 'Whether they have any verification badge. Free.' }),
    protected: t.exposeBoolean('protected', { description: 'Whether their tweets and lists cannot be read. Free.' }),
    followersCount: t.field({
      type: 'Count',
      nullable: false,
      description: 'Number of followers; 0 if `unknownCounts` names it. Free.',
      resolve: ({ followersCount }) => followersCount ?? 0,
    }),
    followingCount: t.field({
      type: 'Count',
      nullable: false,
      description: 'Number of users they follow; 0 if `unknownCounts` names it. Free.',
      resolve: ({ followingCount }) => followingCount ?? 0,
    }),
    tweetsCount: t.field({
      type: 'Count',
      nullable: false,
      description: 'Number of tweets; 0 if `unknownCounts` names it. Free.',
      resolve: ({ tweetsCount }) => tweetsCount ?? 0,
    }),
    unknownCounts: t.field({
      type: [UserCount],
      description: 'The counts that the network hides or does not send, which are then 0; null if all are known. Free.',
      resolve: unknownCounts,
    }),
    likesCount: t.expose('likesCount', { type: 'Count', description: 'Number of tweets they liked. Free.' }),
    listedCount: t.expose('listedCount', { type: 'Count', description: 'Number of lists they are on. Free.' }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: false,
      description: 'Time the account was created; 1970-01-01T00:00:00.000Z if unknown. Free.',
    }),
    pinnedTweetIds: t.exposeIDList('pinnedTweetIds', { description: 'Ids of pinned tweets. Free.' }),
  }),
});
