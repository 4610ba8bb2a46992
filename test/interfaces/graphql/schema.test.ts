import {
  type GraphQLArgument,
  type GraphQLField,
  GraphQLInt,
  isEnumType,
  isIntrospectionType,
  isNonNullType,
  isObjectType,
  specifiedDirectives,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../../schema/index.js';
import { printedSchema, readSdl } from '../../../schema/print.js';
import { toCredits } from '../../../src/domain/credits.js';
import type { ArgRule, Price } from '../../../src/domain/fields.js';
import { UNITS } from '../../../src/domain/prices.js';

const TYPES = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
const OBJECTS = TYPES.filter(isObjectType);
const FIELDS = OBJECTS.flatMap((type) =>
  Object.values(type.getFields()).map((field) => ({ name: `${type.name}.${field.name}`, type, field })),
);

const priceOf = (field: GraphQLField<unknown, unknown>): Price | undefined => field.extensions.price;
const ruleOf = (arg: GraphQLArgument | undefined): ArgRule | undefined => arg?.extensions.rule;

const fieldsOf = (name: string): Record<string, GraphQLField<unknown, unknown>> => {
  const type = schema.getType(name);
  if (!isObjectType(type)) throw new Error(`${name} is not an object type`);
  return type.getFields();
};

const nonNullOf = (name: string): string[] =>
  Object.values(fieldsOf(name))
    .filter(({ type }) => isNonNullType(type))
    .map((field) => field.name)
    .sort();

/** The prices of docs/pricing.md, by the type that a field returns. */
const PRICES: Readonly<Record<string, number>> = {
  'Query.node': 1,
  'Query.user': 1,
  'Query.users': 1,
  'Query.tweet': 1,
  'Query.tweets': 1,
  'Query.timeline': 1,
  'Query.thread': 1,
  'Query.replies': 1,
  'Query.quotes': 1,
  'Query.search': 1,
  'Query.followers': 0.1,
  'Query.following': 0.1,
  'Query.followerIds': 0.02,
  'Query.retweeters': 0.5,
  'User.tweets': 1,
  'User.followers': 0.1,
  'User.following': 0.1,
  'User.followerIds': 0.02,
  'Tweet.quoted': 1,
  'Tweet.retweeted': 1,
  'Tweet.inReplyTo': 1,
  'Tweet.thread': 1,
  'Tweet.replies': 1,
  'Tweet.quotes': 1,
  'Tweet.retweeters': 0.5,
  'Subscription.timeline': 1,
  'Subscription.replies': 1,
  'Subscription.quotes': 1,
  'Subscription.search': 1,
};

describe('the printed schema', () => {
  it('is the one in schema/schema.graphql', () => {
    expect(printedSchema()).toBe(readSdl());
  });

  it('prints the price of every priced field as a directive', () => {
    const printed = readSdl().match(/@price\(credits: [\d.]+, per: "\w+", items: "\w+"\)/g) ?? [];
    expect(printed).toHaveLength(Object.keys(PRICES).length);
  });

  it('has the directives of the specification and its own', () => {
    const names = schema.getDirectives().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...specifiedDirectives.map(({ name }) => name), 'price']));
  });
});

describe('descriptions', () => {
  it('say what every type, field, argument and enum value is', () => {
    const bare = [
      ...TYPES.filter(({ name }) => !['String', 'Int', 'Float', 'Boolean', 'ID'].includes(name)),
      ...FIELDS.map(({ name, field }) => ({ name, description: field.description })),
      ...FIELDS.flatMap(({ name, field }) =>
        field.args.map((arg) => ({ name: `${name}(${arg.name})`, description: arg.description })),
      ),
      ...TYPES.filter(isEnumType).flatMap((type) => type.getValues()),
    ]
      .filter(({ description }) => !description?.trim().endsWith('.'))
      .map(({ name }) => name);
    expect(bare).toEqual([]);
  });

  it.each(FIELDS.map(({ name, field }) => [name, field] as const))('%s says what it costs', (name, field) => {
    const price = priceOf(field);
    expect(price && toCredits(UNITS[price.unit].price)).toBe(PRICES[name]);
    if (price) {
      expect(field.description).toContain(`Costs ${PRICES[name]} per item`);
      return;
    }
    expect(field.description).toMatch(/\bFree\b|Never charged|paid for by the field that returns this/);
  });
});

