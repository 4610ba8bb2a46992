import { describe, expect, it } from 'vitest';
import { embeddedIn } from '../../../adapters/networks/bluesky/embeds.js';
import { ANSWERS } from '../../../adapters/networks/bluesky/schemas.js';
import { postOf, WORLD } from '../contract/world.js';
import { postView } from './objects.js';

const embedded = (embed: object) => {
  const { posts } = ANSWERS.getPosts.parse({ posts: [{ ...postView(postOf(WORLD, 'answer')), embed }] });
  return embeddedIn(posts.objects[0]?.embed);
};

describe('embeds of a Bluesky post', () => {
  it.each([
    ['images', { images: [{ thumb: 't', fullsize: 'f', alt: 'A ferry' }] }, { type: 'photo', url: 'f' }],
    ['gallery', { items: [{ thumbnail: 't', fullsize: 'f', alt: 'A ferry' }] }, { type: 'photo', url: 'f' }],
    ['video', { playlist: 'p', alt: 'A ferry' }, { type: 'video', url: 'p' }],
  ])('serves the alternative text of %s (T22)', (kind, more, medium) => {
    const { media } = embedded({ $type: `app.bsky.embed.${kind}#view`, ...more });
    expect(media).toEqual([{ ...medium, altText: 'A ferry' }]);
  });

  it('serves the title and link of a card, and only the link of one without a title', () => {
    const card = (title: string) =>
      embedded({
        $type: 'app.bsky.embed.external#view',
        external: { uri: 'https://a.example', title, description: '' },
      });
    expect(card('On tides')).toMatchObject({
      links: ['https://a.example'],
      articles: [{ title: 'On tides', url: 'https://a.example' }],
    });
    expect(card('')).toMatchObject({ links: ['https://a.example'], articles: [] });
  });
});
