import { graphql } from 'graphql';
import { schema } from '../../schema/index.js';
import { LISTS, type ListKind } from '../../src/domain/lists.js';
import type { Product } from '../../src/domain/model.js';
import type { Billed, Network } from '../../src/ports/network.js';
import { createEngine, type Engine } from '../../test/kit/engine.js';
import { openStandIn as openBluesky } from '../../test/networks/bluesky/stand-in.js';
import type { StandIn } from '../../test/networks/contract/harness.js';
import { fanOf, noteOf } from '../../test/networks/contract/world.js';
import { openMastodon } from '../../test/networks/mastodon/stand-in.js';
import { openStandIn as openX } from '../../test/networks/x/support/stand-in.js';
import { tableText } from './parts.js';

const NETWORKS = {
  X: () => openX('tweet'),
  Bluesky: openBluesky,
  'Mastodon, with a token': () => openMastodon({ withToken: true }),
} as const;

const HEAD = ['Read', 'by handle', 'by id', 'next page', 'nested in GraphQL'];

/** For each network, the upstream calls of every read, and their cost if they are billed. */
export async function callsTables(): Promise<string> {
  const parts: string[] = [];
  for (const [name, open] of Object.entries(NETWORKS)) {
    const at = await open();
    try {
      parts.push(`### ${name}\n\n${tableText(HEAD, await rowsOf(at, countingOn(open)))}`);
    } finally {
      await at.close();
    }
  }
  return parts.join('\n\n');
}

type Read = (engine: Engine) => Promise<unknown>;

/** The calls of one read after earlier ones in the same engine, or `-` if the network has no such read. */
type Count = (read: Read | null, before?: Read) => Promise<string>;

async function rowsOf(at: StandIn, count: Count): Promise<string[][]> {
  const [harbor, question] = [at.userId('harbor'), at.tweetId('question')];
  const users = Array.from({ length: 100 }, (_, n) => at.handle(fanOf(n)));
  const tweets = Array.from({ length: 100 }, (_, n) => at.tweetId(noteOf(n)));
  const author = at.tweetId('rich');
  const rows = [
    [
      'a profile',
      await count(query(`user(handle: "${at.handle('harbor')}") { name }`)),
      '-',
      '-',
      await count(query(`tweet(id: "${author}") { author { name } }`)),
    ],
    ['100 profiles', await count(query(`users(handles: ${JSON.stringify(users)}) { nodes { name } }`)), '-', '-', '-'],
    ['a tweet', '-', await count(query(`tweet(id: "${author}") { text }`)), '-', '-'],
    ['100 tweets', '-', await count(query(`tweets(ids: ${JSON.stringify(tweets)}) { nodes { text } }`)), '-', '-'],
  ];
  for (const kind of ['timeline', 'followers', 'following'] as const) {
    const owner = kind === 'following' ? 'ben' : 'harbor';
    const nested = `user(handle: "${at.handle(owner)}") { ${LISTS[kind].field?.name} { ${nodesOf(kind)} } }`;
    const byId = page(kind, at.userId(owner));
    rows.push([
      named(kind),
      await count(page(kind, at.handle(owner))),
      await count(byId),
      await count(kind === 'following' ? null : page(kind, harbor, undefined, 2), byId),
      await count(query(nested)),
    ]);
  }
  for (const kind of ['thread', 'replies', 'quotes', 'retweeters'] as const) {
    const nested = `tweet(id: "${question}") { ${LISTS[kind].field?.name} { ${nodesOf(kind)} } }`;
    rows.push([named(kind), '-', await count(page(kind, question)), '-', await count(query(nested))]);
  }
  for (const product of ['Latest', 'People'] as const) {
    const [words, label] = product === 'People' ? ['harbor', 'search for people'] : ['tide', 'search'];
    const read = page('search', words, product);
    rows.push([
      label,
      '-',
      await count(read),
      await count(product === 'People' ? null : page('search', words, product, 2), read),
      '-',
    ]);
  }
  return rows;
}

const named = (kind: ListKind): string => `${kind}, ${LISTS[kind].size.initial}`;

const nodesOf = (kind: ListKind): string => (LISTS[kind].items === 'users' ? 'nodes { name }' : 'nodes { text }');

/** Reads `pages` pages of a list with the default count, each with the cursor of the one before. */
const page =
  (kind: ListKind, subject: string, product?: Product, pages = 1): Read =>
  async (engine) => {
    const count = LISTS[kind].size.initial;
    let after: string | null = null;
    for (let n = 0; n < pages; n += 1)
      after = (await engine.page({ kind, subject, product, count, after })).page.endCursor;
  };

const query =
  (selection: string): Read =>
  async (engine) => {
    const { reads } = engine.open();
    const { errors } = await graphql({ schema, source: `{ ${selection} }`, contextValue: { reads } });
    if (errors) throw new Error(errors.join('\n'));
  };

/** Counts with a new engine and a new network each time, so that nothing is cached. */
const countingOn =
  (open: () => Promise<StandIn>): Count =>
  async (read, before = async () => {}) => {
    if (read === null) return '-';
    const at = await open();
    try {
      return await countOn(at, read, before);
    } finally {
      await at.close();
    }
  };

async function countOn(at: StandIn, read: Read, before: Read): Promise<string> {
  const charges: Billed[] = [];
  const network = withBilling(at.network, (billed) => charges.push(billed));
  // The first search of a process signs in, and finds out which search the network has.
  await page('search', 'ferry', 'Latest')(createEngine(network)).catch(() => {});
  const engine = createEngine(network);
  await before(engine);
  const from = at.requests.length;
  charges.length = 0;
  const refused = await read(engine).then(
    () => false,
    () => true,
  );
  const calls = at.requests.length - from;
  return refused ? 'refused' : `${calls}${costOf(network, charges)}`;
}

const withBilling = (network: Network, onBilled: (billed: Billed) => void): Network => ({
  ...network,
  users: (refs, context) => network.users(refs, { ...context, onBilled }),
  tweets: (ids, context) => network.tweets(ids, { ...context, onBilled }),
  page: (list, token, context, want) => network.page(list, token, { ...context, onBilled }, want),
});

function costOf({ billing }: Network, charges: readonly Billed[]): string {
  if (billing === null) return '';
  const usd = charges.reduce(
    (sum, { kind, items }) => sum + billing.usd[kind] * (billing.per === 'item' ? items : 1),
    0,
  );
  return `: $${usd.toFixed(3)}`;
}
