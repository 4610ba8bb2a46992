/**
 * Documents made by hand to be the worst accepted ones of each kind. The search begins with them, and has to beat them.
 */
import { getIntrospectionQuery } from 'graphql';
import type { GraphqlRequest } from './generate.js';

const times = (count: number, make: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join(' ');

/** Tweets within tweets through fragments, `branches` of them on each of `levels`. */
export const tree = (levels: number, branches: number, leaves: string): string => {
  const below = ['quoted', 'retweeted', 'inReplyTo'].slice(0, branches);
  const fragment = (i: number) =>
    `fragment F${i} on Tweet { ${leaves} ${i + 1 < levels ? below.map((name) => `${name} { ...F${i + 1} }`).join(' ') : ''} }`;
  return `{ tweet(id: "1") { ...F0 } } ${times(levels, fragment)}`;
};

const LEAVES =
  'id text lang source authorId createdAt hashtags urls mentions isReply isQuote isRetweet likesCount viewsCount';
const requestFor = (query: string): GraphqlRequest => ({ query, variables: {}, operationName: null });

export const WORST: Readonly<Record<string, GraphqlRequest>> = {
  'all fields of many tweets': requestFor(
    `{ ${times(10, (i) => `a${i}: tweet(id: "${i}") { ${LEAVES} quoted { ${LEAVES} } retweeted { ${LEAVES} } }`)} }`,
  ),
  'a tree of three branches': requestFor(tree(5, 3, 'id text')),
  'a tree of two branches': requestFor(tree(8, 2, '__typename')),
  'one chain many times': requestFor(
    `{ tweet(id: "1") { ${times(29, () => 'quoted { quoted { quoted { quoted { quoted { id } } } } }')} } }`,
  ),
  'long arguments many times': requestFor(
    `{ tweet(id: "1") { ${times(14, () => `replies(first: 1, after: "${'x'.repeat(500)}") { meta { items } }`)} } }`,
  ),
  'a hundred fragments': requestFor(
    `{ tweet(id: "1") { ${times(100, (i) => `...F${i}`)} } } ${times(100, (i) => `fragment F${i} on Tweet { ${['id', 'text', 'lang', 'urls'][i % 4]} }`)}`,
  ),
  'fragments within fragments': requestFor(
    `{ tweet(id: "1") { ...F0 } } ${times(90, (i) => `fragment F${i} on Tweet { id ...F${i + 1} }`)} fragment F90 on Tweet { id }`,
  ),
  'inline fragments within each other': requestFor(
    `{ tweet(id: "1") { ${'... { '.repeat(640)} id ${'} '.repeat(640)} } }`,
  ),
  'fifty operations over a hundred fragments': {
    ...requestFor(
      `${times(20, (i) => `query Q${i} { tweet(id: "1") { ...F0 } }`)} ${times(60, (i) => `fragment F${i} on Tweet { id ${i < 59 ? `...F${i + 1}` : ''} }`)}`,
    ),
    operationName: 'Q0',
  },
  'directives everywhere': requestFor(
    `{ tweet(id: "1") { ${times(90, (i) => `... @include(if: true) @skip(if: false) { a${i % 29}: id @include(if: true) }`)} } }`,
  ),
  'a hundred lines for each word': requestFor(`{ tweet(id: "1") { ${'\n'.repeat(1900)} id } }`),
  'the introspection of tools': requestFor(
    getIntrospectionQuery({ inputValueDeprecation: true, schemaDescription: true, specifiedByUrl: true }),
  ),
  'introspection under aliases': requestFor(`{ ${times(9, (i) => `a${i}: __schema { types { fields { name } } }`)} }`),
  'introspection in a circle': requestFor('{ __schema { types { fields { type { fields { name } } } } } }'),
};
