import type { Media, Tweet } from '../../../../src/domain/model.js';
import { COUNTERS } from '../../search/counters.js';
import type { Flag, Query, Term } from '../../search/query.js';

/** A post found by a search, before its author is read. */
export interface Candidate {
  readonly tweet: Tweet;
  /** Whether its author is verified. */
  readonly verified: boolean;
}

/** A condition that the network cannot search for, but that can be checked on a post it found. */
export type Filter = (candidate: Candidate) => boolean;

const some = (list: readonly unknown[] | undefined): boolean => list !== undefined && list.length > 0;
const ofType = (media: readonly Media[] | undefined, ...types: Media['type'][]): boolean =>
  media?.some(({ type }) => types.includes(type)) ?? false;

const FLAGS: Readonly<Record<Flag, Filter>> = {
  reply: ({ tweet }) => tweet.isReply === true,
  retweet: ({ tweet }) => tweet.isRetweet === true,
  quote: ({ tweet }) => tweet.isQuote === true,
  media: ({ tweet }) => some(tweet.media),
  image: ({ tweet }) => ofType(tweet.media, 'photo'),
  video: ({ tweet }) => ofType(tweet.media, 'video', 'animated_gif'),
  link: ({ tweet }) => some(tweet.urls),
  tag: ({ tweet }) => some(tweet.hashtags),
  mention: ({ tweet }) => some(tweet.mentions),
  verified: ({ verified }) => verified,
};

export const flagFilter = (flag: Flag): Filter => FLAGS[flag];

/** Undefined if a post alone does not show whether it matches. */
export function compileFilter(query: Query): Filter | undefined {
  switch (query.kind) {
    case 'and':
    case 'or': {
      const filters = query.of.map(compileFilter).filter((filter) => filter !== undefined);
      if (filters.length < query.of.length) return undefined;
      return (one) =>
        query.kind === 'and' ? filters.every((holds) => holds(one)) : filters.some((holds) => holds(one));
    }
    case 'not': {
      const filter = compileFilter(query.of);
      return filter && ((one) => !filter(one));
    }
    default:
      return filterOfTerm(query);
  }
}

function filterOfTerm(term: Term): Filter | undefined {
  if (term.kind === 'is') return FLAGS[term.flag];
  if (term.kind !== 'atLeast') return undefined;
  const { field, isOnBluesky } = COUNTERS[term.counter];
  return isOnBluesky ? ({ tweet }) => (tweet[field] ?? 0) >= term.least : undefined;
}
