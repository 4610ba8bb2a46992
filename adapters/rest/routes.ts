import { LIST_READS, type List, type ListRead } from '../../src/domain/lists.js';

/**
 * Every `/v1` endpoint (section 4). Everything else about it follows from the operation that it runs. Endpoints of
 * lists are derived from `src/domain/lists.ts`. Paths with a name in them come after fixed ones.
 */
export interface RouteRow {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The persisted operation. */
  readonly operation: string;
  /** Its statuses, apart from 200, 401, 403, 429 and 500. */
  readonly statuses: readonly (400 | 402 | 404 | 503)[];
}

/** The path that the lists of a subject are under. */
const PATHS: Readonly<Record<List['subject'], string>> = {
  user: '/v1/users/{user}',
  tweet: '/v1/tweets/{id}',
  query: '/v1/tweets',
};

const listRow = ({ list, path, operation }: ListRead): RouteRow => ({
  method: 'GET',
  path: `${PATHS[list.subject]}/${path}`,
  operation,
  statuses: [400, 402, ...(list.subject === 'query' ? [] : [404 as const]), 503],
});

const listRoutes = (subject: List['subject']): RouteRow[] =>
  LIST_READS.filter(({ list }) => list.subject === subject).map(listRow);

export const ROUTES: readonly RouteRow[] = [
  { method: 'GET', path: '/v1/me', operation: 'me', statuses: [] },
  { method: 'GET', path: '/v1/usage', operation: 'usage', statuses: [400, 503] },
  { method: 'GET', path: '/v1/usage/{request_id}', operation: 'receipt', statuses: [404, 503] },
  { method: 'GET', path: '/v1/billing/packs', operation: 'packs', statuses: [] },
  { method: 'POST', path: '/v1/billing/checkout', operation: 'checkout', statuses: [400, 503] },
  { method: 'GET', path: '/v1/watches', operation: 'watches', statuses: [] },
  { method: 'POST', path: '/v1/watches', operation: 'watch-create', statuses: [400, 402, 404, 503] },
  { method: 'GET', path: '/v1/watches/{watch_id}', operation: 'watch', statuses: [404] },
  ...(['pause', 'resume', 'end'] as const).map(
    (change): RouteRow => ({
      ...{ method: 'POST', path: `/v1/watches/{watch_id}/${change}`, operation: `watch-${change}` },
      statuses: [400, 404],
    }),
  ),
  {
    method: 'GET',
    path: '/v1/watches/{watch_id}/deliveries',
    operation: 'watch-deliveries',
    statuses: [400, 404],
  },
  {
    ...{ method: 'POST', path: '/v1/watches/{watch_id}/deliveries/{delivery_id}/send', operation: 'watch-send' },
    statuses: [404],
  },
  { method: 'GET', path: '/v1/users/batch', operation: 'users-batch', statuses: [400, 402, 503] },
  { method: 'POST', path: '/v1/users/batch', operation: 'users-batch', statuses: [400, 402, 503] },
  { method: 'GET', path: '/v1/users/{handle}', operation: 'user', statuses: [400, 402, 404, 503] },
  ...listRoutes('user'),
  ...listRoutes('query'),
  { method: 'GET', path: '/v1/tweets/batch', operation: 'tweets-batch', statuses: [400, 402, 503] },
  { method: 'POST', path: '/v1/tweets/batch', operation: 'tweets-batch', statuses: [400, 402, 503] },
  { method: 'GET', path: '/v1/tweets/{id}', operation: 'tweet', statuses: [400, 402, 404, 503] },
  ...listRoutes('tweet'),
];

/** Most lists in one stream of `/v1/live`: their positions must fit in a header, and proxies limit headers to 8 KiB. */
export const MOST_LISTS = 100;
