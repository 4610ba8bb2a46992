import { COUNTERS } from './counters.js';
import { FILTERS } from './operators.js';
import type { Term } from './query.js';

/** A term as a caller may have written it: for messages that refuse it. */
export function formatTerm(term: Term): string {
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
      return `${COUNTERS[term.counter].operator}:${term.least}`;
    case 'is':
      return `filter:${[...FILTERS].find(([, flag]) => flag === term.flag)?.[0]}`;
  }
}

/** `2015-01-07`, or `2015-01-07_11:30:00_UTC`. */
function dayOrMoment(time: string): string {
  const [day = '', rest = ''] = time.split('T');
  return rest.startsWith('00:00:00') ? day : `${day}_${rest.slice(0, 8)}_UTC`;
}
