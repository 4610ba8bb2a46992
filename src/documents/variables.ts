import { type GraphQLSchema, getVariableValues, Kind, type OperationDefinitionNode, type TypeNode } from 'graphql';
import { badRequest } from '../domain/errors.js';
import { DocumentError, type NodeLocations } from './document-error.js';
import { formatCount, LIMITS } from './limits.js';

type Values = Record<string, unknown>;

/**
 * The variables of an operation with their defaults. Throws `bad_request` if they are invalid. Their number and depth
 * are checked before anything else.
 */
export function coerced(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  locations: NodeLocations,
  variables: Values,
): Values {
  checkSize(variables);
  checkIds(operation, variables);
  const result = getVariableValues(schema, operation.variableDefinitions ?? [], variables, { maxErrors: 10 });
  if (result.errors) throw new DocumentError(result.errors.map((error) => locations.locate(error)));
  return result.coerced;
}

/** Throws `bad_request` for an id sent as a number that JSON may have rounded (G22). */
function checkIds({ variableDefinitions = [] }: OperationDefinitionNode, variables: Values): void {
  for (const { variable, type } of variableDefinitions) {
    const name = variable.name.value;
    const sent = [variables[name]].flat(LIMITS.valueDepth);
    if (
      namedTypeName(type) === 'ID' &&
      sent.some((value) => typeof value === 'number' && !Number.isSafeInteger(value))
    ) {
      throw badRequest(`Send $${name} as a string: JSON numbers lose digits beyond 9007199254740991.`, name);
    }
  }
}

const namedTypeName = (type: TypeNode): string =>
  type.kind === Kind.NAMED_TYPE ? type.name.value : namedTypeName(type.type);

/** Throws `bad_request` as soon as there are too many or too deeply nested values. */
export function checkSize(variables: Values): void {
  let level: object[] = [variables];
  let values = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > LIMITS.valueDepth) {
      throw badRequest(
        `The variables are nested more than ${LIMITS.valueDepth} levels deep; at most ${LIMITS.valueDepth} are allowed.`,
        'variables',
      );
    }
    const below: object[] = [];
    for (const item of level) {
      const inner = Object.values(item);
      values += inner.length;
      if (values > LIMITS.variableValues) throw tooMany(values);
      for (const value of inner) if (typeof value === 'object' && value !== null) below.push(value);
    }
    level = below;
  }
}

const tooMany = (values: number) =>
  badRequest(
    `The variables have ${formatCount(values)} values or more; at most ${formatCount(LIMITS.variableValues)} are allowed.`,
    'variables',
  );
