import { FOLLOWED_READS, type ListRead } from '../domain/lists.js';
import type { WatchSettings } from '../ports/watches.js';
import type { Call } from '../serve/call.js';
import type { LiveRequest } from './live.js';

/** How a watch's list is asked for. */
export interface WatchCalls {
  /** The persisted operation that follows a list. */
  readonly operationOf: (read: ListRead) => string;
  /** Renders an answer as its receiver gets it. */
  readonly render: Call['render'];
}

/** The variable of an operation that names its list's subject. */
const SUBJECTS = { user: 'user', tweet: 'id', query: 'q' } as const;

/** The list that a watch follows. */
export function watchedRead({ kind }: Pick<WatchSettings, 'kind'>): ListRead {
  const read = FOLLOWED_READS.find((one) => one.kind === kind);
  if (read === undefined) throw new TypeError(`${kind} is no list that can be followed.`);
  return read;
}

/** What a watch asks, in the name of its key. */
export function watchCall(
  { operationOf, render }: WatchCalls,
  watch: Pick<WatchSettings, 'kind' | 'subject' | 'product' | 'count'> & {
    readonly watchId: string;
    readonly keyHash: string;
  },
): Pick<LiveRequest, 'call' | 'asked'> {
  const { watchId, keyHash, kind, subject, product, count } = watch;
  const read = watchedRead(watch);
  const variables = { [SUBJECTS[read.list.subject]]: subject, count, ...(product !== null && { product }) };
  return {
    asked: JSON.stringify([watchId, kind, subject, product, count]),
    call: {
      interface: 'rest',
      allOrNothing: true,
      credential: { keyHash },
      address: '',
      document: { name: operationOf(read) },
      parse: () => ({ variables, budget: null, estimate: false }),
      render,
    },
  };
}
