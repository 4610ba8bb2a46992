import { parseCredits, toCredits } from '../../src/domain/credits.js';
import { badRequest } from '../../src/domain/errors.js';
import { isName, outOfBounds } from '../../src/domain/fields.js';
import { quoted } from '../../src/lib/text.js';
import { impossibleName } from '../../src/read/subjects.js';
import type { Parameter } from './parameters.js';

/**
 * Reads one parameter from its text. Throws `bad_request`, which says what is allowed, or `not_found` for an impossible
 * name in a path.
 */
export function readValue(parameter: Parameter, text: string): unknown {
  const { name, type, values } = parameter;
  if (type === 'integer') return integer(parameter, text);
  if (type === 'number') return credits(name, text);
  if (type === 'boolean') return boolean(name, text);
  if (values) return parseEnum(name, values, text);
  return string(parameter, text);
}

/** Accepts only plain digits without leading zeros. A number out of bounds is refused, never clamped (P2). */
function integer({ name, rule }: Parameter, text: string): number {
  const bounds = rule?.kind === 'size' ? rule : { min: 0, max: Number.MAX_SAFE_INTEGER };
  const value = /^(?:0|[1-9][0-9]{0,8})$/.test(text) ? Number(text) : Number.NaN;
  if (value >= bounds.min && value <= bounds.max) return value;
  throw outOfBounds(name, bounds, /^0[0-9]/.test(text) ? `${quoted(text)} with a leading zero` : quoted(text));
}

/** An amount of credits. */
function credits(name: string, text: string): number {
  const amount = parseCredits(text);
  if (amount !== undefined) return toCredits(amount);
  throw badRequest(`${name} must be a number of credits with at most three decimals, not ${quoted(text)}.`, name);
}

/**
 * Nothing is guessed, because a typo would double the price. Case does not matter, because Python writes `True` (P5).
 */
export function boolean(name: string, text: string): boolean {
  if (/^(?:true|1)$/i.test(text)) return true;
  if (/^(?:false|0)$/i.test(text)) return false;
  throw badRequest(`${name} must be true, false, 1 or 0, not ${quoted(text)}.`, name);
}

/** Case does not matter (P7). */
function parseEnum(name: string, values: readonly string[], text: string): string {
  const value = values.find((candidate) => candidate.toLowerCase() === text.toLowerCase());
  if (value !== undefined) return value;
  throw badRequest(`${name} must be one of ${values.join(', ')}, not ${quoted(text)}.`, name);
}

function string({ name, rule }: Parameter, text: string): string {
  const impossible = rule && isName(rule) ? impossibleName(rule.kind, text) : undefined;
  if (impossible) throw impossible;
  if ((rule?.kind === 'cursor' || rule?.kind === 'since') && text === '') {
    throw badRequest(`${name} is empty: leave it out to start at the beginning.`, name);
  }
  return text;
}
