import { isShown, type Person, type Post, postOf, type World } from '../contract/world.js';

/** The world in the server's own terms. */
export interface Words {
  readonly accountId: (name: string) => string;
  readonly statusId: (key: string) => string;
  readonly acct: (name: string) => string;
  readonly account: (name: string) => object;
  readonly status: (post: Post) => object;
}

/** Known here from another server. */
const ELSEWHERE: ReadonlySet<string> = new Set(['ben', 'cleo', 'fanb']);

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

export function wordsOf(world: World): Words {
  const accountId = (name: string): string => {
    const index = world.people.findIndex((one) => one.name === name);
    if (index === -1) throw new Error(`There is nobody called ${name} in the world.`);
    return String(index + 1);
  };
  const statusId = (key: string): string => String(BigInt(Date.parse(postOf(world, key).at)) << 16n);
  const acct = (name: string): string => (ELSEWHERE.has(name) ? `${name}@elsewhere.example` : name);

  const account = (name: string): object => {
    const person = world.people.find((one) => one.name === name) as Person;
    const known = {
      id: accountId(name),
      username: name,
      acct: acct(name),
      created_at: person.createdAt,
      url: `https://server.example/@${acct(name)}`,
      locked: person.state === 'private',
    };
    const isBanned = person.state === 'suspended';
    return {
      ...known,
      display_name: isBanned ? '' : `The ${name}`,
      note: person.bio === undefined || isBanned ? '' : `<p>${escaped(person.bio)}</p>`,
      avatar: 'https://server.example/avatars/original/missing.png',
      header: 'https://server.example/headers/original/missing.png',
      followers_count: person.followers.length,
      following_count: world.people.filter(({ followers }) => followers.includes(name)).length,
      statuses_count: world.posts.filter(({ by }) => by === name).length,
      fields: [],
      indexable: true,
      hide_collections: false,
      ...(isBanned && { suspended: true }),
    };
  };

  const html = (post: Post): string => {
    let text = escaped(post.text);
    for (const tag of post.hashtags ?? []) {
      const link = `<a href="https://server.example/tags/${tag}" class="mention hashtag" rel="tag">#<span>${tag}</span></a>`;
      text = text.replace(`#${tag}`, link);
    }
    for (const name of post.mentions ?? []) {
      const link = `<span class="h-card"><a href="https://server.example/@${name}" class="u-url mention">@<span>${name}</span></a></span>`;
      text = text.replace(`@${name}`, link);
    }
    for (const url of post.links ?? []) {
      const [start, rest] = [url.slice(0, 8), url.slice(8)];
      text = text.replace(
        url,
        `<a href="${url}" rel="nofollow"><span class="invisible">${start}</span><span>${rest}</span></a>`,
      );
    }
    return `<p>${text}</p>`;
  };

  const status = (post: Post): object => {
    const parent = post.replyTo === undefined ? undefined : postOf(world, post.replyTo);
    const boosted = post.reposts === undefined ? undefined : postOf(world, post.reposts);
    return {
      id: statusId(post.key),
      created_at: post.at,
      in_reply_to_id: parent ? statusId(parent.key) : null,
      in_reply_to_account_id: parent ? accountId(parent.by) : null,
      spoiler_text: '',
      visibility: isShown(world, post.by) ? 'public' : 'private',
      language: 'en',
      replies_count: world.posts.filter(({ replyTo }) => replyTo === post.key).length,
      reblogs_count: world.posts.filter(({ reposts }) => reposts === post.key).length,
      favourites_count: 0,
      quotes_count: world.posts.filter(({ quotes }) => quotes === post.key).length,
      content: boosted ? '' : html(post),
      reblog: boosted ? status(boosted) : null,
      account: account(post.by),
      media_attachments: post.photo
        ? [
            {
              type: 'image',
              url: post.photo.url,
              preview_url: post.photo.url,
              meta: { original: { width: 640, height: 480 } },
            },
          ]
        : [],
      mentions: (post.mentions ?? []).map((name) => ({ id: accountId(name), username: name, acct: acct(name) })),
      tags: (post.hashtags ?? []).map((name) => ({ name, url: `https://server.example/tags/${name}` })),
      quote: post.quotes === undefined ? null : quote(postOf(world, post.quotes)),
      card: null,
      poll: null,
    };
  };

  const quote = (quoted: Post): object =>
    quoted.deleted ? { state: 'deleted', quoted_status: null } : { state: 'accepted', quoted_status: status(quoted) };

  return { accountId, statusId, acct, account, status };
}
