import type { FollowOptions } from './follow.js';
import type { components, paths } from './rest.gen.js';
import type { CallControl } from './send.js';

type Schemas = components['schemas'];

/** Paths with a method whose answer is JSON. */
type PathOf<Method extends 'get' | 'post'> = {
  [P in keyof paths]: paths[P][Method] extends { responses: { 200: { content: { 'application/json': unknown } } } }
    ? P
    : never;
}[keyof paths];

export type GetPath = PathOf<'get'>;
export type PostPath = PathOf<'post'>;
export type Get<P extends GetPath> = NonNullable<paths[P]['get']>;
export type Post<P extends PostPath> = NonNullable<paths[P]['post']>;

type Body<Operation> = Operation extends { responses: { 200: { content: { 'application/json': infer Json } } } }
  ? Json
  : never;

/** The body of an answer, except the answer to `estimate=true`, for which there is `estimate`. */
export type Answer<Operation> = Exclude<Body<Operation>, Schemas['EstimateResponse']>;

type QueryOf<Operation> = Operation extends { parameters: { query?: infer Query } } ? NonNullable<Query> : never;

type PathPart<Operation> = Operation extends { parameters: { path: infer Path } } ? { readonly path: Path } : unknown;

type QueryPart<Operation, Ours extends string> = [QueryOf<Operation>] extends [never]
  ? unknown
  : Partial<QueryOf<Operation>> extends QueryOf<Operation>
    ? { readonly query?: Omit<QueryOf<Operation>, Ours> }
    : { readonly query: Omit<QueryOf<Operation>, Ours> };

/** The budget is given in the query. */
type HeaderOf<Operation> = Operation extends { parameters: { header?: infer Header } }
  ? Omit<NonNullable<Header>, 'X-Max-Credits'>
  : never;

type HeaderPart<Operation> = [keyof HeaderOf<Operation>] extends [never]
  ? unknown
  : { readonly header?: HeaderOf<Operation> };

/** Paths whose query has a given parameter. */
type PathWith<Name extends string> = {
  [P in GetPath]: [QueryOf<Get<P>>] extends [never] ? never : Name extends keyof QueryOf<Get<P>> ? P : never;
}[GetPath];

type BodyPart<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Json } } }
  ? { readonly body: Omit<Json, 'estimate'> }
  : unknown;

/** A call's input: `path`, `query`, `header` and `body`, if the operation has them, and how the call is sent. */
export type CallInit<Operation> = PathPart<Operation> &
  QueryPart<Operation, 'estimate'> &
  HeaderPart<Operation> &
  BodyPart<Operation> &
  CallControl;

/** The rest parameter of a call: it may be left out if nothing is required. */
export type Given<Init> = Partial<Init> extends Init ? [init?: Init] : [init: Init];

/** Paths that `estimate` prices. */
export type PricedPath = PathWith<'estimate'>;

/** Paths that are read page by page and charged. */
export type PagedPath = PathWith<'cursor'> & PathWith<'max_credits'>;

/** Not `since`: what is newer has no pages, and would end as `complete` after the first. */
export type PageInit<P extends PagedPath> = PathPart<Get<P>> &
  QueryPart<Get<P>, 'estimate' | 'max_credits' | 'since'> &
  CallControl & {
    /** Maximum credits for all pages together, with at most three decimals. */
    readonly maxCredits: number;
  };

/** Paths of lists that can be followed. */
export type FollowedPath = PathWith<'since'> & PagedPath;

export type FollowInit<P extends FollowedPath> = PathPart<Get<P>> &
  QueryPart<Get<P>, 'estimate' | 'max_credits' | 'cursor'> &
  CallControl &
  FollowOptions;

/** An item of a page. */
export type ItemOf<P extends FollowedPath> = Page<P> extends { readonly data: readonly (infer Item)[] } ? Item : never;

export type Page<P extends PagedPath> = Answer<Get<P>>;
export type Estimate = Schemas['Estimate'];
