import type { Product } from '../../../../src/domain/model.js';
import type { Params } from '../xrpc.js';
import type { Search } from './translate.js';

/** The same search as parameters of the two versions of the method. */

const isTop = (product: Product): boolean => product === 'Top';

export const searchPosts = (search: Search, product: Product): Params => ({
  q: search.text || '*',
  sort: isTop(product) ? 'top' : 'latest',
  author: search.author,
  mentions: search.mentions,
  lang: search.lang,
  domain: search.domain,
  url: search.url,
  tag: search.tags,
  since: search.since,
  until: search.until,
});

export const searchPostsV2 = (search: Search, product: Product): Params => ({
  query: search.text || undefined,
  sort: isTop(product) ? 'top' : 'recent',
  authors: search.author,
  mentions: search.mentions,
  languages: search.lang,
  domains: search.domain,
  urls: search.url,
  hashtags: search.tags,
  since: search.since,
  until: search.until,
  // As far back as the older version.
  allTime: true,
  repliesOnly: search.hints.replies === true ? true : undefined,
  excludeReplies: search.hints.replies === false ? true : undefined,
  hasMedia: search.hints.media,
  hasVideo: search.hints.video,
});

/** Given several tags, the newer search matches any, the older one all; and the newer one needs a search text. */
export const canSayInV2 = (search: Search): boolean => {
  const { text, author, mentions, lang, domain, url, tags } = search;
  const something = [text, author, mentions, lang, domain, url, tags[0]].some((value) => value);
  return tags.length < 2 && something;
};
