import type { GraphQLField } from 'graphql';
import type { ServiceError } from '../domain/errors.js';
import {
  type ArgRule,
  type CursorParam,
  checkInputs,
  type NameRule,
  outOfBounds,
  type Price,
} from '../domain/fields.js';
import type { ListKind, ListRef } from '../domain/lists.js';

/** What the schema says about fields and arguments beyond their types (`schema/builder.ts`). */
declare module 'graphql/type/definition.js' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    readonly price?: Price;
    readonly list?: ListKind;
  }
  interface GraphQLArgumentExtensions {
    readonly rule?: ArgRule;
  }
}

export const priceOfField = (field: GraphQLField<unknown, unknown>): Price | undefined => field.extensions.price;

/**
 * The most items the field can return, given its arguments. Inputs that cannot be a name count as none. A size sent as
 * null means the default.
 */
export function maxItems(
  price: Price,
  field: GraphQLField<unknown, unknown>,
  args: Record<string, unknown>,
  { impossible }: Pick<Checks, 'impossible'>,
): number {
  if (price.items === 'one') return 1;
  const value = args[price.items] ?? field.args.find(({ name }) => name === price.items)?.defaultValue;
  if (!Array.isArray(value)) return Number(value ?? 0);
  const kind = price.items === 'handles' ? 'handle' : 'tweetId';
  return value.filter((input) => impossible(kind, String(input)) === undefined).length;
}

/** Checks that only the engine can make. */
export interface Checks {
  /** Throws `bad_request` if the cursor is not one of Perch's (section 4.4.6). */
  readonly cursor: (cursor: string, param: CursorParam) => void;
  /** Throws `bad_request` if the cursor, which must be one of Perch's, belongs to another list or is too old. */
  readonly cursorOf: (list: ListRef, cursor: string, param: CursorParam) => void;
  /** Throws `bad_request` if the network does not understand the query. */
  readonly query: (query: string, product: string) => void;
  /** Why nothing on the network can have the name. */
  readonly impossible: (kind: NameRule, text: string) => ServiceError | undefined;
  /** Whether the network has the list. */
  readonly serves: (list: ListKind) => boolean;
}

type ArgumentChecks = Pick<Checks, 'cursor' | 'query'>;

/**
 * Checks a field's arguments, the same for every interface (C9). Throws `bad_request` saying what is
 * allowed.
 */
export function checkArguments(
  field: GraphQLField<unknown, unknown>,
  args: Record<string, unknown>,
  checks: ArgumentChecks,
): void {
  for (const { name, extensions } of field.args) {
    const { rule } = extensions;
    const value = args[name];
    if (rule && value !== undefined && value !== null) checkArgument(name, value, rule, args, checks);
  }
}

function checkArgument(
  name: string,
  value: unknown,
  rule: ArgRule,
  args: Record<string, unknown>,
  checks: ArgumentChecks,
): void {
  switch (rule.kind) {
    case 'size':
      if (Number(value) < rule.min || Number(value) > rule.max) throw outOfBounds(name, rule, String(value));
      return;
    case 'inputs':
      checkInputs(name, value as unknown[], rule);
      return;
    case 'cursor':
    case 'since':
      checks.cursor(String(value), rule.kind);
      return;
    case 'query':
      checks.query(String(value), String(args.product ?? 'Latest'));
      return;
    // Not checked here: an impossible name costs nothing, so the read reports it whatever the balance (I5).
    case 'handle':
    case 'userId':
    case 'user':
    case 'tweetId':
    case 'nodeId':
      return;
    default:
      rule satisfies never;
  }
}
