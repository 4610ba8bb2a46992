import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { plus } from './limits.js';

/** The size of a selection set with its fragments expanded. The counts saturate. */
export interface Shape {
  fields: number;
  /** Fields, fragment spreads and inline fragments. */
  selections: number;
  /** Levels of nested fields. */
  depth: number;
  aliases: number;
  /** Fields on the first level, including those of fragments. */
  width: number;
  /** Whether any of it is behind `@skip` or `@include`. */
  isConditional: boolean;
}

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

const NOTHING: Shape = { fields: 0, selections: 0, depth: 0, aliases: 0, width: 0, isConditional: false };

const CONDITIONS: ReadonlySet<string> = new Set([GraphQLSkipDirective.name, GraphQLIncludeDirective.name]);

export function collectFragments({ definitions }: DocumentNode): Fragments {
  const found = new Map<string, FragmentDefinitionNode>();
  for (const node of definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) found.set(node.name.value, node);
  return found;
}

/** Only `__schema`, `__type` and `__typename`: public documentation, open to everyone (G2, U44). */
export const isIntrospection = (operation: OperationDefinitionNode): boolean =>
  operation.selectionSet.selections.every(
    (selection) => selection.kind === Kind.FIELD && selection.name.value.startsWith('__'),
  );

/** Counts in time linear in the text: each fragment once, however often it is spread. */
export class Shapes {
  readonly #fragments: Fragments;
  readonly #known = new Map<string, Shape>();
  readonly #within = new Set<string>();
  /** Set when a fragment was found inside itself: the counts are then too low. */
  isCircular = false;

  constructor(fragments: Fragments) {
    this.#fragments = fragments;
  }

  of(set: SelectionSetNode): Shape {
    const shape = { ...NOTHING };
    for (const selection of set.selections) this.#add(shape, selection);
    return shape;
  }

  /** The fragments that nothing counted so far uses, and their shapes: they are validated, too. */
  rest(): { readonly node: FragmentDefinitionNode; readonly shape: Shape }[] {
    const rest = [];
    for (const node of this.#fragments.values()) {
      if (!this.#known.has(node.name.value)) rest.push({ node, shape: this.#ofFragment(node.name.value) });
    }
    return rest;
  }

  #add(shape: Shape, selection: SelectionNode): void {
    const isField = selection.kind === Kind.FIELD;
    const inner =
      selection.kind === Kind.FRAGMENT_SPREAD
        ? this.#ofFragment(selection.name.value)
        : selection.selectionSet
          ? this.of(selection.selectionSet)
          : NOTHING;
    shape.fields = plus(shape.fields, inner.fields + (isField ? 1 : 0));
    shape.selections = plus(shape.selections, inner.selections + 1);
    shape.depth = Math.max(shape.depth, inner.depth + (isField ? 1 : 0));
    shape.aliases = plus(shape.aliases, inner.aliases + (isField && selection.alias ? 1 : 0));
    shape.width = plus(shape.width, isField ? 1 : inner.width);
    shape.isConditional ||= inner.isConditional || hasCondition(selection);
  }

  #ofFragment(name: string): Shape {
    const known = this.#known.get(name);
    if (known) return known;
    const fragment = this.#fragments.get(name);
    if (!fragment) return NOTHING;
    if (this.#within.has(name)) {
      this.isCircular = true;
      return NOTHING;
    }
    this.#within.add(name);
    const shape = this.of(fragment.selectionSet);
    this.#within.delete(name);
    this.#known.set(name, shape);
    return shape;
  }
}

const hasCondition = ({ directives = [] }: SelectionNode): boolean =>
  directives.some(({ name }) => CONDITIONS.has(name.value));

/** Fields that share a response name at one position in an answer. */
interface Same {
  count: number;
  weight: number;
  readonly below: SelectionSetNode[];
}

/** Characters of arguments that take as long to compare as a field without arguments. */
const ARGUMENT_CHARACTERS = 32;

/**
 * How many comparisons validation needs to check that fields with the same response name can be merged: each pair of
 * them, and their arguments. Walks the expanded fragments, whose size must be bounded first; the fragments must not be
 * circular.
 */
export function countComparisons(sets: readonly SelectionSetNode[], fragments: Fragments): number {
  const names = new Map<string, Same>();
  for (const set of sets) collect(set, fragments, names);
  let sum = 0;
  for (const { count, weight, below } of names.values()) {
    sum = plus(sum, ((count - 1) * weight) / 2);
    if (below.length > 0) sum = plus(sum, countComparisons(below, fragments));
  }
  return Math.ceil(sum);
}

function collect(set: SelectionSetNode, fragments: Fragments, names: Map<string, Same>): void {
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) {
      const name = selection.alias?.value ?? selection.name.value;
      const same = names.get(name) ?? { count: 0, weight: 0, below: [] };
      names.set(name, same);
      same.count += 1;
      same.weight += weightOf(selection);
      if (selection.selectionSet) same.below.push(selection.selectionSet);
    } else {
      const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
      if (inner) collect(inner.selectionSet, fragments, names);
    }
  }
}

function weightOf({ arguments: given = [] }: FieldNode): number {
  const first = given[0]?.loc;
  const last = given.at(-1)?.loc;
  return first && last ? 1 + (last.end - first.start) / ARGUMENT_CHARACTERS : 1;
}
