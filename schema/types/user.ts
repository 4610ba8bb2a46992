import { builder } from '../builder.js';
import { UserRef } from './refs.js';

builder.objectType(UserRef, {
  description: 'A profile. Its scalars are free once the profile is paid for; its lists are priced reads of their own.',
  fields: (t) => ({
    id: t.exposeID('id', { nullable: false, description: 'Numeric id, as a string. Free.' }),
    handle: t.exposeString('handle', {
      nullable: false,
      description: "The handle in the network's spelling, without @. Free.",
    }),
    name: t.exposeString('name', { nullable: false, description: 'Display name. Free.' }),
    bio: t.exposeString('bio', { description: 'The text about themselves. Free.' }),
    location: t.exposeString('location', { description: 'Where they say they are. Free.' }),
    url: t.exposeString('url', { description: 'Their link. Free.' }),
    avatarUrl: t.exposeString('avatarUrl', { description: 'Picture. Free.' }),
    bannerUrl: t.exposeString('bannerUrl', { description: 'Banner. Free.' }),
    verified: t.exposeBoolean('verified', { description: 'True for any current badge. Free.' }),
    protected: t.exposeBoolean('protected', { description: 'True when their tweets and lists are private. Free.' }),
    followersCount: t.expose('followersCount', {
      type: 'Count',
      nullable: false,
      description: 'How many follow them. Free.',
    }),
    followingCount: t.expose('followingCount', {
      type: 'Count',
      nullable: false,
      description: 'How many they follow. Free.',
    }),
    tweetsCount: t.expose('tweetsCount', {
      type: 'Count',
      nullable: false,
      description: 'How many tweets they wrote. Free.',
    }),
    likesCount: t.expose('likesCount', { type: 'Count', description: 'How many tweets they liked. Free.' }),
    listedCount: t.expose('listedCount', { type: 'Count', description: 'How many lists name them. Free.' }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: false,
      description: 'When the account was made; 1970-01-01T00:00:00.000Z where that is unknown. Free.',
    }),
    pinnedTweetIds: t.exposeIDList('pinnedTweetIds', { description: 'Ids of pinned tweets. Free.' }),
  }),
});
