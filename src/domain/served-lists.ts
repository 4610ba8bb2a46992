import { ServiceError } from './errors.js';
import { LIST_KINDS, LISTS, type List, type ListKind } from './lists.js';

/** How a network reads each list; null if it does not have the list. */
export type Readers<Reader> = Readonly<Record<ListKind, Reader | null>>;

/** Which lists a network has. */
export const servedBy = (readers: Readers<unknown>): Readonly<Record<ListKind, boolean>> =>
  Object.fromEntries(LIST_KINDS.map((kind) => [kind, readers[kind] !== null])) as Record<ListKind, boolean>;

/** Throws `access_denied` if the network has no such list. */
export function requireReader<Reader>(readers: Readers<Reader>, kind: ListKind): Reader {
  const reader = readers[kind];
  if (reader === null) throw notServed(kind);
  return reader;
}

/** The failure for a list that the network does not have. No session ever will, so no call is made, nothing closed. */
export const notServed = (kind: ListKind): ServiceError =>
  new ServiceError(
    'access_denied',
    `${LISTS[kind].query.name} is not available: the network does not offer this list. Nothing was charged.`,
    { reason: 'list_not_served' },
  );

/** The answer of a list whose subject does not exist: an empty page, or an error for the missing user or tweet. */
export function pageWithoutSubject(
  kind: ListKind,
  missing: Readonly<Record<Exclude<List['subject'], 'query'>, () => ServiceError>>,
): { readonly users?: readonly []; readonly tweets?: readonly []; readonly next: null } {
  const { items, subject, withoutSubject } = LISTS[kind];
  if (withoutSubject === 'empty' || subject === 'query') return { [items]: [], next: null };
  throw missing[subject]();
}
