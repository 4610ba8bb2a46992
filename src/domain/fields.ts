import { badRequest, type ServiceError } from './errors.js';
import type { PageSize } from './lists.js';
import type { Unit } from './prices.js';

/** The unit of a field, and how many items it can return at most: one, as many as its `first`, or one per input. */
export interface Price {
  readonly unit: Unit;
  readonly items: 'one' | 'first' | 'handles' | 'ids';
}

export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** What an argument allows beyond its type. The same for every interface, and checked before anything is read. */
export type ArgRule =
  | ({ readonly kind: 'size' } & Bounds)
  | ({ readonly kind: 'inputs' } & Bounds)
  | { readonly kind: CursorParam }
  | { readonly kind: NameRule }
  | { readonly kind: 'query' };

/** The parameters that take a cursor: `cursor` continues a list after a page, `since` asks for items newer than it. */
export type CursorParam = 'cursor' | 'since';

/** What an argument names: a user by handle, by id or by either; a tweet; or a user or tweet by its global id. */
export type NameRule = 'handle' | 'userId' | 'user' | 'tweetId' | 'nodeId';

/** Most characters of a cursor: it must fit in a header or a URL (C1, U29). */
export const MAX_CURSOR_LENGTH = 512;

const BATCH_MAX = 100;
/** Number of inputs in a batch (section 8.2). */
export const BATCH: Bounds = { min: 1, max: BATCH_MAX };

const MOST_USAGE_ROWS = 1000;
/** Rows on a page of usage. */
export const USAGE_PAGE: PageSize = { initial: MOST_USAGE_ROWS, max: MOST_USAGE_ROWS };

/** Deliveries of a watch on a page. */
export const DELIVERY_PAGE: PageSize = { initial: 20, max: 100 };
/** The most bytes of their bodies on a page, and in the answer to one operation. */
export const MOST_DELIVERY_BYTES = 4 * 1024 * 1024;

/** Items on a page. */
export const sizeRule = ({ max }: PageSize): ArgRule => ({ kind: 'size', min: 1, max });

/** The rule for the inputs of a batch. */
export const INPUTS_RULE: ArgRule = { kind: 'inputs', ...BATCH };

/** Values out of bounds are refused, never clamped (P1); `sent` is what the caller wrote. */
export const outOfBounds = (name: string, { min, max }: Bounds, sent: string): ServiceError =>
  badRequest(`${name} must be a whole number from ${min} to ${max}, not ${sent}.`, name);

/** Throws `bad_request` on too few or too many inputs (B1). */
export function checkInputs(name: string, { length }: readonly unknown[], { min, max }: Bounds): void {
  if (length < min || length > max) throw badRequest(`${name} takes ${min} to ${max} items, not ${length}.`, name);
}

const NAMES: readonly string[] = ['handle', 'userId', 'user', 'tweetId', 'nodeId'] satisfies NameRule[];

export const isName = (rule: ArgRule): rule is { readonly kind: NameRule } => NAMES.includes(rule.kind);
