import { ServiceError } from '../../../../src/domain/errors.js';
import type { ListRef } from '../../../../src/domain/lists.js';
import type { Product } from '../../../../src/domain/model.js';
import { HOUR_MS, isDuring, NEVER, spanFrom } from '../../../../src/lib/durations.js';
import type { Clock } from '../../../../src/ports/clock.js';
import type { NetworkPage, ReadContext } from '../../../../src/ports/network.js';
import { searchFailure } from '../failures.js';
import { isHiddenPost, isVerified, itemToTweet } from '../map.js';
import type { Profiles } from '../profiles.js';
import { userPage } from '../reads/lists.js';
import { ANSWERS, type PostView } from '../schemas.js';
import type { Xrpc, XrpcParams } from '../xrpc.js';
import { type Search, translate, translatePeople } from './translate.js';

/** Posts of one upstream page. */
const LIMIT = 50;
/** The most upstream pages read for one page of Perch's whose results must be filtered. */
const MOST_PAGES = 5;
/** With this many results, a page is full enough, and no more are read. */
const ENOUGH = 25;
/** After this long, Perch checks again whether the newer search is available. */
const RETRY_V2_MS = 6 * HOUR_MS;

/** The two versions of the search. Their cursors are not interchangeable. */
type Version = 1 | 2;

export interface SearchOptions {
  readonly xrpc: Xrpc;
  readonly profiles: Profiles;
  readonly clock: Clock;
  /** The newer search gives clients without an account only one page. */
  readonly mayUseV2: boolean;
}

export class Searches {
  readonly #options: SearchOptions;
  #oldOnly = NEVER;

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  async page({ subject, product = 'Latest' }: ListRef, token: string | null, context: ReadContext) {
    if (product === 'People') return this.#people(subject, token, context);
    return this.#posts(translate(subject, product), product, token, context);
  }

  async #people(q: string, token: string | null, context: ReadContext): Promise<NetworkPage> {
    const { actors, cursor } = await this.#options.xrpc({
      method: 'app.bsky.actor.searchActors',
      params: { q: translatePeople(q), limit: LIMIT, cursor: token },
      schema: ANSWERS.searchActors,
      context,
      failureOf: searchFailure('People'),
    });
    return userPage(this.#options.profiles, actors, cursor, context);
  }

  async #posts(search: Search, product: Product, token: string | null, context: ReadContext): Promise<NetworkPage> {
    const found: PostView[] = [];
    let at = token;
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const { posts, next } = await this.#found(search, product, at, context);
      found.push(...posts.filter((post) => !isHiddenPost(post) && holds(search, post)));
      const isStuck = next === at;
      at = next;
      if (at === null || isStuck || search.filters.length === 0 || found.length >= ENOUGH) break;
    }
    const items = found.map((post) => ({ post }));
    return { tweets: await this.#options.profiles.tweets(items, context), next: at };
  }

  /** One upstream page. The version is in the token: `2 cursor`. */
  async #found(search: Search, product: Product, token: string | null, context: ReadContext) {
    if (token === null) return this.#first(search, product, context);
    const version: Version = token.startsWith('2 ') ? 2 : 1;
    return this.#searchPosts(version, search, product, token.slice(2), context);
  }

  async #first(search: Search, product: Product, context: ReadContext) {
    const { mayUseV2, clock } = this.#options;
    if (!mayUseV2 || !canSayInV2(search) || isDuring(this.#oldOnly, clock.now())) {
      return this.#searchPosts(1, search, product, null, context);
    }
    try {
      return await this.#searchPosts(2, search, product, null, context);
    } catch (error) {
      if (!(error instanceof ServiceError && (isOff(error) || error.code === 'request_rejected'))) throw error;
      if (isOff(error)) this.#oldOnly = spanFrom(clock.now(), RETRY_V2_MS);
      return this.#searchPosts(1, search, product, null, context);
    }
  }

  async #searchPosts(version: Version, search: Search, product: Product, cursor: string | null, context: ReadContext) {
    const params = version === 2 ? searchPostsV2(search, product) : searchPosts(search, product);
    try {
      const answer = await this.#options.xrpc({
        method: `app.bsky.feed.searchPosts${version === 2 ? 'V2' : ''}`,
        params: { ...params, limit: LIMIT, cursor },
        schema: ANSWERS.searchPosts,
        context,
        failureOf: searchFailure(product),
      });
      return {
        posts: answer.posts,
        next: answer.cursor === undefined || answer.cursor === '' ? null : `${version} ${answer.cursor}`,
      };
    } catch (error) {
      // An account that does not exist has written nothing.
      if (error instanceof ServiceError && error.code === 'not_found') return { posts: [], next: null };
      throw error;
    }
  }
}

const holds = ({ filters }: Search, post: PostView): boolean => {
  if (filters.length === 0) return true;
  const candidate = { tweet: itemToTweet({ post }), verified: isVerified(post.author) };
  return filters.every((filter) => filter(candidate));
};

/** The newer search is switched off, unknown, or not available to this account. */
const isOff = ({ code, detail }: ServiceError): boolean => code === 'query_id_stale' || detail.reason === 'session';

/** The same search as parameters of the two versions of the method. */

const isTop = (product: Product): boolean => product === 'Top';

export const searchPosts = (search: Search, product: Product): XrpcParams => ({
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

export const searchPostsV2 = (search: Search, product: Product): XrpcParams => ({
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
  // Searches as far back as the older version.
  allTime: true,
  repliesOnly: search.hints.replies === true ? true : undefined,
  excludeReplies: search.hints.replies === false ? true : undefined,
  hasMedia: search.hints.media,
  hasVideo: search.hints.video,
});

/** Of several tags, the newer search requires any, the older one all; and the newer one needs something to look for. */
export const canSayInV2 = (search: Search): boolean => {
  const { text, author, mentions, lang, domain, url, tags } = search;
  const something = [text, author, mentions, lang, domain, url, tags[0]].some((value) => value);
  return tags.length < 2 && something;
};
