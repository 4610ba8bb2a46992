import type { CacheLabel } from '../../src/metering/receipt.js';
import { builder } from '../builder.js';

const Cache = builder.enumType('Cache', {
  description: 'How an answer was come by.',
  values: {
    miss: { description: 'Read from the network: full price.' },
    hit: { description: 'Held already: half price.' },
    mixed: { description: 'A batch partly held.' },
    bypass: { description: 'Read anew because `fresh` asked for it: double price.' },
  },
});

interface Meta {
  readonly items: number;
  readonly creditsCharged: number;
  readonly cache: CacheLabel;
  readonly cacheHits: number;
}

export const PageMeta = builder.objectRef<Meta>('PageMeta').implement({
  description: 'What a page or batch holds and what it cost. Free.',
  fields: (t) => ({
    items: t.exposeInt('items', { nullable: false, description: 'Objects returned. Free.' }),
    creditsCharged: t.expose('creditsCharged', {
      type: 'Credits',
      nullable: false,
      description: 'Credits it costs; an object given twice in one operation is paid once. Free.',
    }),
    cache: t.expose('cache', { type: Cache, nullable: false, description: 'How it was come by. Free.' }),
    cacheHits: t.exposeInt('cacheHits', {
      nullable: false,
      description: 'Objects that were held, at half price. Free.',
    }),
  }),
});
