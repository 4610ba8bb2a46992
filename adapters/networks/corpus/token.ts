import { foreignCursor } from '../../../src/domain/errors.js';

/**
 * Where a page ended: the sort value of its last item (a time in Unix milliseconds, an ordinal, a score) and its id.
 */
export interface CorpusPosition {
  readonly value: number;
  readonly id: string;
}

export const tokenAt = (position: CorpusPosition): string => `${position.value}.${position.id}`;

/**
 * Null at the start of a list. A position names an item, not an offset, so items added at the top move nothing.
 */
export function parsePosition(token: string | null): CorpusPosition | null {
  if (token === null) return null;
  const [, value, id] = /^(-?[0-9]{1,16})\.([0-9]{1,19})$/.exec(token) ?? [];
  if (value === undefined || id === undefined || storableId(id) === null || !Number.isSafeInteger(Number(value))) {
    throw foreignCursor();
  }
  return { value: Number(value), id };
}

/** Like `parsePosition`, for lists sorted by time; the value as a time that the database accepts. */
export function positionTime(position: CorpusPosition): string {
  const date = new Date(position.value);
  const year = Number.isNaN(date.getTime()) ? 0 : date.getUTCFullYear();
  if (year < 1 || year > 9999) throw foreignCursor();
  return date.toISOString();
}

/** An id that the corpus can store, or null: no row has any other. */
export function storableId(id: string): string | null {
  return /^[0-9]{1,19}$/.test(id) && BigInt(id) <= 9223372036854775807n ? id : null;
}
