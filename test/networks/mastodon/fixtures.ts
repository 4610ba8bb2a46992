/** The minimum that a server says of an account or post, and what a test adds. */
export const anAccount = (more: object = {}): object => ({
  id: '7',
  username: 'ada',
  acct: 'ada',
  display_name: 'Ada',
  locked: false,
  note: '',
  url: 'https://server.example/@ada',
  avatar: 'https://server.example/avatar.png',
  header: 'https://server.example/headers/original/missing.png',
  followers_count: 3,
  following_count: 2,
  statuses_count: 1,
  created_at: '2024-02-01T00:00:00.000Z',
  fields: [],
  ...more,
});

export const aStatus = (more: object = {}): object => ({
  id: '100',
  created_at: '2026-10-01T08:30:00.000Z',
  in_reply_to_id: null,
  in_reply_to_account_id: null,
  spoiler_text: '',
  visibility: 'public',
  language: 'en',
  replies_count: 0,
  reblogs_count: 0,
  favourites_count: 0,
  content: '<p>Hello</p>',
  reblog: null,
  account: anAccount(),
  media_attachments: [],
  mentions: [],
  tags: [],
  card: null,
  ...more,
});

export const anInstance = (more: object = {}): object => ({
  domain: 'server.example',
  version: '4.5.2',
  api_versions: { mastodon: 7 },
  configuration: { urls: { terms_of_service: 'https://server.example/terms' }, limited_federation: false },
  contact: { account: { id: '7', acct: 'ada' } },
  ...more,
});
