import {
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Thousandths } from '../domain/credits.js';
import { asServiceError, badRequest, type ServiceError } from '../domain/errors.js';
import { type CursorParam, isName } from '../domain/fields.js';
import { isId, parseUserRef } from '../domain/ids.js';
import type { ListKind, ListRef, Scope } from '../domain/lists.js';
import { PRODUCTS } from '../domain/model.js';
import { itemPrice } from '../domain/prices.js';
import { namedAlone, normaliseQuery, notOneName, sinceAndCursor } from '../read/subjects.js';
import { truncatedMessage } from './document-error.js';
import { type Checks, checkArguments, maxItems, priceOfField } from './rules.js';
import type { Fragments } from './shape.js';

/** Why the field will be refused, as far as that is known before reading. Null if nothing is wrong. */
function faultOf(
  list: ListKind | undefined,
  field: GraphQLField<unknown, unknown>,
  args: Record<string, unknown>,
  checks: Pick<Checks, 'cursorOf' | 'impossible'>,
): ServiceError | null {
  const names = field.args.flatMap(({ name, extensions: { rule } }) =>
    rule && isName(rule) ? [{ kind: rule.kind, text: args[name] }] : [],
  );
  const given = names.filter(({ text }) => text !== undefined && text !== null);
  const [only] = given;
  if (names.length > 0 && given.length !== 1) return notOneName();
  const impossible = only && checks.impossible(only.kind, String(only.text));
  if (impossible) return namedAlone(impossible);
  return list === undefined ? null : findForeignCursor(list, field, args, checks);
}

/**
 * Why the field's cursor cannot continue the field's list, as far as that is known before reading; a user given by
 * handle cannot be compared yet (M26). Null if nothing is wrong.
 */
function findForeignCursor(
  listKind: ListKind,
  field: GraphQLField<unknown, unknown>,
  args: Record<string, unknown>,
  checks: Pick<Checks, 'cursorOf'>,
): ServiceError | null {
  let given: { readonly param: CursorParam; readonly cursor: string } | undefined;
  let list: ListRef | null = null;
  for (const { name, extensions } of field.args) {
    const value = args[name];
    const kind = extensions.rule?.kind;
    if (isCursor(kind)) {
      if (typeof value !== 'string') continue;
      if (given) return sinceAndCursor();
      given = { param: kind, cursor: value };
    } else list ??= listFromArgument(listKind, kind, String(value), args.product);
  }
  if (list === null || given === undefined) return null;
  try {
    checks.cursorOf(list, given.cursor, given.param);
    return null;
  } catch (error) {
    return asServiceError(error);
  }
}

const isCursor = (rule: string | undefined): rule is CursorParam => rule === 'cursor' || rule === 'since';

/** The list, from the argument that names its subject; null for other arguments. */
function listFromArgument(kind: ListKind, rule: string | undefined, value: string, product: unknown): ListRef | null {
  if (rule === 'query') {
    const known = PRODUCTS.find((name) => name === product) ?? 'Latest';
    return { kind, subject: normaliseQuery(value), product: known };
  }
  if (rule === 'tweetId') return isId(value) ? { kind, subject: value } : null;
  const ref = rule === 'user' ? parseUserRef(value) : null;
  return ref !== null && 'id' in ref ? { kind, subject: ref.id } : null;
}

/** The most an operation can cost and return, known before anything is read. */
export interface WorstCase {
  readonly amount: Thousandths;
  readonly items: number;
  /** True if a field asks for a fresh read. */
  readonly fresh: boolean;
  /** A list in the operation that the network does not have (S14). */
  readonly notServed: ListKind | null;
  /** Why the call would be refused even if it can be paid for; null if no reason is known before reading. */
  readonly refused: () => ServiceError | null;
}

/** Most parents that a paid list may be nested under (G10). */
const MAX_PARENTS = 20;

