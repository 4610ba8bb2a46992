import type { Json } from './contract/harness.js';

/** Members of one network's profiles and posts. */
export interface Members {
  readonly user: Json;
  readonly tweet: Json;
}

const WHEN = '2026-10-02T08:00:00.000Z';
const LINK = { url: 'https://t.co/a', expanded_url: 'https://example.org/a', display_url: 'example.org/a', title: 'A' };

/** By network: members in its contract that its adapter reads, and that the stand-ins do not send. */
export const FULL: Readonly<Record<'mastodon' | 'bluesky' | 'x', Members>> = {
  mastodon: {
    user: {
      note: '<p>Tides</p>',
      fields: [{ name: 'Site', value: '<a href="https://a.example">a</a>', verified_at: WHEN }],
      discoverable: true,
      noindex: false,
      emojis: [],
    },
    tweet: {
      spoiler_text: 'Food',
      language: 'en',
      application: { name: 'Web' },
      media_attachments: [
        {
          id: '1',
          type: 'video',
          url: 'https://a.example/v.mp4',
          preview_url: 'https://a.example/v.png',
          remote_url: null,
          description: 'A ferry',
          meta: { original: { width: 640, height: 480 } },
        },
      ],
      mentions: [{ id: '1', username: 'ada', acct: 'ada@elsewhere.example' }],
      tags: [{ name: 'sea', url: 'https://a.example/tags/sea' }],
      card: { url: 'https://a.example/1', title: 'One', type: 'link' },
      poll: { id: '1', expires_at: WHEN, multiple: false, options: [{ title: 'Yes', votes_count: 1 }] },
      quote: { state: 'accepted', quoted_status_id: '5' },
    },
  },
  bluesky: {
    user: {
      description: 'Tides',
      website: 'https://a.example',
      banner: 'https://a.example/b.jpg',
      verification: { verifiedStatus: 'valid', trustedVerifierStatus: 'none' },
      pinnedPost: { uri: 'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/app.bsky.feed.post/3aaaaaaaaaaaa', cid: 'b' },
    },
    tweet: {
      record: {
        $type: 'app.bsky.feed.post',
        text: 'Ferries #sea',
        createdAt: WHEN,
        langs: ['en'],
        tags: ['harbour'],
        facets: [
          { index: { byteStart: 8, byteEnd: 12 }, features: [{ $type: 'app.bsky.richtext.facet#tag', tag: 'sea' }] },
        ],
      },
      embed: {
        $type: 'app.bsky.embed.recordWithMedia#view',
        record: { record: { $type: 'app.bsky.embed.record#viewNotFound', uri: 'at://a', notFound: true } },
        media: {
          $type: 'app.bsky.embed.images#view',
          images: [{ thumb: 'https://a.example/t', fullsize: 'https://a.example/f', alt: 'A ferry' }],
        },
      },
      labels: [{ src: 'did:plc:bbbbbbbbbbbbbbbbbbbbbbbb', uri: 'at://b', val: 'spam', neg: true, cts: WHEN }],
    },
  },
  x: {
    user: {
      description: 'Tides https://t.co/a',
      entities: { url: { urls: [LINK] }, description: { urls: [LINK] } },
      verified_type: 'blue',
      pinned_tweet_id: '99',
      pinned_post_id: '99',
    },
    tweet: {
      source: 'Web',
      note_tweet: { text: 'Ferries', entities: { urls: [LINK], hashtags: [{ start: 0, end: 1, tag: 'sea' }] } },
      note_post: { text: 'Ferries', entities: { mentions: [{ start: 0, end: 1, username: 'ada' }] } },
      attachments: { media_keys: ['3_1'], poll_ids: ['7'] },
      article: { title: 'On tides' },
    },
  },
};
