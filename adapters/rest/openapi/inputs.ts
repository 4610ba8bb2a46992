import { BATCH } from '../../../src/domain/fields.js';
import { PACKS } from '../../../src/domain/tiers.js';
import { MAX_QUERY_LENGTH } from '../../../src/read/subjects.js';
import type { Parameter } from '../parameters.js';
import type { RouteRow } from '../routes.js';
import { refTo } from './schema-text.js';
import type { Selections } from './selections.js';
import type { ApiOperation, ApiParameter, JsonSchema, Reference } from './types.js';

/** The parameters that every paid read takes in addition to its own. */
export const BUDGET_PARAMETERS: Readonly<Record<string, ApiParameter>> = {
  MaxCredits: {
    name: 'max_credits',
    in: 'query',
    description:
      'Budget: the maximum credits to spend on this call, with at most three decimals; lists are trimmed to it.',
    schema: { type: 'number', minimum: 0 },
    example: 12.5,
  },
  MaxCreditsHeader: {
    name: 'X-Max-Credits',
    in: 'header',
    description: 'The same as `max_credits`. If both are sent and differ: 400.',
    // A string, because generated clients send headers as text.
    schema: { type: 'string', pattern: '^[0-9]+(\\.[0-9]{1,3})?$' },
    example: '12.5',
  },
  Estimate: {
    name: 'estimate',
    in: 'query',
    description: 'Return the maximum price of the call as `estimate` instead of `data`; nothing is read or charged.',
    schema: { type: 'boolean', default: false },
  },
};

/** Constraints on single parameters beyond their type in the schema. */
const MORE: Readonly<Record<string, JsonSchema>> = {
  pack: { enum: PACKS.map(({ name }) => name) },
  from: { format: 'date' },
  to: { format: 'date' },
  request_id: { format: 'uuid' },
  watch_id: { format: 'uuid' },
  delivery_id: { format: 'uuid' },
  webhook_url: { format: 'uri', maxLength: 2000 },
  idempotency_key: { minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
};

/** Example values, which exist on the demo network. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  handle: 'harbor_obs',
  user: 'harbor_obs',
  id: '1898072654607286272',
  q: 'from:harbor_obs filter:images',
  handles: ['harbor_obs', 'brindleferries', 'no_such_handle'],
  ids: ['1898072654607286272', '1898285557478326272'],
  pack: 'starter',
  idempotency_key: 'order-1042',
  request_id: '019e1d2a-7c40-7b53-9f11-2d6a8e4c0b97',
  watch_id: '019e1d2c-3f10-7d20-a1c4-5b7e8f9a0b1c',
  delivery_id: '019e1d2a-7c40-7b53-9f11-2d6a8e4c0b97',
  webhook_url: 'https://example.com/webhooks/perch',
  max_credits_per_day: 500,
};

/** Optional members that the example of a body also shows. */
const ALSO_SAID: Readonly<Record<string, readonly string[]>> = { WatchCreateRequest: ['user', 'max_credits_per_day'] };

/** The parameters in a path. */
export const namesIn = ({ path }: RouteRow): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

const inPath = (row: RouteRow, name: string): boolean => namesIn(row).includes(name);

const isPaid = (parameters: readonly Parameter[]): boolean => parameters.some(({ name }) => name === 'fresh');

/**
 * Parameters in the path, the query and headers. The operation's own parameters of a POST are in its body, not in the
 * query, except `fresh` (B12).
 */
export function apiParameters(row: RouteRow, parameters: readonly Parameter[]): (ApiParameter | Reference)[] {
  const own = parameters.filter(
    ({ name, header }) => row.method === 'GET' || name === 'fresh' || header !== null || inPath(row, name),
  );
  const budget = isPaid(parameters) ? Object.keys(BUDGET_PARAMETERS).map((name) => refTo('parameters', name)) : [];
  return [...own.map((parameter) => apiParameter(row, parameter)), ...budget];
}

function apiParameter(row: RouteRow, parameter: Parameter): ApiParameter {
  const { name, type, required, description, header, meanings } = parameter;
  const example = EXAMPLES[name];
  return {
    name: header ?? name,
    in: header !== null ? 'header' : inPath(row, name) ? 'path' : 'query',
    description,
    ...(required || inPath(row, name) ? { required: true } : {}),
    ...(type === 'list' && { style: 'form' as const, explode: false }),
    schema: { ...valueSchema(parameter), ...(meanings && { 'x-enumDescriptions': meanings }) },
    ...(example !== undefined && { example }),
  };
}

/** What the body of a paid POST may have besides the operation's own parameters. */
const BUDGET_MEMBERS: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  [BUDGET_PARAMETERS.MaxCredits, BUDGET_PARAMETERS.Estimate].flatMap((parameter): [string, JsonSchema][] =>
    parameter ? [[parameter.name, { ...parameter.schema, description: parameter.description }]] : [],
  ),
);

/** The JSON body of a POST, as a component; `fresh`, the budget and `estimate` may be in it, too. */
export function apiRequestBody(
  name: string,
  parameters: readonly Parameter[],
  selections: Selections,
): NonNullable<ApiOperation['requestBody']> {
  const inBody = parameters.filter(({ header }) => header === null);
  const required = inBody.filter((parameter) => parameter.required).map((parameter) => parameter.name);
  const properties = Object.fromEntries(
    inBody.map((parameter) => [parameter.name, { ...valueSchema(parameter), description: parameter.description }]),
  );
  const paid = isPaid(parameters) ? BUDGET_MEMBERS : {};
  const schema = selections.add(name, { type: 'object', required, properties: { ...properties, ...paid } });
  const example = Object.fromEntries(
    [...(ALSO_SAID[name] ?? []), ...required].map((member) => [member, EXAMPLES[member]]),
  );
  return { required: true, content: { 'application/json': { schema, example } } };
}

/** The JSON Schema of a parameter's value. */
export function valueSchema({ name, type, values, rule, initial }: Parameter): JsonSchema {
  const byDefault = initial === undefined ? {} : { default: initial };
  if (type === 'list') {
    return { type: 'array', items: { type: 'string' }, minItems: BATCH.min, maxItems: BATCH.max };
  }
  if (type === 'integer') {
    const bounds = rule?.kind === 'size' ? { minimum: rule.min, maximum: rule.max } : {};
    return { type: 'integer', format: 'int32', ...bounds, ...byDefault };
  }
  if (type === 'number') return { type: 'number', minimum: 0, ...byDefault };
  if (type === 'boolean') return { type: 'boolean', ...byDefault };
  const length = { minLength: 1, ...(rule?.kind === 'query' && { maxLength: MAX_QUERY_LENGTH }) };
  return { type: 'string', ...(values ? { enum: values } : (MORE[name] ?? length)), ...byDefault };
}
