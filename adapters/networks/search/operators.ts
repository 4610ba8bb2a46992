import { isId, parseHandle } from '../../../src/domain/ids.js';
import { truncated } from '../../../src/lib/text.js';
import { COUNTER_NAMES, COUNTERS, type Counter } from './counters.js';
import { typingErrors } from './nearly.js';
import type { Flag, Term } from './query.js';

interface Operator {
  /** Which tweets it finds, for the documentation. */
  readonly finds: string;
  /** A value that it takes. */
  readonly example: string;
  /** What a value must be, for the message that refuses another. */
  readonly expects: string;
  readonly read: (value: string) => Term | null;
}

/** Every name that `filter:` accepts. Where a flag has several names, messages use the first. */
export const FILTERS: ReadonlyMap<string, Flag> = new Map<string, Flag>([
  ['replies', 'reply'],
  ['retweets', 'retweet'],
  ['nativeretweets', 'retweet'],
  ['quote', 'quote'],
  ['quotes', 'quote'],
  ['media', 'media'],
  ['images', 'image'],
  ['videos', 'video'],
  ['native_video', 'video'],
  ['links', 'link'],
  ['verified', 'verified'],
  ['hashtags', 'tag'],
  ['mentions', 'mention'],
]);

/** Which tweets each flag finds, for the documentation. */
const FLAGGED: Readonly<Record<Flag, string>> = {
  reply: 'replies',
  retweet: 'retweets',
  quote: 'quotes',
  media: 'tweets with a picture or a video',
  image: 'tweets with a picture',
  video: 'tweets with a video',
  link: 'tweets with a link',
  tag: 'tweets with a hashtag',
  mention: 'tweets that mention an account',
  verified: 'tweets by verified accounts',
};

const A_HANDLE = 'a handle';
const AN_ID = 'a numeric id';
const A_DATE = 'a date such as 2015-01-07 (or 2015-01-07_11:30:00_UTC)';
const SECONDS = 'whole Unix seconds';
const A_NUMBER = 'a whole number';
const MAX_BIGINT = 9223372036854775807n;
const LAST_SECOND = 253402300799;

/** Every operator, each fully described by one row. Names are matched without regard to case. */
const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  [
    'from',
    { finds: 'tweets by this account', example: 'nasa', expects: A_HANDLE, read: (value) => ofHandle('from', value) },
  ],
  [
    'to',
    {
      finds: 'replies to this account; on Bluesky, tweets that mention it',
      example: 'nasa',
      expects: A_HANDLE,
      read: (value) => ofHandle('to', value),
    },
  ],
  [
    'since',
    {
      finds: 'tweets since this moment, in UTC',
      example: '2026-01-31',
      expects: A_DATE,
      read: (value) => ofTime('since', readDate(value)),
    },
  ],
  [
    'until',
    {
      finds: 'tweets before this moment, in UTC',
      example: '2026-01-31',
      expects: A_DATE,
      read: (value) => ofTime('until', readDate(value)),
    },
  ],
  [
    'since_time',
    {
      finds: 'the same as `since:`, in Unix seconds',
      example: '1767225600',
      expects: SECONDS,
      read: (value) => ofTime('since', readSeconds(value)),
    },
  ],
  [
    'until_time',
    {
      finds: 'the same as `until:`, in Unix seconds',
      example: '1767225600',
      expects: SECONDS,
      read: (value) => ofTime('until', readSeconds(value)),
    },
  ],
  [
    'since_id',
    { finds: 'tweets with a greater id', example: '1', expects: AN_ID, read: (value) => ofId('afterId', value) },
  ],
  [
    'max_id',
    {
      finds: 'tweets with this id or a lower one',
      example: '1',
      expects: AN_ID,
      read: (value) => ofId('uptoId', value),
    },
  ],
  [
    'conversation_id',
    {
      finds: 'tweets of the thread that begins with this tweet',
      example: '1',
      expects: AN_ID,
      read: (value) => ofId('conversation', value),
    },
  ],
  [
    'quoted_tweet_id',
    { finds: 'quotes of this tweet', example: '1', expects: AN_ID, read: (value) => ofId('quoting', value) },
  ],
  ...COUNTER_NAMES.map((counter): [string, Operator] => [
    COUNTERS[counter].operator,
    {
      finds: `tweets with at least as many ${counter}`,
      example: '10',
      expects: A_NUMBER,
      read: (value) => ofCount(counter, value),
    },
  ]),
  [
    'filter',
    {
      finds: 'tweets that are or have what it names',
      example: 'media',
      expects: `one of ${[...FILTERS.keys()].join(', ')}`,
      read: readFilter,
    },
  ],
  [
    'lang',
    {
      finds: 'tweets in this language',
      example: 'en',
      expects: 'a language code such as en',
      read: (text) => (/^[a-z]{2,5}(-[a-z0-9]{2,8})?$/i.test(text) ? { kind: 'lang', text } : null),
    },
  ],
  [
    'url',
    {
      finds: 'tweets with a link to an address that contains this',
      example: 'example.org',
      expects: 'part of a URL, such as example.org',
      read: (text) => (/[a-z0-9]/i.test(text) ? { kind: 'url', text } : null),
    },
  ],
]);