export interface Plan {
  /**
   * True if every root field except `__typename` is a paid read: the answer then depends only on the cache, not on the
   * caller.
   */
  readonly impersonal: boolean;
  /** True if some field of the operation is paid for. */
  readonly priced: boolean;
  /** Everything that the operation may read, for any variables. */
  readonly scopes: ReadonlySet<Scope>;
  /** `checks`: of the network that is read. */
  readonly worst: (variables: Record<string, unknown>, checks: Checks) => WorstCase;
  /** The position of each paid field in the document, by its path: response names joined by dots. */
  readonly ranks: ReadonlyMap<string, number>;
  /** The same paths in the schema's names, as the ledger records them. */
  readonly fieldPaths: ReadonlyMap<string, string>;
}

type Variables = Record<string, unknown>;

/** A priced field in the tree of an operation: its own worst case, and that of the fields below it. */
type PricedNode = (variables: Variables, parents: number, checks: Checks) => WorstCase;

const nowhere = () => null;

const NOTHING: WorstCase = { amount: 0, items: 0, fresh: false, notServed: null, refused: nowhere };

/** Avoids creating functions, because prices of calls are cached and most fields cannot be refused. */
function firstRefusal(one: WorstCase['refused'], other: WorstCase['refused']): WorstCase['refused'] {
  if (one === nowhere) return other;
  return other === nowhere ? one : () => one() ?? other();
}

const plus = (a: WorstCase, b: WorstCase): WorstCase => ({
  amount: a.amount + b.amount,
  items: a.items + b.items,
  fresh: a.fresh || b.fresh,
  notServed: a.notServed ?? b.notServed,
  refused: firstRefusal(a.refused, b.refused),
});

/**
 * Reads an operation once, with its fragments expanded, whose size `measure` has bounded. The resulting plan prices
 * every call of the operation from the variables alone. Throws `bad_request` on arguments out of bounds.
 */
export function planOperation(schema: GraphQLSchema, operation: OperationDefinitionNode, fragments: Fragments): Plan {
  const root = schema.getRootType(operation.operation);
  if (!root) throw badRequest(`The schema has no ${operation.operation}.`);
  const planner = new Planner(schema, fragments);
  const node = planner.ofSelections(operation.selectionSet, root, TOP);
  return {
    priced: planner.priced,
    scopes: planner.scopes,
    impersonal: isImpersonal(operation, root),
    worst: (variables, checks) => priced(() => node(variables, 1, checks)),
    ranks: planner.ranks,
    fieldPaths: planner.fieldPaths,
  };
}

/** A variable may be null where the document does not allow it; that shows only when the values are read. */
function priced(price: () => WorstCase): WorstCase {
  try {
    return price();
  } catch (error) {
    throw error instanceof GraphQLError ? badRequest(truncatedMessage(error.message), 'variables') : error;
  }
}

const isImpersonal = (operation: OperationDefinitionNode, root: GraphQLObjectType): boolean =>
  operation.selectionSet.selections.every((selection) => {
    if (selection.kind === Kind.FIELD && selection.name.value === '__typename') return true;
    const field = selection.kind === Kind.FIELD ? root.getFields()[selection.name.value] : undefined;
    return field !== undefined && priceOfField(field) !== undefined;
  });

/** The path of a field: in the answer, with the caller's aliases, and in the schema's own names. */
interface Path {
  readonly response: string;
  readonly schema: string;
}

const TOP: Path = { response: '', schema: '' };

class Planner {
  priced = false;
  readonly scopes = new Set<Scope>();
  readonly ranks = new Map<string, number>();
  readonly fieldPaths = new Map<string, string>();
  readonly #schema: GraphQLSchema;
  readonly #fragments: Fragments;

  constructor(schema: GraphQLSchema, fragments: Fragments) {
    this.#schema = schema;
    this.#fragments = fragments;
  }

