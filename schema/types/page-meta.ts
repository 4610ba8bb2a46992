import type { CacheLabel } from '../../src/metering/receipt.js';
import { builder } from '../builder.js';

const Cache = builder.enumType('Cache', {
  description: 'Where an answer came from.',
  values: {
    miss: { description: 'Read from the network: full price.' },
    hit: { description: 'Served from cache: half price.' },
    mixed: { description: 'A batch that was partly cached.' },
    bypass: { description: 'Cache bypassed with `fresh`: double price.' },
  },
});

interface Meta {
  readonly items: number;
  readonly creditsCharged: number;
  readonly cache: CacheLabel;
  readonly cacheHits: number;
}

export const PageMeta = builder.objectRef<Meta>('PageMeta').implement({
  description: 'What a page or batch contains and what it cost. Free.',
  fields: (t) => ({
    items: t.exposeInt('items', { nullable: false, description: 'Objects returned. Free.' }),
    creditsCharged: t.expose('creditsCharged', {
      type: 'Credits',
      nullable: false,
      description: 'Credits charged; an object returned more than once in one operation is charged once. Free.',
    }),
    cache: t.expose('cache', {
      type: Cache,
      nullable: false,
      description: 'Where it came from: cache or network. Free.',
    }),
    cacheHits: t.exposeInt('cacheHits', {
      nullable: false,
      description: 'Objects served from cache, at half price. Free.',
    }),
  }),
});
