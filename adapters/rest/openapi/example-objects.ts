import type { Tweet, User } from '../../../src/domain/model.js';

/** Invented, as on the demo network. */
const OBSERVATORY: User = {
  id: '446723896243126272',
  handle: 'harbor_obs',
  name: 'Harbor Observatory',
  bio: 'Public observatory on the harbor hill, Quillhaven. Comets, open nights, honest cloud reports. Bring socks.',
  location: 'Quillhaven',
  url: 'https://demo.example/harbor_obs',
  avatarUrl: 'https://demo.example/avatar/harbor_obs.png',
  verified: true,
  protected: false,
  followersCount: 1536,
  followingCount: 21,
  tweetsCount: 726,
  likesCount: 434,
  listedCount: 66,
  createdAt: '2014-03-20T19:04:11.250Z',
  pinnedTweetIds: ['1898285557478326272'],
};

const FERRIES: User = {
  id: '451245330214682624',
  handle: 'brindleferries',
  name: 'Brindle Coast Ferries',
  bio: 'All boats, all islands, most weathers.',
  verified: true,
  protected: false,
  followersCount: 1363,
  followingCount: 31,
  tweetsCount: 341,
  likesCount: 57,
  listedCount: 59,
  createdAt: '2014-04-02T06:30:45.113Z',
  pinnedTweetIds: [],
};

const THREAD: Tweet = {
  id: '1898072654607286272',
  text: 'Good evening! Comet Aldermoor will be at its best tonight. A thread. #comet',
  lang: 'en',
  createdAt: '2025-03-07T18:06:00.000Z',
  authorId: OBSERVATORY.id,
  author: OBSERVATORY,
  conversationId: '1898072654607286272',
  repliesCount: 2,
  retweetsCount: 0,
  likesCount: 46,
  quotesCount: 1,
  bookmarksCount: 1,
  viewsCount: 2121,
  media: [],
  urls: [],
  hashtags: ['comet'],
  mentions: [],
  isRetweet: false,
  isQuote: false,
  isReply: false,
};

const REPLY: Tweet = {
  ...THREAD,
  id: '1898075171173949440',
  text: '@harbor_obs The eight o’clock boat will keep its deck lights off.',
  createdAt: '2025-03-07T18:16:00.000Z',
  authorId: FERRIES.id,
  author: FERRIES,
  inReplyToId: THREAD.id,
  inReplyToUserId: OBSERVATORY.id,
  repliesCount: 0,
  quotesCount: 0,
  likesCount: 12,
  viewsCount: 640,
  hashtags: [],
  mentions: ['harbor_obs'],
  isReply: true,
};

const QUOTE: Tweet = {
  ...THREAD,
  id: '1898077687740612608',
  text: 'Tonight, best seen from the upper deck.',
  createdAt: '2025-03-07T18:26:00.000Z',
  authorId: FERRIES.id,
  author: FERRIES,
  conversationId: '1898077687740612608',
  quotedId: THREAD.id,
  repliesCount: 0,
  quotesCount: 0,
  hashtags: [],
  isQuote: true,
};

const PHOTO: Tweet = {
  ...THREAD,
  id: '1898285557478326272',
  text: 'Comet Aldermoor over Quillhaven harbor, last night. Nobody planned the ferry. #comet',
  createdAt: '2025-03-08T08:12:00.000Z',
  conversationId: '1898285557478326272',
  likesCount: 3_412_907,
  viewsCount: 2_418_730_662,
  media: [{ type: 'photo', url: 'https://demo.example/media/1898285557478326272-1.jpg', width: 2048, height: 1365 }],
};

export const EXAMPLE_OBJECTS = { OBSERVATORY, FERRIES, THREAD, REPLY, QUOTE, PHOTO } as const;
