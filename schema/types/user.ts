import { builder } from '../builder.js';
import { UserRef } from './refs.js';

builder.objectType(UserRef, {
  description: 'A profile. Its scalars are free once the profile is paid for; its lists are priced separately.',
  fields: (t) => ({
    id: t.exposeID('id', { nullable: false, description: 'Numeric id, as a string. Free.' }),
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
    protected: t.exposeBoolean('protected', { description: 'Whether their tweets and lists are private. Free.' }),
    followersCount: t.expose('followersCount', {
      type: 'Count',
      nullable: false,
      description: 'Number of followers. Free.',
    }),
    followingCount: t.expose('followingCount', {
      type: 'Count',
      nullable: false,
      description: 'Number of users they follow. Free.',
    }),
    tweetsCount: t.expose('tweetsCount', {
      type: 'Count',
      nullable: false,
      description: 'Number of tweets. Free.',
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
