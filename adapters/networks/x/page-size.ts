/** How many items X may be asked for at once; `most` is a natural page. */
export interface PageBounds {
  readonly least: number;
  readonly most: number;
}

/** What X is asked for, and what the page says of it: a natural page says nothing. */
export interface Sized {
  readonly asked: number;
  readonly page: { readonly size?: number };
}

/** X bills each item returned: as many as are needed, within its bounds. */
export function choosePageSize({ least, most }: PageBounds, want: number | undefined): Sized {
  if (want === undefined) return { asked: most, page: {} };
  const asked = Math.min(most, Math.max(least, want));
  return { asked, page: { size: asked } };
}
