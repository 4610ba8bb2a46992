import type { VocabularyName } from '../../../../adapters/networks/x/vocabulary.js';
import type { Person, Post, World } from '../../contract/world.js';

type Json = Record<string, unknown>;

const EPOCH_MS = 1288834974657n;

/** The names of a world's people and posts in X, and how X shows them to requests of one vocabulary. */
export interface Renderer {
  userId(name: string): string;
  tweetId(key: string): string;
  personOf(id: string): Person | undefined;
  postOf(id: string): Post | undefined;
  user(person: Person, query: URLSearchParams): Json;
  /** `data`, `includes` and `errors` of an answer about posts. */
  posts(posts: readonly Post[], query: URLSearchParams): Json;
}

const PROBLEMS = { tweet: 'https://api.twitter.com/2/problems', post: 'https://api.x.com/2/problems' } as const;

/** The names in which the vocabularies differ. */
const NAMES = {
  tweet: {
    references: 'referenced_tweets',
    expandReferences: 'referenced_tweets.id',
    count: 'tweet_count',
    retweets: 'retweet_count',
    fields: 'tweet.fields',
    included: 'tweets',
    history: 'edit_history_tweet_ids',
  },
  post: {
    references: 'referenced_posts',
    expandReferences: 'referenced_posts',
    count: 'post_count',
    retweets: 'repost_count',
    fields: 'post.fields',
    included: 'posts',
    history: 'edit_history_post_ids',
  },
} as const;

export const problem = (vocabulary: VocabularyName, type: string, rest: Json): Json => ({
  ...rest,
  type: `${PROBLEMS[vocabulary]}/${type}`,
});

/** Why X does not show an object: an entry of `errors`. */
export function notShown(
  vocabulary: VocabularyName,
  what: 'user' | 'tweet',
  parameter: string,
  value: string,
  state?: Person['state'],
): Json {
  const common = { value, resource_id: value, resource_type: what, parameter };
  if (state === 'suspended') {
    return problem(vocabulary, 'resource-not-found', {
      ...common,
      title: 'Forbidden',
      detail: `User has been suspended: [${value}].`,
    });
  }
  if (state === 'private') {
    return problem(vocabulary, 'not-authorized-for-resource', {
      ...common,
      section: 'data',
      title: 'Authorization Error',
      detail: `Sorry, you are not authorized to see the ${what} with ${parameter}: [${value}].`,
    });
  }
  return problem(vocabulary, 'resource-not-found', {
    ...common,
    title: 'Not Found Error',
    detail: `Could not find ${what} with ${parameter}: [${value}].`,
  });
}

