import type { JsonSchema, OpenapiDocument } from './types.js';

type Schemas = OpenapiDocument['components']['schemas'];

/** A member of an object, with its own schema. */
export interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** The last part of a reference: the name of a component. */
export const nameIn = (reference: string): string => reference.split('/').at(-1) ?? '';

/** The members of an object, including those of its `allOf` parts. */
export function fieldsOf(schema: JsonSchema, schemas: Schemas): Field[] {
  if (schema.$ref) return fieldsOf(schemas[nameIn(schema.$ref)] ?? {}, schemas);
  const own = Object.entries(schema.properties ?? {}).map(([name, each]) => ({
    name,
    schema: each,
    required: schema.required?.includes(name) ?? false,
  }));
  return [...(schema.allOf ?? []).flatMap((part) => fieldsOf(part, schemas)), ...own];
}

/** `1 to 100`, `at most 200`, or nothing. */
export function boundsOf({ minimum, maximum, minItems, maxItems }: JsonSchema): string {
  const [low, high] = [minimum ?? minItems, maximum ?? maxItems];
  if (low !== undefined && high !== undefined) return `${low} to ${high}`;
  return high === undefined ? '' : `at most ${high}`;
}