/** Every operator as a search term with an example value, and which tweets it finds; one row for each filter name. */
export const OPERATOR_EXAMPLES: readonly { readonly term: string; readonly finds: string }[] = [
  ...[...OPERATORS]
    .filter(([name]) => name !== 'filter')
    .map(([name, { finds, example }]) => ({ term: `${name}:${example}`, finds })),
  ...[...FILTERS].map(([name, flag]) => ({ term: `filter:${name}`, finds: FLAGGED[flag] })),
];

export const isOperator = (name: string): boolean => OPERATORS.has(name.toLowerCase());

/** The term, or a message about why the value is invalid. */
export function readOperator(name: string, value: string): Term | { readonly fault: string } {
  const operator = OPERATORS.get(name.toLowerCase());
  if (operator === undefined) {
    const known = [...OPERATORS.keys()].map((each) => `${each}:`).join(' ');
    const nearest = nearestName(name, [...OPERATORS.keys()]);
    const meant = nearest === undefined ? '' : ` (did you mean "${nearest}:"?)`;
    return {
      fault: `unknown operator "${truncated(name)}:"${meant}; the operators are ${known} (put quotes around plain text)`,
    };
  }
  const nearest = name.toLowerCase() === 'filter' ? nearestName(value, [...FILTERS.keys()]) : undefined;
  const meant = nearest === undefined ? '' : ` (did you mean "${nearest}"?)`;
  const fault = `"${name}:" must be followed by ${operator.expects}, not "${truncated(value)}"${meant}`;
  return operator.read(value) ?? { fault };
}

/** The name that a mistyped one probably means: the nearest within two typing errors, or one for a short name. */
function nearestName(typed: string, names: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase().slice(0, NAME_LENGTH);
  const most = wanted.length <= 4 ? 1 : 2;
  const near = names
    .map((name) => ({ name, errors: typingErrors(wanted, name) }))
    .filter(({ errors }) => errors <= most);
  return near.sort((one, other) => one.errors - other.errors)[0]?.name;
}

/** Longer than any name. */
const NAME_LENGTH = 30;

function ofHandle(kind: 'from' | 'to', value: string): Term | null {
  const handle = parseHandle(value);
  return handle === null ? null : { kind, handle };
}

/** An id beyond the store's range counts as the greatest in it, because no stored id is above that. */
function ofId(kind: 'conversation' | 'quoting' | 'afterId' | 'uptoId', value: string): Term | null {
  if (!isId(value)) return null;
  return { kind, id: BigInt(value) > MAX_BIGINT ? MAX_BIGINT.toString() : value };
}

const ofTime = (kind: 'since' | 'until', time: string | null): Term | null => (time === null ? null : { kind, time });

const ofCount = (counter: Counter, value: string): Term | null =>
  /^[0-9]{1,15}$/.test(value) ? { kind: 'atLeast', counter, least: Number(value) } : null;

function readFilter(value: string): Term | null {
  const flag = FILTERS.get(value.toLowerCase());
  return flag === undefined ? null : { kind: 'is', flag };
}

function readDate(value: string): string | null {
  const match = /^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:_([0-9]{2}:[0-9]{2}:[0-9]{2})_UTC)?$/.exec(value);
  if (match === null || value.startsWith('0000')) return null;
  const text = `${match[1]}T${match[2] ?? '00:00:00'}.000Z`;
  const date = new Date(text);
  // Date moves an impossible day (2015-02-30) instead of refusing it.
  return Number.isNaN(date.getTime()) || date.toISOString() !== text ? null : text;
}

function readSeconds(value: string): string | null {
  if (!/^[0-9]{1,12}$/.test(value) || Number(value) > LAST_SECOND) return null;
  return new Date(Number(value) * 1000).toISOString();
}
