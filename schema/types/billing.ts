import type { CallerBilling, Checkout } from '../../src/billing/billing.js';
import { builder } from '../builder.js';

type Billing = ReturnType<CallerBilling['packs']>;

const PackType = builder.objectRef<Billing['packs'][number]>('Pack').implement({
  description: 'A credit pack. Free.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'Name. Free.' }),
    usd: t.exposeInt('usd', { nullable: false, description: 'Price in US dollars. Free.' }),
    credits: t.exposeInt('credits', { nullable: false, description: 'Number of credits; they never expire. Free.' }),
    buyable: t.exposeBoolean('buyable', { nullable: false, description: 'Whether it can be bought now. Free.' }),
    usdPer1000: t.exposeFloat('usdPer1000', { nullable: false, description: 'US dollars per 1,000 credits. Free.' }),
  }),
});

const TierType = builder.objectRef<Billing['rateLimits'][number]>('RateLimitTier').implement({
  description: 'A rate-limit tier, by the total an account has paid; the limit only goes up. Free.',
  fields: (t) => ({
    paidUsd: t.exposeInt('paidUsd', {
      nullable: false,
      description: 'Minimum total paid over the life of the account, in US dollars. Free.',
    }),
    requestsPerSecond: t.exposeInt('requestsPerSecond', { nullable: false, description: 'Requests per second. Free.' }),
  }),
});

export const BillingType = builder.objectRef<Billing>('Billing').implement({
  description: 'Credit packs and rate limits. Free.',
  fields: (t) => ({
    packs: t.field({
      type: [PackType],
      nullable: false,
      description: 'The credit packs. Free.',
      resolve: ({ packs }) => packs,
    }),
    rateLimits: t.field({
      type: [TierType],
      nullable: false,
      description: 'The rate-limit tiers. Free.',
      resolve: ({ rateLimits }) => rateLimits,
    }),
  }),
});

export const CheckoutType = builder.objectRef<Checkout>('Checkout').implement({
  description: 'A hosted checkout page. Free.',
  fields: (t) => ({
    url: t.exposeString('url', { nullable: false, description: 'URL to open in a browser. Free.' }),
    pack: t.exposeString('pack', { nullable: false, description: 'Name of the pack. Free.' }),
    usd: t.exposeInt('usd', { nullable: false, description: 'Price of the pack in US dollars. Free.' }),
    credits: t.exposeInt('credits', { nullable: false, description: 'Credits in the pack. Free.' }),
  }),
});
