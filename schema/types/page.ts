import { toCredits } from '../../src/domain/credits.js';
import type { Highlight, Tweet, User } from '../../src/domain/model.js';
import type { Page } from '../../src/read/reads.js';
import { builder, TweetRef, UserRef } from '../builder.js';
import { typeName } from './node.js';
import { PageMeta } from './page-meta.js';

const PageInfo = builder.objectRef<Page>('PageInfo').implement({
  description: 'Position of a page in its list. Free.',
  fields: (t) => ({
    endCursor: t.exposeString('endCursor', {
      description:
        'Pass it as `after` for the next page; null on the last one. The same cursor as `next_cursor` in REST. Free.',
    }),
    startCursor: t.string({
      description: 'The cursor of the first edge; null on an empty page. Free.',
      resolve: (page) => page.cursorAfter(0),
    }),
    hasPreviousPage: t.boolean({
      nullable: false,
      description: 'Whether this page was read with `after`. Lists are read forwards only. Free.',
      resolve: (page) => page.isContinued,
    }),
    hasNextPage: t.boolean({
      nullable: false,
      description: 'Whether there are more pages. Free.',
      resolve: (page) => page.endCursor !== null,
    }),
    sinceCursor: t.string({
      description:
        'Pass it as `since` later to get only items newer than this page. Present on first pages and on answers to `since`, in lists that accept `since`. The same cursor as `since_cursor` in REST. Free.',
      resolve: (page) => page.sinceCursor(),
    }),
    hasNewer: t.exposeBoolean('hasNewer', {
      description: 'With `since`: whether there are more new items already; if so, ask again with `sinceCursor`. Free.',
    }),
    gap: t.exposeBoolean('gap', {
      description:
        'With `since`: whether items between the earlier answer and this one may be missing, because they are further back than one call reads or than the network goes. Free.',
    }),
    truncated: t.exposeString('truncated', {
      description:
        'Why a page is short although more items remain: `no_credits`, `max_credits`, `key_cap` or `sparse`. Free.',
    }),
    endReason: t.exposeString('endReason', {
      description: '`network_limit` if the network does not go back any further. Free.',
    }),
  }),
});

/** A tweet or, with `product: People`, a profile. */
const SearchResult = builder.unionType('SearchResult', {
  description: 'A tweet or, with `product: People`, a profile.',
  types: [TweetRef, UserRef],
  resolveType: typeName,
});

const HighlightField = builder.enumType('HighlightField', {
  description: 'A field of a tweet or profile that is searched for words.',
  values: {
    text: { description: 'The text of a tweet.' },
    handle: { description: 'The handle of a profile.' },
    name: { description: 'The name of a profile.' },
    bio: { description: 'The bio of a profile.' },
  } satisfies Record<Highlight['field'], object>,
});

const HighlightRef = builder.objectRef<Highlight>('Highlight').implement({
  description: 'A place in a search result where the query was found, in Unicode code points. Free.',
  fields: (t) => ({
    field: t.field({
      type: HighlightField,
      nullable: false,
      description: 'The field of the result that contains it. Free.',
      resolve: ({ field }) => field,
    }),
    start: t.exposeInt('start', {
      nullable: false,
      description: 'Index of its first code point, counted from 0. Free.',
    }),
    end: t.exposeInt('end', {
      nullable: false,
      description: 'Index of the first code point after it, counted from 0. Free.',
    }),
  }),
});

/** An item in its page. */
interface Edge {
  readonly page: Page;
  readonly index: number;
}

const nodeOf = ({ page, index }: Edge): Page['nodes'][number] => page.nodes[index] as Page['nodes'][number];

const TweetEdge = builder.objectRef<Edge>('TweetEdge').implement({
  description: 'A tweet in its page.',
  fields: (t) => ({
    node: t.field({
      type: TweetRef,
      nullable: false,
      description: 'The tweet, paid for by the field that returns this page.',
      resolve: (edge) => nodeOf(edge) as Tweet,
    }),
  }),
});

