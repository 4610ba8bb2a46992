import { builder } from '../builder.js';
import { AccountType, ReceiptType, UsagePageType, UsageRowType, usageArgs, usagePageArgs } from '../types/account.js';
import { BillingType, CheckoutType } from '../types/billing.js';

builder.queryFields((t) => ({
  me: t.field({
    type: AccountType,
    description:
      'The account behind the key: checks a key and shows the balance. Free, and works with an empty wallet.',
    resolve: (_root, _args, { account }) => account.me(),
  }),
  billing: t.field({
    type: BillingType,
    description: 'Packs of credits and what paying raises the rate limit to. Free.',
    resolve: (_root, _args, { billing }) => billing.packs(),
  }),
  usage: t.field({
    type: [UsageRowType],
    description: 'What the account spent, by day, hour, endpoint and key: the first 1,000 rows. Free.',
    args: usageArgs,
    resolve: (_root, args, { account }) => account.usage(args),
  }),
  usagePage: t.field({
    type: UsagePageType,
    description: 'What the account spent, by day, hour, endpoint and key, page by page. Free.',
    args: { ...usageArgs, ...usagePageArgs },
    resolve: (_root, { first, ...args }, { account }) => account.usagePage({ ...args, count: first }),
  }),
  receipt: t.field({
    type: ReceiptType,
    description: 'What one paid request cost, and why. Free.',
    args: { requestId: t.arg.id({ required: true, description: "The request's id, from `request_id`." }) },
    resolve: (_root, { requestId }, { account }) => account.receipt(requestId),
  }),
}));

builder.mutationFields((t) => ({
  checkout: t.field({
    type: CheckoutType,
    description:
      'Opens a hosted checkout page for a pack of credits. Free; `billing_disabled` while checkout is not open, `rate_limited` while 20 pages of the last 24 hours wait to be paid, `access_denied` for the key of a client.',
    args: {
      pack: t.arg.string({ required: true, description: 'starter, builder, growth or scale.' }),
      idempotencyKey: t.arg.string({
        description:
          'A name of your own for this checkout, 1 to 255 visible characters: within 24 hours the same key gives the same page.',
      }),
    },
    resolve: (_root, { pack, idempotencyKey }, { billing }) => billing.checkout(pack, idempotencyKey ?? null),
  }),
}));
