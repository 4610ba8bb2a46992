import { type GraphQLLeafType, isEnumType } from 'graphql';
import { batchCode, ERROR_CODES, type ErrorCode } from '../../../src/domain/errors.js';
import type { JsonSchema } from './types.js';

const SCALARS: Readonly<Record<string, JsonSchema>> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  Int: { type: 'integer' },
  Count: { type: 'integer' },
  Float: { type: 'number' },
  Credits: { type: 'number' },
  DateTime: { type: 'string', format: 'date-time' },
};

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

/** What the interface says about single members beyond their type (sections 2 and 4), by type and response name. */
const MORE: Readonly<Record<string, JsonSchema>> = {
  'BatchError.code': { enum: CODES.filter((code) => batchCode(code) === code) },
  'Checkout.url': { format: 'uri' },
  'Receipt.request_id': { format: 'uuid' },
  'UsageRow.day': { format: 'date' },
  'UsageRow.hour': { format: 'date-time' },
};

/** The JSON Schema of a scalar or enumeration at its place. Throws TypeError for a scalar that has no row here. */
export function leafSchema(type: GraphQLLeafType, owner: string, name: string): JsonSchema {
  const more = MORE[`${owner}.${name}`];
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map((value) => value.name), ...more };
  const scalar = SCALARS[type.name];
  if (!scalar) throw new TypeError(`The scalar ${type.name} has no JSON Schema.`);
  return { ...scalar, ...more };
}
