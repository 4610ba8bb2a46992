import { isDeepStrictEqual } from 'node:util';
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { batchCode, ERROR_CODES, type ErrorCode } from '../../../src/domain/errors.js';
import { refTo, restWords } from './schema-text.js';
import type { JsonSchema } from './types.js';

const SCALARS: Readonly<Record<string, JsonSchema>> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  Int: { type: 'integer', format: 'int32' },
  // Counts exceed 32 bits (T12).
  Count: { type: 'integer', format: 'int64' },
  Float: { type: 'number' },
  Credits: { type: 'number' },
  DateTime: { type: 'string', format: 'date-time' },
};

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

/** Constraints on single members beyond their type (sections 2 and 4), by type and response name. */
const MORE: Readonly<Record<string, JsonSchema>> = {
  'BatchError.code': { enum: CODES.filter((code) => batchCode(code) === code) },
  'Checkout.url': { format: 'uri' },
  'Receipt.request_id': { format: 'uuid' },
  'UsageRow.day': { format: 'date' },
  'UsageRow.hour': { format: 'date-time' },
};

/**
 * The JSON Schema of a scalar or enumeration as this member. Throws TypeError for a scalar that is not in `SCALARS`.
 */
function leafSchema(type: GraphQLLeafType, owner: string, name: string): JsonSchema {
  const more = MORE[`${owner}.${name}`];
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map((value) => value.name), ...more };
  const scalar = SCALARS[type.name];
  if (!scalar) throw new TypeError(`The scalar ${type.name} has no JSON Schema.`);
  return { ...scalar, ...more };
}

/** One member of an answer: its name, the field that it comes from, and the selection below it. */
export interface Member {
  readonly name: string;
  readonly owner: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
  readonly node: FieldNode;
}

/** The selections of all operations as component schemas, one for each object type and named like it. */
export class Selections {
  readonly components: Record<string, JsonSchema> = {};
  readonly #schema: GraphQLSchema;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();

  constructor(schema: GraphQLSchema, documents: readonly DocumentNode[]) {
    this.#schema = schema;
    for (const node of documents.flatMap((document) => document.definitions)) {
      if (node.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(node.name.value, node);
    }
  }

  /**
   * The members that a selection takes from an object, with fragments resolved; for a union, only those of this type.
   */
  members(type: GraphQLObjectType, set: SelectionSetNode | undefined): Member[] {
    return (set?.selections ?? []).flatMap((node) => {
      if (node.kind === Kind.FIELD) return [this.member(type, node)];
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(node.name.value) : node;
      const condition = fragment?.typeCondition?.name.value;
      if (!fragment || (condition !== undefined && condition !== type.name)) return [];
      return this.members(type, fragment.selectionSet);
    });
  }

  member(owner: GraphQLObjectType, node: FieldNode): Member {
    const field = owner.getFields()[node.name.value];
    if (!field) throw new TypeError(`${owner.name} has no field ${node.name.value}.`);
    return { name: node.alias?.value ?? node.name.value, owner, field, node };
  }

  /** The schema of a member's value, with its field's description. */
  schemaOf({ name, owner, field, node }: Member): JsonSchema {
    const description = restWords(field.description);
    return { ...this.#valueOf(field.type, node, owner.name, name), ...(description !== '' && { description }) };
  }

  #valueOf(type: GraphQLOutputType, node: FieldNode, owner: string, name: string): JsonSchema {
    const value = getNullableType(type);
    if (isListType(value)) {
      return { type: 'array', items: this.#valueOf(value.ofType as GraphQLOutputType, node, owner, name) };
    }
    const named = getNamedType(value);
    if (isLeafType(named)) return leafSchema(named, owner, name);
    if (isObjectType(named)) return this.refTo(named, node.selectionSet);
    if (isUnionType(named)) return { anyOf: named.getTypes().map((each) => this.refTo(each, node.selectionSet)) };
    throw new TypeError(`${owner}.${name} is neither an object nor a leaf.`);
  }

  refTo(type: GraphQLObjectType, set: SelectionSetNode | undefined): { $ref: string } {
    const description = restWords(type.description);
    return this.add(type.name, { description, ...this.objectOf(this.members(type, set)) });
  }

  /** Members that are never null are required: null members are left out of answers (G13). */
  objectOf(members: readonly Member[]): JsonSchema {
    const required = members.filter(({ field }) => isNonNullType(field.type)).map(({ name }) => name);
    return {
      type: 'object',
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(members.map((member) => [member.name, this.schemaOf(member)])),
    };
  }

  /** Throws TypeError when two operations would give one name to different schemas. */
  add(name: string, schema: JsonSchema): { $ref: string } {
    const known = this.components[name];
    if (known && !isDeepStrictEqual(known, schema))
      throw new TypeError(`Two operations give ${name} different members.`);
    this.components[name] = schema;
    return refTo('schemas', name);
  }

  /** The only field of an operation. */
  rootOf({ operation, selectionSet }: OperationDefinitionNode): Member {
    const type = this.#schema.getRootType(operation);
    const [node] = selectionSet.selections;
    if (!type || node?.kind !== Kind.FIELD) throw new TypeError('A persisted operation has one root field.');
    return this.member(type, node);
  }
}