const UserEdge = builder.objectRef<Edge>('UserEdge').implement({
  description: 'A profile in its page.',
  fields: (t) => ({
    node: t.field({
      type: UserRef,
      nullable: false,
      description: 'The profile, paid for by the field that returns this page.',
      resolve: (edge) => nodeOf(edge) as User,
    }),
  }),
});

const SearchEdge = builder.objectRef<Edge>('SearchEdge').implement({
  description: 'A search result, and where the query was found in it.',
  fields: (t) => ({
    node: t.field({
      type: SearchResult,
      nullable: false,
      description: 'The tweet or profile, paid for by the field that returns this page.',
      resolve: nodeOf,
    }),
    highlights: t.field({
      type: [HighlightRef],
      description:
        'Where the words, phrases, hashtags, mentions and cashtags of the query were found, in order, at most 100; places do not overlap. Empty if only other operators matched; null if what matched is not known. Free.',
      resolve: (edge) => edge.page.highlight?.(nodeOf(edge)) ?? null,
    }),
  }),
});

const IdEdge = builder.objectRef<Edge>('IdEdge').implement({
  description: 'An id in its page.',
  fields: (t) => ({
    node: t.id({
      nullable: false,
      description: 'The id, paid for by the field that returns this page.',
      resolve: (edge) => nodeOf(edge).id,
    }),
  }),
});

export const TweetPage = builder.objectRef<Page>('TweetPage').implement({
  description: 'A page of tweets.',
  fields: (t) => ({
    nodes: t.field({
      type: [TweetRef],
      nullable: false,
      description: 'The tweets, paid for by the field that returns this page.',
      resolve: (page) => page.nodes as readonly Tweet[],
    }),
  }),
});

export const UserPage = builder.objectRef<Page>('UserPage').implement({
  description: 'A page of profiles.',
  fields: (t) => ({
    nodes: t.field({
      type: [UserRef],
      nullable: false,
      description: 'The profiles, paid for by the field that returns this page.',
      resolve: (page) => page.nodes as readonly User[],
    }),
  }),
});

export const SearchPage = builder.objectRef<Page>('SearchPage').implement({
  description: 'A page of search results.',
  fields: (t) => ({
    nodes: t.field({
      type: [SearchResult],
      nullable: false,
      description: 'Tweets, or profiles with `product: People`, paid for by the field that returns this page.',
      resolve: (page) => [...page.nodes],
    }),
  }),
});

export const IdPage = builder.objectRef<Page>('IdPage').implement({
  description:
    'A page of numeric user ids. It shares its cache with the page of profiles: reading one makes the other a hit.',
  fields: (t) => ({
    nodes: t.idList({
      nullable: false,
      description: 'The ids, paid for by the field that returns this page.',
      resolve: (page) => page.nodes.map((user) => user.id),
    }),
  }),
});

/** The fields of every page apart from its nodes. */
for (const [page, edge] of [
  [TweetPage, TweetEdge],
  [UserPage, UserEdge],
  [SearchPage, SearchEdge],
  [IdPage, IdEdge],
] as const) {
  builder.objectFields(page, (t) => ({
    edges: t.field({
      type: [edge],
      nullable: false,
      description: 'The same items as `nodes`, each with its cursor. Free: the page is paid for once.',
      resolve: (page) => page.nodes.map((_, index) => ({ page, index })),
    }),
    pageInfo: t.field({
      type: PageInfo,
      nullable: false,
      description: 'Pagination. Free.',
      resolve: (page) => page,
    }),
    meta: t.field({
      type: PageMeta,
      nullable: false,
      description: 'What the page contains and what it cost. Free.',
      resolve: (page) => ({ ...page, items: page.nodes.length, creditsCharged: toCredits(page.charged) }),
    }),
  }));
  builder.objectField(edge, 'cursor', (t) =>
    t.string({
      nullable: false,
      description: 'Pass it as `after` to continue the list after this item. Free.',
      resolve: ({ page, index }) => page.cursorAfter(index) ?? '',
    }),
  );
}
