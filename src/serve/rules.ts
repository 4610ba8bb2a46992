import type { GraphQLField } from 'graphql';
import { badRequest } from '../core/errors.js';
import type { Unit } from '../core/prices.js';

/** The schema's extensions as the planner reads them (written by `schema/builder.ts`). */
export interface FieldPrice {
  readonly unit: Unit;
  readonly items: 'one' | 'first' | 'handles' | 'ids';
}

interface ArgumentRule {
  readonly kind: string;
  readonly min: number;
  readonly max: number;
}

export const priceOfField = (field: GraphQLField<unknown, unknown>): FieldPrice | undefined =>
  field.extensions.price as FieldPrice | undefined;

/** How many items the field can return at most, by its arguments. A size sent as null means the default. */
export function itemsOf(
  price: FieldPrice,
  field: GraphQLField<unknown, unknown>,
  args: Record<string, unknown>,
): number {
  if (price.items === 'one') return 1;
  const value = args[price.items] ?? field.args.find(({ name }) => name === price.items)?.defaultValue;
  return Array.isArray(value) ? value.length : Number(value ?? 0);
}

/** What only the engine can tell of an argument. Each throws `bad_request`. */
export interface Checks {
  /** The cursor is one of ours (rule 6). */
  readonly cursor: (cursor: string) => void;
  /** The network understands the query. */
  readonly query: (query: string, product: string) => void;
}

/** A field's arguments, the same for every interface (P1, P8, B1, C9). Throws `bad_request` naming what is right. */
export function checkArguments(
  field: GraphQLField<unknown, unknown>,
  args: Record<string, unknown>,
  checks: Checks,
): void {
  for (const { name, extensions } of field.args) {
    const rule = extensions.rule as ArgumentRule | undefined;
    const value = args[name];
    if (!rule || value === undefined || value === null) continue;
    if (rule.kind === 'size') checkSize(name, Number(value), rule);
    if (rule.kind === 'list') checkList(name, value as unknown[], rule);
    if (rule.kind === 'cursor') checks.cursor(String(value));
    if (rule.kind === 'query') checks.query(String(value), String(args.product ?? 'Latest'));
  }
}

function checkSize(name: string, size: number, { min, max }: ArgumentRule): void {
  if (size < min || size > max) throw badRequest(`${name} must be from ${min} to ${max}, not ${size}.`, name);
}

function checkList(name: string, list: readonly unknown[], { min, max }: ArgumentRule): void {
  if (list.length < min || list.length > max) {
    throw badRequest(`${name} takes ${min} to ${max} items, not ${list.length}.`, name);
  }
}
