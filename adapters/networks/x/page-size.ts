/** How many items X may be asked for at once; `most` is a natural page. */
export interface PageBounds {
  readonly least: number;
  readonly most: number;
}

/** How many items X is asked for, and what the page says about that. A natural page says nothing. */
export interface Sized {
  readonly size: number;
  readonly page: { readonly size?: number };
}

/** Asks only for as many items as are needed, within X's bounds, because X bills each item it returns. */
export function choosePageSize({ least, most }: PageBounds, want: number | undefined): Sized {
  if (want === undefined) return { size: most, page: {} };
  const size = Math.min(most, Math.max(least, want));
  return { size, page: { size } };
}
