import type { Thousandths } from '../../src/domain/credits.js';
import { badRequest } from '../../src/domain/errors.js';
import { truncated } from '../../src/lib/text.js';
import { budgetFrom } from '../../src/serve/budget.js';
import type { Parameter } from '../rest/parameters.js';
import { NEAR_MISSES } from '../rest/request.js';
import { readValue } from '../rest/values.js';
import type { ReadTool } from './catalogue.js';
import { argumentName } from './schemas.js';

/** The arguments as received. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Accepted by every tool. */
export const BUDGET = 'max_credits';

/**
 * The variables of the tool's operation. Throws `bad_request` naming the argument, or `not_found` for an impossible
 * name.
 */
export function toVariables({ row, endpoint }: ReadTool, given: Arguments): Record<string, unknown> {
  const { parameters } = endpoint;
  const names = parameters.map(argumentName);
  const named = names.includes('user') ? withUser(given) : given;
  refuseUnknown(row.name, [...names, BUDGET], named);
  const variables: Record<string, unknown> = {};
  for (const parameter of parameters) {
    const name = argumentName(parameter);
    const value = named[name];
    // Some clients send null for arguments that they leave out.
    if (value !== undefined && value !== null) variables[parameter.name] = parseArgument({ ...parameter, name }, value);
    else if (parameter.required) throw badRequest(`${name} is missing.`, name);
  }
  return variables;
}

/** Invisible characters may surround the digits, as in any pasted name. */
const isDigits = (value: unknown): value is string =>
  typeof value === 'string' && /^\p{Cf}*[0-9][0-9\p{Cf}]*$/u.test(value);

/** `handle` means `user` with a handle. A handle of digits alone gets the `@` that tells it from an id (A42). */
function withUser({ handle, ...others }: Arguments): Arguments {
  if (handle === undefined || handle === null) return others;
  if (others.user !== undefined && others.user !== null) {
    throw badRequest('user and handle mean the same: send only user.', 'handle');
  }
  return { ...others, user: isDigits(handle) ? `@${handle}` : handle };
}

/** Refuses a call with an unknown argument, because ignoring one could cost money. */
export function refuseUnknown(tool: string, known: readonly string[], given: Arguments): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const right = NEAR_MISSES[name];
    const all = known.length === 1 ? 'the only argument is' : 'the arguments are';
    const hint = right !== undefined && known.includes(right) ? `use ${right}` : `${all} ${known.join(', ')}`;
    throw badRequest(`Unknown argument ${truncated(name)} for ${tool}: ${hint}.`, name);
  }
}

/**
 * The value of a text that is JSON, since some clients send values of other types as text; otherwise the value itself.
 */
export function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function parseArgument(parameter: Parameter, given: unknown): unknown {
  const { name, type } = parameter;
  const value = type === 'string' ? given : parsed(given);
  if (type === 'list') return parseStringList(parameter, value);
  if (type === 'boolean') {
    if (typeof value === 'boolean') return value;
    throw badRequest(`${name} must be true or false.`, name);
  }
  if (type === 'integer') {
    if (typeof value === 'number') return readValue(parameter, String(value));
    throw badRequest(`${name} must be a number, not text.`, name);
  }
  if (typeof value === 'number') throw badRequest(`Send ${name} as a string: numbers lose precision.`, name);
  if (typeof value !== 'string') throw badRequest(`${name} must be a string.`, name);
  if (parameter.rule?.kind === 'handle' && isDigits(value)) {
    throw badRequest(`${name} must be a handle here, not an id. If ${value} is a handle, send @${value}.`, name);
  }
  return readValue(parameter, value);
}

function parseStringList({ name }: Parameter, value: unknown): unknown[] {
  if (!Array.isArray(value)) throw badRequest(`${name} must be an array of strings.`, name);
  for (const item of value) {
    if (typeof item === 'number') throw badRequest(`Send ${name} as strings: numbers lose precision.`, name);
    if (typeof item !== 'string') throw badRequest(`${name} must contain only strings.`, name);
  }
  return value;
}

/**
 * The budget of one call: the lower of the argument, which a model sets, and the header, which the person who
 * configured the connection sets for every call.
 */
export function callBudget(given: Arguments, header: string | string[] | undefined): Thousandths | null {
  const own = budgetFrom(given[BUDGET] ?? undefined, undefined);
  const all = budgetFrom(undefined, header);
  if (own === null || all === null) return own ?? all;
  return Math.min(own, all);
}
