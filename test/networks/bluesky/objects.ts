import { createHash } from 'node:crypto';
import { isShown, type Person, type Post, WORLD } from '../contract/world.js';

/** People and posts of the world in the terms of app.bsky. */

type Json = Record<string, unknown>;

const PLC_DIGITS = 'abcdefghijklmnopqrstuvwxyz234567';
const TID_DIGITS = '234567abcdefghijklmnopqrstuvwxyz';

export const didOf = (name: string): string => {
  const bytes = createHash('sha256').update(name).digest();
  return `did:plc:${[...bytes.subarray(0, 24)].map((byte) => PLC_DIGITS[byte % 32]).join('')}`;
};

export const handleOf = (name: string): string => `${name}.test`;

/** 53 bits of microseconds, and 10 bits that tell posts of one moment apart. */
export const tidOf = (at: string, n = 0): string => {
  let rest = (BigInt(Date.parse(at)) * 1000n) << 10n;
  rest |= BigInt(n % 1024);
  let text = '';
  for (let place = 0; place < 13; place += 1) {
    text = TID_DIGITS[Number(rest & 31n)] + text;
    rest >>= 5n;
  }
  return text;
};

export const uriOf = (post: Post): string => {
  const collection = post.reposts === undefined ? 'app.bsky.feed.post' : 'app.bsky.feed.repost';
  return `at://${didOf(post.by)}/${collection}/${tidOf(post.at, WORLD.posts.indexOf(post))}`;
};

export const CID = 'bafyreibybncnb24pu5wpcfzcxbf5q4qkgh6vcuj45kpchzgycgtikvdf5e';

const optOut = (name: string): Json => ({
  src: didOf(name),
  uri: `at://${didOf(name)}/app.bsky.actor.profile/self`,
  val: '!no-unauthenticated',
  cts: '2026-10-01T00:00:00.000Z',
});

/** There are no private accounts; those not to be shown carry a label. */
export const basicOf = (person: Person): Json => ({
  did: didOf(person.name),
  handle: handleOf(person.name),
  displayName: `The ${person.name}`,
  avatar: `https://pictures.example/${person.name}.jpg`,
  associated: { activitySubscription: { allowSubscriptions: 'followers' } },
  labels: person.state === 'private' ? [optOut(person.name)] : [],
  createdAt: person.createdAt,
});

export const detailedOf = (person: Person): Json => ({
  ...basicOf(person),
  ...(person.bio && { description: person.bio }),
  indexedAt: person.createdAt,
  followersCount: person.followers.length,
  followsCount: WORLD.people.filter(({ followers }) => followers.includes(person.name)).length,
  postsCount: WORLD.posts.filter(({ by, deleted }) => by === person.name && !deleted).length,
});

const personOf = (name: string): Person => {
  const found = WORLD.people.find((one) => one.name === name);
  if (found === undefined) throw new Error(`Nobody is called ${name}.`);
  return found;
};

export const known = (key: string): Post | undefined => WORLD.posts.find((post) => post.key === key);

/** The network still serves accounts that opted out; the client has to hide them. */
export const isServed = (name: string): boolean => isShown(WORLD, name) || personOf(name).state === 'private';

const refOf = (post: Post): Json => ({ uri: uriOf(post), cid: CID });

function rootOf(post: Post): Post {
  const parent = post.replyTo === undefined ? undefined : known(post.replyTo);
  return parent === undefined ? post : rootOf(parent);
}

/** Handles are written in full in the text. */
const textOf = ({ text, mentions = [] }: Post): string =>
  mentions.reduce((all, name) => all.replaceAll(`@${name}`, `@${handleOf(name)}`), text);

function facetsOf(post: Post): Json[] {
  const text = textOf(post);
  const facet = (marked: string, feature: Json): Json => {
    const byteStart = Buffer.from(text.slice(0, text.indexOf(marked))).length;
    return { index: { byteStart, byteEnd: byteStart + Buffer.from(marked).length }, features: [feature] };
  };
  const type = (name: string): Json => ({ $type: `app.bsky.richtext.facet#${name}` });
  return [
    ...(post.hashtags ?? []).map((tag) => facet(`#${tag}`, { ...type('tag'), tag })),
    ...(post.mentions ?? []).map((name) => facet(`@${handleOf(name)}`, { ...type('mention'), did: didOf(name) })),
    ...(post.links ?? []).map((uri) => facet(uri, { ...type('link'), uri })),
  ];
}

function recordOf(post: Post): Json {
  const parent = post.replyTo === undefined ? undefined : known(post.replyTo);
  const quoted = post.quotes === undefined ? undefined : known(post.quotes);
  return {
    $type: 'app.bsky.feed.post',
    text: textOf(post),
    langs: ['en'],
    facets: facetsOf(post),
    ...(parent && { reply: { root: refOf(rootOf(post)), parent: refOf(parent) } }),
    ...(quoted && { embed: { $type: 'app.bsky.embed.record', record: refOf(quoted) } }),
    createdAt: post.at,
  };
}

function embedOf(post: Post): Json {
  const quoted = post.quotes === undefined ? undefined : known(post.quotes);
  if (quoted) {
    const gone = { $type: 'app.bsky.embed.record#viewNotFound', uri: uriOf(quoted), notFound: true };
    const record = quoted.deleted
      ? gone
      : { $type: 'app.bsky.embed.record#viewRecord', ...refOf(quoted), author: basicOf(personOf(quoted.by)) };
    return { embed: { $type: 'app.bsky.embed.record#view', record } };
  }
  if (post.photo === undefined) return {};
  const image = { thumb: post.photo.url, fullsize: post.photo.url, alt: '' };
  return { embed: { $type: 'app.bsky.embed.images#view', images: [image] } };
}

export const postView = (post: Post): Json => ({
  ...refOf(post),
  author: basicOf(personOf(post.by)),
  record: recordOf(post),
  ...embedOf(post),
  bookmarkCount: 0,
  replyCount: WORLD.posts.filter(({ replyTo }) => replyTo === post.key).length,
  repostCount: WORLD.posts.filter(({ reposts }) => reposts === post.key).length,
  likeCount: 0,
  quoteCount: WORLD.posts.filter(({ quotes }) => quotes === post.key).length,
  indexedAt: post.at,
  labels: [],
});

/** An item of a feed: a post, or a repost of one. */
export function feedItem(post: Post): Json {
  const subject = post.reposts === undefined ? undefined : known(post.reposts);
  if (subject === undefined) return { post: postView(post) };
  const reason = { $type: 'app.bsky.feed.defs#reasonRepost', by: basicOf(personOf(post.by)), uri: uriOf(post) };
  return { post: postView(subject), reason: { ...reason, cid: CID, indexedAt: post.at } };
}
