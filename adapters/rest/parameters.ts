import {
  type FieldNode,
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  parse,
  typeFromAST,
  valueFromAST,
} from 'graphql';
import type { ArgRule } from '../../src/domain/fields.js';
import { restWords } from './openapi/schema-text.js';

/** One parameter of an endpoint, derived from a variable of its operation and the argument that the variable fills. */
export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly initial: unknown;
  readonly type: 'integer' | 'number' | 'boolean' | 'string' | 'list';
  /** The values of an enumeration, in the schema's spelling. */
  readonly values: readonly string[] | null;
  /** The meanings of the values, as far as the schema states them. */
  readonly meanings: Readonly<Record<string, string>> | null;
  readonly rule: ArgRule | null;
  readonly description: string;
  /** The header that it must be sent in; null: path, query or body. */
  readonly header: string | null;
}

/** Variables that are sent in a header. */
const HEADERS: Readonly<Record<string, string>> = { idempotency_key: 'Idempotency-Key' };

export interface Endpoint {
  /** Whether its field is paid for: only then does a call accept a budget or an estimate. */
  readonly priced: boolean;
  readonly parameters: readonly Parameter[];
  /** The operation's only root field, from which the endpoint's price and description come. */
  readonly field: FieldNode;
  readonly operation: OperationDefinitionNode;
}

/** An endpoint's parameters and price, derived from the text of its persisted operation and the schema. */
export function deriveEndpoint(schema: GraphQLSchema, text: string): Endpoint {
  const operation = parse(text).definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  const field = operation?.selectionSet.selections[0];
  if (!operation || field?.kind !== Kind.FIELD) throw new TypeError('A persisted operation has one root field.');
  const definition = schema.getRootType(operation.operation)?.getFields()[field.name.value];
  const args = definition?.args ?? [];
  const parameters = (operation.variableDefinitions ?? []).map((definition) => {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type as never) as GraphQLInputType;
    const argument = args.find((candidate) => candidate.name === argumentFilledBy(field, name));
    const initial = definition.defaultValue ? valueFromAST(definition.defaultValue, type) : undefined;
    return toParameter(name, type, initial, argument);
  });
  return { parameters, field, operation, priced: definition?.extensions.price !== undefined };
}

const argumentFilledBy = (field: FieldNode, variable: string): string | undefined =>
  field.arguments?.find(({ value }) => value.kind === Kind.VARIABLE && value.name.value === variable)?.name.value;

/** Whether a POST has a body: parameters in its path or headers are not repeated there. */
export const hasBodyFields = (parameters: readonly Parameter[], inPath: readonly string[]): boolean =>
  parameters.some(({ name, header }) => header === null && !inPath.includes(name));

function toParameter(
  name: string,
  type: GraphQLInputType,
  initial: unknown,
  argument: GraphQLArgument | undefined,
): Parameter {
  const named = getNamedType(type);
  return {
    name,
    required: isNonNullType(type),
    initial,
    type: isListType(getNullableType(type)) ? 'list' : wireType(named.name),
    values: isEnumType(named) ? named.getValues().map((value) => value.name) : null,
    meanings: isEnumType(named)
      ? Object.fromEntries(named.getValues().map((value) => [value.name, value.description ?? '']))
      : null,
    rule: argument?.extensions.rule ?? null,
    description: restWords(argument?.description),
    header: HEADERS[name] ?? null,
  };
}

function wireType(named: string): Parameter['type'] {
  if (named === 'Int') return 'integer';
  if (named === 'Credits') return 'number';
  return named === 'Boolean' ? 'boolean' : 'string';
}
