import type { Media } from '../../../src/core/model.js';
import { POST, partsOf, recordId } from './ids.js';
import type { PostView } from './schemas.js';

export interface Embedded {
  readonly media: readonly Media[];
  /** The addresses of link cards. */
  readonly links: readonly string[];
}

const photo = (url: string): Media => ({ type: 'photo', url });

/** What the view of a post embeds. Sizes are left out: the network gives a ratio, not pixels. */
export function embeddedIn(view: PostView['embed']): Embedded {
  switch (view?.$type) {
    case 'app.bsky.embed.images#view':
      return { media: view.images.map(({ fullsize }) => photo(fullsize)), links: [] };
    case 'app.bsky.embed.gallery#view':
      return { media: view.items.flatMap(({ fullsize }) => (fullsize ? photo(fullsize) : [])), links: [] };
    case 'app.bsky.embed.video#view': {
      const { playlist, thumbnail, presentation } = view;
      const type = presentation === 'gif' ? 'animated_gif' : 'video';
      return { media: [{ type, url: playlist, ...(thumbnail && { previewUrl: thumbnail }) }], links: [] };
    }
    case 'app.bsky.embed.external#view':
      return { media: [], links: [view.external.uri] };
    case 'app.bsky.embed.recordWithMedia#view':
      return embeddedIn(view.media);
    default:
      return { media: [], links: [] };
  }
}

/** The id of the quoted post, whether or not it is still visible; feeds, lists and starter packs are not posts. */
export function quotedId(embed: PostView['record']['embed']): string | undefined {
  const uri = uriIn(embed);
  return uri !== undefined && partsOf(uri)?.collection === POST ? recordId(uri) : undefined;
}

function uriIn(embed: PostView['record']['embed']): string | undefined {
  if (embed?.$type === 'app.bsky.embed.record') return embed.record.uri;
  return embed?.$type === 'app.bsky.embed.recordWithMedia' ? embed.record.record.uri : undefined;
}
