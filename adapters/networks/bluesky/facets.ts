import type { PostView } from './schemas.js';

type Facet = NonNullable<PostView['record']['facets']>[number];

export interface Marks {
  readonly links: readonly string[];
  readonly hashtags: readonly string[];
  /** Handles as they are written in the text, without the @. */
  readonly mentions: readonly string[];
}

/** The links, hashtags and mentions marked in a text. Positions count bytes of UTF-8. */
export function marksIn(text: string, facets: readonly Facet[] = []): Marks {
  const bytes = Buffer.from(text, 'utf8');
  const marks = facets.flatMap(({ index, features }) => features.map((feature) => ({ ...feature, index })));
  const features = (kind: string) => marks.filter(({ $type }) => $type === `app.bsky.richtext.facet#${kind}`);
  const sliceOf = ({ index }: { index: Facet['index'] }): string =>
    bytes.subarray(Math.max(0, index.byteStart), Math.max(0, index.byteEnd)).toString('utf8');
  return {
    links: features('link').flatMap(({ uri }) => uri ?? []),
    hashtags: features('tag').flatMap(({ tag }) => tag ?? []),
    mentions: features('mention').flatMap((mention) => /^@(.+)$/.exec(sliceOf(mention))?.[1] ?? []),
  };
}
