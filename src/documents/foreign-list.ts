import type { GraphQLField } from 'graphql';
import { asServiceError, type ServiceError } from '../domain/errors.js';
import { isId, parseUserRef } from '../domain/ids.js';
import type { ListKind, ListRef } from '../domain/lists.js';
import { PRODUCTS } from '../domain/model.js';
import { normaliseQuery } from '../read/subjects.js';
import type { Checks } from './rules.js';

/**
 * Why the field's cursor cannot continue the field's list, as far as that is known without reading: a user given by a
 * handle is not known (M26). Null if nothing is wrong.
 */
export function foreignCursorOf(
  kind: ListKind,
  field: GraphQLField<unknown, unknown>,
  args: Record<string, unknown>,
  checks: Pick<Checks, 'cursorOf'>,
): ServiceError | null {
  let cursor: unknown;
  let list: ListRef | null = null;
  for (const { name, extensions } of field.args) {
    const value = args[name];
    if (extensions.rule?.kind === 'cursor') cursor = value;
    else list ??= listOf(kind, extensions.rule?.kind, String(value), args.product);
  }
  if (list === null || typeof cursor !== 'string') return null;
  try {
    checks.cursorOf(list, cursor);
    return null;
  } catch (error) {
    return asServiceError(error);
  }
}

/** The list by the argument that names its subject; null for other arguments. */
function listOf(kind: ListKind, rule: string | undefined, value: string, product: unknown): ListRef | null {
  if (rule === 'query') {
    const known = PRODUCTS.find((name) => name === product) ?? 'Latest';
    return { kind, subject: normaliseQuery(value), product: known };
  }
  if (rule === 'tweetId') return isId(value) ? { kind, subject: value } : null;
  const ref = rule === 'user' ? parseUserRef(value) : null;
  return ref !== null && 'id' in ref ? { kind, subject: ref.id } : null;
}
