export { createPerch, type Perch, type PerchOptions } from './client.js';
export { type DataOf, graphql, type PerchDocument } from './document.js';
export { type ErrorCode, type ErrorDetail, PerchError, type TransportCode } from './errors.js';
export { type FollowEnd, Following, type FollowOptions } from './follow.js';
export { type EndReason, Pages } from './pages.js';
export type { CreditLine, QueryEstimate, QueryOptions, QueryResult, TruncatedList } from './query.js';
export type { components, operations, paths } from './rest.gen.js';
export type { Answer, Estimate, FollowedPath, GetPath, Page, PagedPath, PostPath, PricedPath } from './rest.js';
export type { CallControl, Fetch } from './send.js';