  ofSelections(set: SelectionSetNode, parent: GraphQLObjectType, path: Path): PricedNode {
    const nodes: PricedNode[] = [];
    for (const selection of set.selections) {
      const node = this.#ofSelection(selection, parent, path);
      if (node) nodes.push(unlessSkipped(selection, node));
    }
    if (nodes.length === 0) return () => NOTHING;
    return (variables, parents, checks) =>
      nodes.reduce((sum, node) => plus(sum, node(variables, parents, checks)), NOTHING);
  }

  #ofSelection(
    selection: SelectionSetNode['selections'][number],
    parent: GraphQLObjectType,
    path: Path,
  ): PricedNode | null {
    if (selection.kind === Kind.FIELD) return this.#ofField(selection, parent, path);
    const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(selection.name.value) : selection;
    if (!fragment) return null;
    const condition = fragment.typeCondition && this.#schema.getType(fragment.typeCondition.name.value);
    return this.ofSelections(fragment.selectionSet, isObjectType(condition) ? condition : parent, path);
  }

  #ofField(node: FieldNode, parent: GraphQLObjectType, above: Path): PricedNode | null {
    const field = parent.getFields()[node.name.value];
    if (!field) return null;
    const name = node.alias?.value ?? node.name.value;
    const path = above === TOP ? name : `${above.response}.${name}`;
    const named = above === TOP ? field.name : `${above.schema}.${field.name}`;
    const price = priceOfField(field);
    const { list } = field.extensions;
    if (price) {
      this.priced = true;
      this.scopes.add(list ?? (price.unit === 'tweet' ? 'tweets' : 'profiles'));
      if (!this.ranks.has(path)) this.ranks.set(path, this.ranks.size);
      if (!this.fieldPaths.has(path)) this.fieldPaths.set(path, named);
    }
    const cursors = field.args.filter(({ extensions }) => isCursor(extensions.rule?.kind)).map((arg) => arg.name);
    const type = getNamedType(field.type);
    // Members of a union or interface are reached through fragments, which have their own type condition.
    const inner = isObjectType(type) ? type : isUnionType(type) || isInterfaceType(type) ? parent : null;
    const below: PricedNode =
      node.selectionSet && inner
        ? this.ofSelections(node.selectionSet, inner, { response: path, schema: named })
        : () => NOTHING;
    return (variables, parents, checks) => {
      const args = getArgumentValues(field, node, variables);
      checkArguments(field, args, checks);
      if (!price) return below(variables, parents, checks);
      if (price.items === 'first' && parents > MAX_PARENTS) {
        throw badRequest(
          `${node.name.value} would be read for up to ${parents} parents; a paid list is allowed under at most ${MAX_PARENTS}. Request fewer parents (first: ${MAX_PARENTS}).`,
          'first',
        );
      }
      const fresh = args.fresh === true;
      // For a nested field the subject of a list is not known yet.
      const fault = () => faultOf(above === TOP ? list : undefined, field, args, checks);
      const isRefused = fault() !== null;
      // Prices of calls are cached, and a cursor may expire meanwhile. An error would take memory, so it is created again
      // when needed.
      const refused = isRefused || cursors.some((cursor) => args[cursor] != null) ? fault : nowhere;
      const items = isRefused ? 0 : maxItems(price, field, args, checks) * parents;
      const amount = items * itemPrice(price.unit, fresh ? 'bypass' : 'miss');
      const notServed = list !== undefined && !checks.serves(list) ? list : null;
      const own = { notServed, items, fresh, amount, refused };
      return plus(own, below(variables, items, checks));
    };
  }
}

/** Respects `@skip` and `@include`: a skipped field is not priced. */
function unlessSkipped(node: SelectionSetNode['selections'][number], priced: PricedNode): PricedNode {
  if (!node.directives?.length) return priced;
  return (variables, parents, checks) => {
    const skipped = getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true;
    const included = getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false;
    return skipped || !included ? NOTHING : priced(variables, parents, checks);
  };
}
