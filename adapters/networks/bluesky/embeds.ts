import type { Article, Media } from '../../../src/domain/model.js';
import { POST, parseRecordUri, recordId } from './ids.js';
import type { PostView } from './schemas.js';

export interface Embedded {
  readonly media: readonly Media[];
  /** The addresses of link cards. */
  readonly links: readonly string[];
  /** Link cards that have a title. */
  readonly articles: readonly Article[];
}

const NOTHING: Embedded = { media: [], links: [], articles: [] };

const described = (alt: string | undefined): Pick<Media, 'altText'> => (alt ? { altText: alt } : {});
const photo = (url: string, alt: string | undefined): Media => ({ type: 'photo', url, ...described(alt) });

/** The media and links that the view of a post embeds. Sizes are left out: the network gives a ratio, not pixels. */
export function embeddedIn(view: PostView['embed']): Embedded {
  switch (view?.$type) {
    case 'app.bsky.embed.images#view':
      return { ...NOTHING, media: view.images.map(({ fullsize, alt }) => photo(fullsize, alt)) };
    case 'app.bsky.embed.gallery#view':
      return { ...NOTHING, media: view.items.flatMap(({ fullsize, alt }) => (fullsize ? photo(fullsize, alt) : [])) };
    case 'app.bsky.embed.video#view': {
      const { playlist, thumbnail, presentation, alt } = view;
      const type = presentation === 'gif' ? 'animated_gif' : 'video';
      const still = thumbnail && { previewUrl: thumbnail };
      return { ...NOTHING, media: [{ type, url: playlist, ...still, ...described(alt) }] };
    }
    case 'app.bsky.embed.external#view': {
      const { uri: url, title } = view.external;
      return { media: [], links: [url], articles: title ? [{ title, url }] : [] };
    }
    case 'app.bsky.embed.recordWithMedia#view':
      return embeddedIn(view.media);
    default:
      return NOTHING;
  }
}

/** The id of the quoted post, whether or not it is still visible; feeds, lists and starter packs are not posts. */
export function quotedId(embed: PostView['record']['embed']): string | undefined {
  const uri = uriIn(embed);
  return uri !== undefined && parseRecordUri(uri)?.collection === POST ? recordId(uri) : undefined;
}

function uriIn(embed: PostView['record']['embed']): string | undefined {
  if (embed?.$type === 'app.bsky.embed.record') return embed.record.uri;
  return embed?.$type === 'app.bsky.embed.recordWithMedia' ? embed.record.record.uri : undefined;
}
