import { randomBytes } from 'node:crypto';
import { getIntrospectionQuery } from 'graphql';
import { type Attack, flood, graphql, keyOf, withAndWithoutKey } from '../support/attack.js';
import { spendMany } from '../support/service.js';

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Fragments that spread the next one twice: 2^levels fields in a text of some 40 bytes a level. */
const doubling = (levels: number, on: string, root: (spread: string) => string, leaf: string): string =>
  [
    root('...f0'),
    ...many(levels, (n) => `fragment f${n} on ${on} { ...f${n + 1} ...f${n + 1} }`),
    `fragment f${levels} on ${on} { ${leaf} }`,
  ].join(' ');

/** Three links of a tweet on each level: 3^levels fields. */
const links = (levels: number, name: string): string =>
  [
    `query ${name} { tweet(id: "1000001") { ...t0 } }`,
    ...many(
      levels,
      (n) =>
        `fragment t${n} on Tweet { quoted { ...t${n + 1} } retweeted { ...t${n + 1} } inReplyTo { ...t${n + 1} } }`,
    ),
    `fragment t${levels} on Tweet { id }`,
  ].join(' ');

/** A refusal of a document that is too large states the bound, which is a number. */
const BOUND = /\d/;

/** A document over a bound gets 400 with the bound; without a key, perhaps only that a key is needed. */
const refused = (keyed: boolean) => ({
  statuses: keyed ? [400] : [400, 401, 429],
  message: BOUND,
  halfWithinMs: 250,
  free: true,
});

const documents = (name: string, keyed: boolean, total: number, text: (index: number) => string): Attack => ({
  name: `${name}, ${keyed ? 'by key' : 'without a key'}`,
  over: 'GraphQL',
  keyed,
  strikeMs: 8000,
  strike: (stage) =>
    flood(stage, { total, width: 2 }, (index) => ({ ...graphql(text(index)), ...keyOf(stage, keyed) })),
  expected: refused(keyed),
  memoryMb: 20,
});

const both = (name: string, total: number, text: (index: number) => string): Attack[] =>
  withAndWithoutKey((keyed) => documents(name, keyed, total, text));

/** A text of letters and digits that no compression shortens. */
const name = (length: number): string => `a${randomBytes(length).toString('hex')}`.slice(0, length);

const NESTED = 'types { fields { name type { name } } }';

/**
 * What the account spent in a month, by day and operation: thousands of rows, of which an answer has at most a
 * thousand.
 */
const USAGE = 'usage(group: "day,endpoint") { day hour endpoint keyPrefix requests items cacheHits credits }';
const MOST_USAGE_BYTES = 256 * 1024;

/** What a stranger can do with the text of a document. */
export const DOCUMENTS: readonly Attack[] = [
  ...both('40 fragments, each spreading the next one twice, on `user`', 3, (index) =>
    doubling(40, 'User', (spread) => `query q${index} { user(handle: "person_1") { ${spread} } }`, 'id'),
  ),
  ...both('40 fragments, each spreading the next one twice, in introspection', 3, (index) =>
    doubling(40, '__Type', (spread) => `query q${index} { __schema { types { ${spread} } } }`, 'name'),
  ),
  ...both('nine levels of quoted, retweeted and inReplyTo', 8, (index) => links(8, `q${index}`)),
  ...both(
    '80 aliases of nested introspection',
    4,
    (index) => `query q${index} { ${many(80, (n) => `a${n}: __schema { ${NESTED} }`).join(' ')} }`,
  ),
  ...both(
    'introspection through ofType, deeper than any tool goes',
    4,
    (index) =>
      `query q${index} { __schema { types { fields { type ${'{ ofType '.repeat(60)}{ name }${' }'.repeat(60)} } } } }`,
  ),
  ...both(
    'fields through __type and back, 12 levels',
    4,
    (index) => `query q${index} { __type(name: "Query") ${'{ fields { type '.repeat(12)}{ name }${' } }'.repeat(12)} }`,
  ),
  ...both(
    'a list of lists, 900 deep',
    8,
    (index) => `query q${index} { user(handle: ${'['.repeat(900)}${']'.repeat(900)}) { id } }`,
  ),
  ...both(
    'more tokens than are read',
    8,
    (index) => `query q${index} { user(handle: "person_1") { ${'id '.repeat(6000)} } }`,
  ),
  ...both(
    'a thousand directives on one field',
    4,
    (index) => `query q${index} { user(handle: "person_1") { id ${'@include(if: true) '.repeat(1000)} } }`,
  ),
  ...both('four hundred operations', 4, (index) => many(400, (n) => `query q${index}x${n} { __typename }`).join(' ')),
  ...both(
    'four hundred conflicting selections of one name',
    4,
    (index) =>
      `query q${index} { user(handle: "person_1") { ${many(400, (n) => `x: ${n % 2 ? 'name' : 'bio'}`).join(' ')} } }`,
  ),
  ...withAndWithoutKey(
    (keyed): Attack => ({
      name: `the introspection of tools, 60 times, ${keyed ? 'by key' : 'without a key'}`,
      over: 'GraphQL',
      keyed,
      strike: (stage) =>
        flood(stage, { total: 60, width: 4, perSecond: 60 }, () => ({
          ...graphql(getIntrospectionQuery()),
          ...keyOf(stage, keyed),
        })),
      expected: { statuses: [200, 429], free: true },
      memoryMb: 20,
    }),
  ),
  {
    name: 'many different documents of 30 KB each, padded',
    over: 'GraphQL',
    keyed: true,
    strike: (stage) =>
      flood(stage, { total: 600, width: 8 }, (index) => ({
        ...graphql(`query q${index} { me { balance } } # ${name(30_000)}`),
        key: stage.attacker.key,
      })),
    expected: { statuses: [200, 400], message: BOUND, free: true },
    memoryMb: 48,
  },
  {
    name: 'many different documents with as many aliases as may be',
    over: 'GraphQL',
    keyed: true,
    strike: (stage) =>
      flood(stage, { total: 200, width: 4 }, (index) => ({
        ...graphql(
          `query q${index} { ${many(10, (n) => `a${n}: user(handle: "nobody") { x: id y: name ${TWEETLESS} }`).join(' ')} }`,
        ),
        key: stage.attacker.key,
      })),
    expected: { statuses: [200, 400], message: BOUND, free: true },
    memoryMb: 48,
  },
  {
    name: 'eighteen aliases of usage in one document, 60 times',
    over: 'GraphQL',
    keyed: true,
    prepare: ({ service, attacker }) => spendMany(service.sql, attacker, 950, 33),
    strike: (stage) =>
      flood(stage, { total: 60, width: 4 }, () => ({
        ...graphql(`{ me { ${many(18, (n) => `a${n}: ${USAGE}`).join(' ')} } }`),
        key: stage.attacker.key,
      })),
    expected: { statuses: [200, 503], free: true },
    memoryMb: 32,
    faults: async (_stage, answers) =>
      answers.some(({ bytes }) => bytes > MOST_USAGE_BYTES)
        ? [`usage is answered with more than ${MOST_USAGE_BYTES} bytes`]
        : [],
  },
];

const TWEETLESS =
  'id handle name bio location url avatarUrl bannerUrl verified followersCount followingCount createdAt';
