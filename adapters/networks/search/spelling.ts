import type { Counter, Flag, Term } from './query.js';

const COUNTERS: Readonly<Record<Counter, string>> = {
  likes: 'min_faves',
  retweets: 'min_retweets',
  replies: 'min_replies',
};

const FILTERS: Readonly<Record<Flag, string>> = {
  reply: 'replies',
  retweet: 'retweets',
  quote: 'quote',
  media: 'media',
  image: 'images',
  video: 'videos',
  link: 'links',
  tag: 'hashtags',
  mention: 'mentions',
  verified: 'verified',
};

/** A term as a caller may have written it: for messages that refuse it. */
export function spellingOf(term: Term): string {
  switch (term.kind) {
    case 'word':
      return term.text;
    case 'phrase':
      return `"${term.text}"`;
    case 'hashtag':
      return `#${term.text}`;
    case 'cashtag':
      return `$${term.text}`;
    case 'mention':
      return `@${term.text}`;
    case 'url':
    case 'lang':
      return `${term.kind}:${term.text}`;
    case 'from':
    case 'to':
      return `${term.kind}:${term.handle}`;
    case 'conversation':
      return `conversation_id:${term.id}`;
    case 'quoting':
      return `quoted_tweet_id:${term.id}`;
    case 'afterId':
      return `since_id:${term.id}`;
    case 'uptoId':
      return `max_id:${term.id}`;
    case 'since':
    case 'until':
      return `${term.kind}:${dayOrMoment(term.time)}`;
    case 'atLeast':
      return `${COUNTERS[term.counter]}:${term.least}`;
    case 'is':
      return `filter:${FILTERS[term.flag]}`;
  }
}

/** `2015-01-07`, or `2015-01-07_11:30:00_UTC`. */
function dayOrMoment(time: string): string {
  const [day = '', rest = ''] = time.split('T');
  return rest.startsWith('00:00:00') ? day : `${day}_${rest.slice(0, 8)}_UTC`;
}
