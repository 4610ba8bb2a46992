import {
  type ExecutionResult,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import type { BoundedMap } from '../lib/bounded-map.js';
import { digestText } from '../lib/digest.js';
import type { Memories } from '../lib/memories.js';
import { LIMITS, plus, refuseOver } from './limits.js';
import type { Fragments } from './shape.js';

/** The parts of the schema that a selection set reads, and how often each appears in the answer. */
type Parts = ReadonlyMap<unknown, number>;

/** `"":,` around the name of a field. */
const PUNCTUATION = 4;
/** Around an object or a list. */
const BRACKETS = 2;

/**
 * Refuses introspection whose answer would be too large, whatever else the operation asks for. The size is counted
 * without executing the operation: a part of the schema that appears a thousand times in the answer is visited only
 * once per field. Throws `DocumentError` (400).
 */
export function checkIntrospection(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: Fragments,
): void {
  const scale = new Scale(schema, fragments);
  scale.ofRoot(operation.selectionSet);
  // Counting stops just beyond the bound, so the exact size is not known.
  const are = 'The introspection result would have at least';
  refuseOver(scale.bytes, LIMITS.introspectionBytes, are, 'bytes');
}

class Scale {
  bytes = 0;
  readonly #schema: GraphQLSchema;
  readonly #fragments: Fragments;

  constructor(schema: GraphQLSchema, fragments: Fragments) {
    this.#schema = schema;
    this.#fragments = fragments;
  }

  ofRoot(set: SelectionSetNode): void {
    for (const node of this.#fieldsOf(set)) {
      if (!node.selectionSet) continue;
      if (node.name.value === '__schema') this.#of(node.selectionSet, fieldType(SchemaMetaFieldDef), one(this.#schema));
      // A variable may name any type: counting all of them is an upper bound.
      const types = new Map(Object.values(this.#schema.getTypeMap()).map((type) => [type, 1]));
      if (node.name.value === '__type') this.#of(node.selectionSet, fieldType(TypeMetaFieldDef), types);
    }
  }

  /** Includes fields behind fragments and directives: all of them may be in the answer. */
  *#fieldsOf(set: SelectionSetNode): Generator<FieldNode> {
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) yield node;
      else {
        const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : this.#fragments.get(node.name.value);
        if (fragment) yield* this.#fieldsOf(fragment.selectionSet);
      }
    }
  }

  #of(set: SelectionSetNode, type: GraphQLObjectType, parts: Parts): void {
    for (const node of this.#fieldsOf(set)) {
      if (this.bytes > LIMITS.introspectionBytes) return;
      const key = (node.alias ?? node.name).value.length + PUNCTUATION;
      const field = type.getFields()[node.name.value];
      const below = new Map<unknown, number>();
      for (const [part, count] of parts) {
        this.bytes = plus(this.bytes, key * count);
        this.#add(field ? this.#read(field, part) : type.name, count, below, node.selectionSet !== undefined);
      }
      const inner = field && getNamedType(field.type);
      if (node.selectionSet && isObjectType(inner)) this.#of(node.selectionSet, inner, below);
    }
  }

  #add(value: unknown, count: number, below: Map<unknown, number>, isObject: boolean): void {
    if (Array.isArray(value)) {
      this.bytes = plus(this.bytes, (BRACKETS + value.length) * count);
      for (const item of value) this.#add(item, count, below, isObject);
    } else if (isObject && value !== null && value !== undefined) {
      below.set(value, plus(below.get(value) ?? 0, count));
      this.bytes = plus(this.bytes, BRACKETS * count);
    } else {
      this.bytes = plus(this.bytes, count * (JSON.stringify(value)?.length ?? PUNCTUATION));
    }
  }

  #read(field: GraphQLField<unknown, unknown>, part: unknown): unknown {
    // The introspection resolvers use nothing else. Deprecated fields count whether or not they are asked for.
    const info = { schema: this.#schema, fieldName: field.name } as GraphQLResolveInfo;
    return field.resolve?.(part, { includeDeprecated: true }, null, info);
  }
}

const one = (part: unknown): Parts => new Map([[part, 1]]);
const fieldType = (field: GraphQLField<unknown, unknown>) => getNamedType(field.type) as GraphQLObjectType;

/** An answer, and its data as JSON, so that the same bytes are sent for every equal request. */
export interface IntrospectionResult extends ExecutionResult {
  readonly dataText: string;
}

/** Upper bound of the memory an answer takes per character of its JSON, including the JSON itself. */
const BYTES_PER_CHARACTER = 14;
const OVERHEAD_BYTES = 1024;

/**
 * Answers to introspection, each made once for all callers. Bounded by weight; the least recently used are dropped
 * first.
 */
export class IntrospectionResults {
  readonly #results: BoundedMap<IntrospectionResult>;

  constructor(memories: Memories) {
    this.#results = memories.map('introspection_answers', {
      weigh: ({ dataText }) => OVERHEAD_BYTES + BYTES_PER_CHARACTER * dataText.length,
    });
  }

  /** `id` identifies the operation. */
  of(id: string, variables: Record<string, unknown>, make: () => ExecutionResult): IntrospectionResult {
    const key = digestText(`${id} ${JSON.stringify(variables)}`);
    const known = this.#results.get(key);
    if (known) return known;
    const made = make();
    const result = { ...made, dataText: JSON.stringify(made.data ?? null) };
    this.#results.set(key, result);
    return result;
  }
}
