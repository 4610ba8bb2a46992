/** Every `/v1` endpoint (section 4): the operation it runs says the rest. Paths with a name in them come after fixed ones. */
export interface RouteRow {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The persisted operation, a file of `schema/operations`. */
  readonly operation: string;
  /** The statuses that section 4 lists beside 200, 401, 429 and 500. */
  readonly statuses: readonly (400 | 402 | 403 | 404 | 503)[];
}

export const ROUTES: readonly RouteRow[] = [
  { method: 'GET', path: '/v1/me', operation: 'me', statuses: [] },
  { method: 'GET', path: '/v1/usage', operation: 'usage', statuses: [400, 503] },
  { method: 'GET', path: '/v1/usage/{request_id}', operation: 'receipt', statuses: [404, 503] },
  { method: 'GET', path: '/v1/billing/packs', operation: 'packs', statuses: [] },
  { method: 'POST', path: '/v1/billing/checkout', operation: 'checkout', statuses: [400, 403, 503] },
  { method: 'GET', path: '/v1/users/batch', operation: 'users-batch', statuses: [400, 402, 503] },
  { method: 'POST', path: '/v1/users/batch', operation: 'users-batch', statuses: [400, 402, 503] },
  { method: 'GET', path: '/v1/users/{handle}', operation: 'user', statuses: [400, 402, 404, 503] },
  { method: 'GET', path: '/v1/users/{user}/tweets', operation: 'user-tweets', statuses: [400, 402, 404, 503] },
  { method: 'GET', path: '/v1/users/{user}/followers', operation: 'followers', statuses: [400, 402, 403, 404, 503] },
  {
    method: 'GET',
    path: '/v1/users/{user}/followers/ids',
    operation: 'follower-ids',
    statuses: [400, 402, 403, 404, 503],
  },
  { method: 'GET', path: '/v1/users/{user}/following', operation: 'following', statuses: [400, 402, 403, 404, 503] },
  { method: 'GET', path: '/v1/tweets/search', operation: 'search', statuses: [400, 402, 403, 503] },
  { method: 'GET', path: '/v1/tweets/batch', operation: 'tweets-batch', statuses: [400, 402, 503] },
  { method: 'POST', path: '/v1/tweets/batch', operation: 'tweets-batch', statuses: [400, 402, 503] },
  { method: 'GET', path: '/v1/tweets/{id}', operation: 'tweet', statuses: [400, 402, 404, 503] },
  { method: 'GET', path: '/v1/tweets/{id}/thread', operation: 'thread', statuses: [400, 402, 404, 503] },
  { method: 'GET', path: '/v1/tweets/{id}/replies', operation: 'replies', statuses: [400, 402, 404, 503] },
  { method: 'GET', path: '/v1/tweets/{id}/quotes', operation: 'quotes', statuses: [400, 402, 403, 404, 503] },
  { method: 'GET', path: '/v1/tweets/{id}/retweeters', operation: 'retweeters', statuses: [400, 402, 403, 404, 503] },
];
