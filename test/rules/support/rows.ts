import { LIST_KINDS, LIST_READS, LISTS, type List } from '../../../src/domain/lists.js';
import { range, type ScriptedNetwork } from '../../kit/networks/scripted-network.js';

export interface Row {
  /** As in the route table. */
  readonly route: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  /** The parameters as variables of the operation. */
  readonly operation: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const read = (route: string, path: string, operation: string, variables: Row['variables']): Row => ({
  route: `GET ${route}`,
  method: 'GET',
  path,
  operation,
  variables,
});

const write = (route: string, body: unknown, operation: string, variables: Row['variables'], path = route): Row => ({
  route: `POST ${route}`,
  method: 'POST',
  path,
  body,
  operation,
  variables,
});

/** The id of a receipt, a watch or a delivery that does not exist. */
const NO_ID = '01900000-0000-7000-8000-000000000000';

/** The subjects of lists by kind: one that `fill` provides, and one that does not exist. */
const SUBJECTS: Readonly<Record<List['subject'], { variable: string; route: string; there: string; missing: string }>> =
  {
    user: { variable: 'user', route: '/v1/users/{user}', there: '1', missing: '404' },
    tweet: { variable: 'id', route: '/v1/tweets/{id}', there: '120', missing: '404' },
    query: { variable: 'q', route: '/v1/tweets', there: 'bread', missing: 'nothing' },
  };

/** Every list three times: by default, with a count, and for a subject that does not exist. */
const listRows = LIST_READS.flatMap(({ list, operation, path }) => {
  const { variable, route, there, missing } = SUBJECTS[list.subject];
  const row = (subject: string, more: { readonly count?: number } = {}): Row => {
    const query = new URLSearchParams({
      ...(list.subject === 'query' && { q: subject }),
      ...(more.count !== undefined && { count: String(more.count) }),
    });
    const below = route.replace(/\{\w+\}/, subject);
    const address = `${below}/${path}${query.size > 0 ? `?${query}` : ''}`;
    return read(`${route}/${path}`, address, operation, { [variable]: subject, ...more });
  };
  return [row(there), row(there, { count: 4 }), row(missing)];
});

/** Calls for watches that do not exist, and for one whose webhook is on this machine. */
const watchRows: readonly Row[] = [
  read('/v1/watches', '/v1/watches', 'watches', {}),
  read('/v1/watches/{watch_id}', `/v1/watches/${NO_ID}`, 'watch', { watch_id: NO_ID }),
  read('/v1/watches/{watch_id}/deliveries', `/v1/watches/${NO_ID}/deliveries?count=3`, 'watch-deliveries', {
    watch_id: NO_ID,
    count: 3,
  }),
  ...[{ user: '1', q: 'bread' }, { user: '1' }].map((list) => {
    const body = { ...list, webhook_url: 'https://127.0.0.1/' };
    return write('/v1/watches', body, 'watch-create', body);
  }),
  ...['pause', 'resume', 'end'].map((change) =>
    write(
      `/v1/watches/{watch_id}/${change}`,
      {},
      `watch-${change}`,
      { watch_id: NO_ID },
      `/v1/watches/${NO_ID}/${change}`,
    ),
  ),
  write(
    '/v1/watches/{watch_id}/deliveries/{delivery_id}/send',
    ...([{}, 'watch-send', { watch_id: NO_ID, delivery_id: NO_ID }] as const),
    `/v1/watches/${NO_ID}/deliveries/${NO_ID}/send`,
  ),
];

/** Every endpoint at least once: by default, with all its parameters, found and not found. */
export const ROWS: readonly Row[] = [
  read('/v1/me', '/v1/me', 'me', {}),
  read('/v1/usage', '/v1/usage', 'usage', {}),
  read('/v1/usage', '/v1/usage?group=day,endpoint,key&from=2020-01-01&to=2020-01-02', 'usage', {
    group: 'day,endpoint,key',
    from: '2020-01-01',
    to: '2020-01-02',
  }),
  read('/v1/usage', '/v1/usage?from=yesterday', 'usage', { from: 'yesterday' }),
  read('/v1/usage/{request_id}', `/v1/usage/${NO_ID}`, 'receipt', { request_id: NO_ID }),
  read('/v1/billing/packs', '/v1/billing/packs', 'packs', {}),
  write('/v1/billing/checkout', { pack: 'starter' }, 'checkout', { pack: 'starter' }),
  write('/v1/billing/checkout', { pack: 'huge' }, 'checkout', { pack: 'huge' }),
  ...watchRows,
  read('/v1/users/{handle}', '/v1/users/user1', 'user', { handle: 'user1' }),
  read('/v1/users/{handle}', '/v1/users/@USER2?fresh=true', 'user', { handle: '@USER2', fresh: true }),
  read('/v1/users/{handle}', '/v1/users/nobody', 'user', { handle: 'nobody' }),
  read('/v1/users/batch', '/v1/users/batch?handles=user3,user1,@USER3,nobody,!!', 'users-batch', {
    handles: ['user3', 'user1', '@USER3', 'nobody', '!!'],
  }),
  write('/v1/users/batch', { handles: ['user4', 'nobody'], fresh: true }, 'users-batch', {
    handles: ['user4', 'nobody'],
    fresh: true,
  }),
  ...listRows,
  read('/v1/users/{user}/tweets', '/v1/users/user1/tweets?count=7&fresh=1', 'user-tweets', {
    user: 'user1',
    count: 7,
    fresh: true,
  }),
  read('/v1/tweets/search', '/v1/tweets/search?q=bread&product=people&count=2', 'search', {
    q: 'bread',
    product: 'People',
    count: 2,
  }),
  read('/v1/tweets/{id}', '/v1/tweets/120', 'tweet', { id: '120' }),
  read('/v1/tweets/{id}', '/v1/tweets/999', 'tweet', { id: '999' }),
  read('/v1/tweets/batch', '/v1/tweets/batch?ids=120,121,120,999', 'tweets-batch', {
    ids: ['120', '121', '120', '999'],
  }),
  write('/v1/tweets/batch', { ids: ['122'] }, 'tweets-batch', { ids: ['122'] }),
];

/** Fills a network so that every row has something to read. */
export function fill(net: ScriptedNetwork): void {
  net.users(range(40));
  net.user({ id: '1', handle: 'User1', bio: 'Bread & butter', verified: true, pinnedTweetIds: ['120'] });
  net.tweets(range(60, 101), { authorId: '2', likesCount: 3_000_000_000 });
  const author = net.user({ id: '3', handle: 'user3' });
  net.tweet({
    id: '120',
    author,
    authorId: '3',
    media: [{ type: 'photo', url: 'https://example.org/1.jpg' }],
    urls: [],
  });
  const tweets = range(60, 101).reverse().map(String);
  const users = range(30, 5).map(String);
  for (const kind of LIST_KINDS) {
    const { subject, items } = LISTS[kind];
    net.list(kind, SUBJECTS[subject].there, items === 'tweets' ? tweets : users, { pageSize: 20 });
  }
  net.list('search', 'bread', users.slice(0, 9), { product: 'People' });
}
