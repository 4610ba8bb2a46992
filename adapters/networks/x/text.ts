const ENTITY = /&(?:amp|lt|gt|quot|apos|#0?39|#x27);/gi;

const CHARACTERS: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/** Text as people wrote it: X escapes it (T13). Decoded once, so that `&amp;lt;` stays a visible `&lt;`. */
export const decoded = (text: string): string =>
  text.replace(ENTITY, (entity) => CHARACTERS[entity.toLowerCase()] ?? "'");

interface Link {
  readonly url?: string | null | undefined;
  readonly expanded_url?: string | null | undefined;
}

/** Replaces short links with their targets; found by their text, since X's positions count code points. */
export const withLinks = (text: string, links: readonly Link[]): string =>
  links.reduce(
    (out, { url, expanded_url: expanded }) => (url && expanded ? out.replace(url, () => expanded) : out),
    text,
  );
