import type { BillingDesk, Checkout } from '../../src/billing/billing.js';
import { builder } from '../builder.js';

type Billing = ReturnType<BillingDesk['packs']>;

const PackType = builder.objectRef<Billing['packs'][number]>('Pack').implement({
  description: 'A pack of credits. Free to look at.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'Its name. Free.' }),
    usd: t.exposeInt('usd', { nullable: false, description: 'Price, US dollars. Free.' }),
    credits: t.exposeInt('credits', { nullable: false, description: 'Credits in it; they never expire. Free.' }),
    buyable: t.exposeBoolean('buyable', { nullable: false, description: 'Whether checkout is open for it. Free.' }),
    usdPer1000: t.exposeFloat('usdPer1000', { nullable: false, description: 'US dollars per 1,000 credits. Free.' }),
  }),
});

const TierType = builder.objectRef<Billing['rateLimits'][number]>('RateLimitTier').implement({
  description: "What an account's total payments raise its rate limit to; it only goes up. Free.",
  fields: (t) => ({
    paidUsd: t.exposeInt('paidUsd', {
      nullable: false,
      description: "US dollars paid over the account's life, at least. Free.",
    }),
    requestsPerSecond: t.exposeInt('requestsPerSecond', { nullable: false, description: 'Requests per second. Free.' }),
  }),
});

export const BillingType = builder.objectRef<Billing>('Billing').implement({
  description: 'Packs and rate limits. Free.',
  fields: (t) => ({
    packs: t.field({
      type: [PackType],
      nullable: false,
      description: 'What can be bought. Free.',
      resolve: ({ packs }) => packs,
    }),
    rateLimits: t.field({
      type: [TierType],
      nullable: false,
      description: 'Total paid to requests per second. Free.',
      resolve: ({ rateLimits }) => rateLimits,
    }),
  }),
});

export const CheckoutType = builder.objectRef<Checkout>('Checkout').implement({
  description: 'A hosted checkout page. Free.',
  fields: (t) => ({
    url: t.exposeString('url', { nullable: false, description: 'Open it in a browser. Free.' }),
    pack: t.exposeString('pack', { nullable: false, description: 'The pack. Free.' }),
    usd: t.exposeInt('usd', { nullable: false, description: 'Its price, US dollars. Free.' }),
    credits: t.exposeInt('credits', { nullable: false, description: 'The credits in it. Free.' }),
  }),
});
