import { badRequest, type ServiceError } from '../../src/domain/errors.js';

/** Values in a message, in all of its objects and lists together: a call with a hundred ids has about 110. */
const MOST_VALUES = 1000;

/** Nesting of objects and lists: the deepest message of the protocol has about six levels. */
const MOST_LEVELS = 32;

/**
 * Why a message is larger than any client needs, or null. It is checked several times on its way, with work for every
 * value: 64 KB of the smallest values take 45 ms.
 */
export function tooMuchIn(message: unknown): ServiceError | null {
  let values = 0;
  let level = [message];
  for (let levels = 0; level.length > 0; levels += 1) {
    if (levels > MOST_LEVELS) return badRequest(`The message is nested more than ${MOST_LEVELS} levels deep.`);
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      const inside = Object.values(value);
      values += inside.length;
      if (values > MOST_VALUES) return badRequest(`The message has more than ${MOST_VALUES} values.`);
      for (const each of inside) next.push(each);
    }
    level = next;
  }
  return null;
}