export function rendererOf(world: World, vocabulary: VocabularyName): Renderer {
  const names = NAMES[vocabulary];
  const userIds = new Map(world.people.map(({ name }, index) => [name, String(5000 + index)]));
  const tweetIds = new Map(
    world.posts.map(({ key, at }, index) => [
      key,
      String(((BigInt(Date.parse(at)) - EPOCH_MS) << 22n) + BigInt(index)),
    ]),
  );
  const people = new Map(world.people.map((person) => [userIds.get(person.name), person]));
  const posts = new Map(world.posts.map((post) => [tweetIds.get(post.key), post]));
  const byKey = new Map(world.posts.map((post) => [post.key, post]));
  const byName = new Map(world.people.map((person) => [person.name, person]));
  const userId = (name: string): string => userIds.get(name) ?? '1';
  const tweetId = (key: string): string => tweetIds.get(key) ?? '1';
  const isShown = (post: Post | undefined): post is Post =>
    post !== undefined && !post.deleted && byName.get(post.by)?.state === undefined;

  const listed = (query: URLSearchParams, name: string): Set<string> => new Set(query.get(name)?.split(','));
  const picked = (whole: Json, fields: Set<string>, always: readonly string[]): Json =>
    Object.fromEntries(Object.entries(whole).filter(([name]) => always.includes(name) || fields.has(name)));

  function user(person: Person, query: URLSearchParams): Json {
    const whole: Json = {
      id: userId(person.name),
      username: person.name,
      name: `The ${person.name}`,
      description: person.bio ?? '',
      created_at: person.createdAt,
      protected: person.state === 'private',
      verified: false,
      verified_type: 'none',
      location: '',
      url: '',
      profile_image_url: `https://pbs.twimg.com/profile_images/1/${person.name}_normal.jpg`,
      public_metrics: {
        followers_count: person.followers.length,
        following_count: world.people.filter(({ followers }) => followers.includes(person.name)).length,
        [names.count]: world.posts.filter(({ by }) => by === person.name).length,
        listed_count: 0,
        like_count: 3,
      },
    };
    return picked(whole, listed(query, 'user.fields'), ['id', 'username', 'name']);
  }

  function referencesOf(post: Post): { type: string; id: string }[] {
    const pairs = [
      ['replied_to', post.replyTo],
      ['quoted', post.quotes],
      ['retweeted', post.reposts],
    ] as const;
    return pairs.flatMap(([type, key]) => (key === undefined ? [] : [{ type, id: tweetId(key) }]));
  }

  function textOf(post: Post): string {
    const original = post.reposts === undefined ? undefined : byKey.get(post.reposts);
    return original ? `RT @${original.by}: ${original.text.slice(0, 12)}…` : post.text;
  }

  function conversationOf(post: Post): string {
    const parent = post.replyTo === undefined ? undefined : byKey.get(post.replyTo);
    return parent ? conversationOf(parent) : tweetId(post.key);
  }

  const link = (url: string) => ({ start: 0, end: 9, url: 'https://t.co/a', expanded_url: url, display_url: url });

  function tweet(post: Post, query: URLSearchParams): Json {
    const expansions = listed(query, 'expansions');
    const references = referencesOf(post);
    const parent = post.replyTo === undefined ? undefined : byKey.get(post.replyTo);
    const picture = post.photo && {
      ...link(`https://x.com/${post.by}/status/1/photo/1`),
      display_url: 'pic.x.com/a',
      media_key: `3_${tweetId(post.key)}`,
    };
    const whole: Json = {
      id: tweetId(post.key),
      text: textOf(post),
      created_at: post.at,
      author_id: userId(post.by),
      conversation_id: conversationOf(post),
      lang: 'en',
      public_metrics: {
        [names.retweets]: world.posts.filter(({ reposts }) => reposts === post.key).length,
        reply_count: world.posts.filter(({ replyTo }) => replyTo === post.key).length,
        like_count: 0,
        quote_count: 0,
        bookmark_count: 0,
        impression_count: 12,
      },
      entities: {
        ...(post.hashtags && { hashtags: post.hashtags.map((tag) => ({ start: 0, end: 3, tag })) }),
        ...(post.mentions && { mentions: post.mentions.map((username) => ({ start: 0, end: 3, username })) }),
        ...((post.links || picture) && { urls: [...(post.links ?? []).map(link), ...(picture ? [picture] : [])] }),
      },
      ...(references.length > 0 && { [names.references]: references }),
      ...(parent && { in_reply_to_user_id: userId(parent.by) }),
      ...(picture && { attachments: { media_keys: [picture.media_key] } }),
      [names.history]: [tweetId(post.key)],
    };
    const fields = listed(query, names.fields);
    if (vocabulary === 'post') {
      // In that vocabulary they are not fields: they come when expanded, and cannot be requested by name.
      for (const name of ['author_id', 'referenced_posts', 'in_reply_to_user_id']) {
        fields.delete(name);
        if (expansions.has(name)) fields.add(name);
      }
    }
    return picked(whole, fields, ['id', 'text', names.history]);
  }

  return {
    userId,
    tweetId,
    personOf: (id) => people.get(id),
    postOf: (id) => posts.get(id),
    user,
    posts(shown, query) {
      const expansions = listed(query, 'expansions');
      const targets = expansions.has(names.expandReferences)
        ? shown.flatMap((post) => [post.replyTo, post.quotes, post.reposts].flatMap((key) => (key ? [key] : [])))
        : [];
      const references = [...new Set(targets)].map((key) => ({ key, post: byKey.get(key) }));
      const authors = expansions.has('author_id') ? [...new Set(shown.map(({ by }) => by))] : [];
      const media = expansions.has('attachments.media_keys') ? shown.filter(({ photo }) => photo) : [];
      const includes = {
        users: authors.flatMap((name) => byName.get(name) ?? []).map((person) => user(person, query)),
        [names.included]: references.flatMap(({ post }) => (isShown(post) ? [tweet(post, query)] : [])),
        media: media.map(({ key, photo }) => ({
          media_key: `3_${tweetId(key)}`,
          type: 'photo',
          ...(query.get('media.fields')?.includes('url') && { url: photo?.url, width: 640, height: 480 }),
        })),
      };
      const errors = references
        .filter(({ post }) => !isShown(post))
        .map(({ key }) => ({
          ...notShown(vocabulary, 'tweet', names.expandReferences, tweetId(key)),
          section: 'includes',
        }));
      return {
        ...(shown.length > 0 && { data: shown.map((post) => tweet(post, query)) }),
        ...(shown.length > 0 && { includes }),
        ...(errors.length > 0 && { errors }),
      };
    },
  };
}