describe('prices', () => {
  it.each(FIELDS.filter(({ field }) => priceOf(field)).map(({ name, field }) => [name, field] as const))(
    '%s is bounded by its arguments, so its worst case is known (G8)',
    (name, field) => {
      const isFollowed = name.startsWith('Subscription.');
      const items = priceOf(field)?.items ?? 'one';
      const bound = field.args.find((arg) => arg.name === items);
      if (items === 'first') {
        expect(bound?.defaultValue).toBeGreaterThan(0);
        expect(ruleOf(bound)).toMatchObject({ kind: 'size', min: 1 });
      } else if (items !== 'one') {
        expect(ruleOf(bound)).toMatchObject({ kind: 'inputs', min: 1, max: 100 });
      }
      // G14: freshness is the field's own. Relay's compiler accepts `node` with one argument only, and streams are
      // always fresh.
      const fresh = field.args.find((arg) => arg.name === 'fresh');
      expect(fresh?.defaultValue).toBe(name === 'Query.node' || isFollowed ? undefined : false);
      // U50: a field that can fail is nullable, so it does not take its siblings with it.
      expect(isNonNullType(field.type)).toBe(false);
    },
  );

  it('are the same for both types of Query.node', () => {
    expect(UNITS.tweet.price).toBe(UNITS.profile.price);
  });

  it('has the sizes of docs/rest.md', () => {
    const sizes = Object.fromEntries(
      Object.values(fieldsOf('Query')).flatMap((field) => {
        const first = field.args.find(({ name }) => name === 'first');
        const rule = ruleOf(first);
        return rule?.kind === 'size' ? [[field.name, [first?.defaultValue, rule.max]]] : [];
      }),
    );
    expect(sizes).toEqual({
      timeline: [20, 100],
      search: [20, 50],
      quotes: [20, 50],
      followers: [50, 200],
      following: [50, 200],
      retweeters: [50, 200],
      followerIds: [200, 200],
      thread: [20, 50],
      replies: [20, 50],
      // Usage (W12).
      usagePage: [1000, 1000],
      watchDeliveries: [20, 100],
    });
  });
});

describe('names and nulls', () => {
  it('G13: require what section 2 and the Node interface require, and nothing else', () => {
    expect(nonNullOf('User')).toEqual(
      ['id', 'nodeId', 'handle', 'name', 'followersCount', 'followingCount', 'tweetsCount', 'createdAt'].sort(),
    );
    expect(nonNullOf('Tweet')).toEqual(['id', 'nodeId', 'text', 'createdAt', 'authorId'].sort());
  });

  it('G15: give counts and lists different names', () => {
    expect(Object.keys(fieldsOf('User'))).toEqual(
      expect.arrayContaining([
        ...['followersCount', 'followingCount', 'tweetsCount', 'likesCount', 'listedCount'],
        ...['followers', 'followerIds', 'following', 'tweets'],
      ]),
    );
    expect(Object.keys(fieldsOf('Tweet'))).toEqual(
      expect.arrayContaining([
        ...['repliesCount', 'retweetsCount', 'likesCount', 'quotesCount', 'bookmarksCount', 'viewsCount'],
        ...['replies', 'quotes', 'retweeters', 'thread'],
      ]),
    );
  });

  it('G12: give pages nodes, pageInfo and meta, and use camelCase', () => {
    for (const page of ['TweetPage', 'UserPage', 'SearchPage', 'IdPage']) {
      expect(Object.keys(fieldsOf(page))).toEqual(expect.arrayContaining(['nodes', 'pageInfo', 'meta']));
    }
    expect(Object.keys(fieldsOf('PageInfo'))).toEqual(expect.arrayContaining(['endCursor', 'hasNextPage']));
    expect(Object.keys(fieldsOf('PageMeta'))).toEqual(expect.arrayContaining(['items', 'creditsCharged', 'cache']));
    const names = FIELDS.flatMap(({ field }) => [field.name, ...field.args.map(({ name }) => name)]);
    expect(names.filter((name) => !/^[a-z][A-Za-z0-9]*$/.test(name))).toEqual([]);
  });

  it('T12: use no 32-bit Int for counters of the network', () => {
    const counters = [...Object.values(fieldsOf('User')), ...Object.values(fieldsOf('Tweet'))].filter(({ name }) =>
      name.endsWith('Count'),
    );
    expect(counters.length).toBe(11);
    expect(counters.filter(({ type }) => String(type).includes(GraphQLInt.name))).toEqual([]);
  });
});
