import { PACKS } from '../../src/domain/tiers.js';
import { builder } from '../builder.js';
import { selectedFields } from '../selected-fields.js';
import { AccountType, ReceiptType, UsagePageType, UsageRowType, usageArgs, usagePageArgs } from '../types/account.js';
import { BillingType, CheckoutType } from '../types/billing.js';

builder.queryFields((t) => ({
  me: t.field({
    type: AccountType,
    description: 'The account of the key: use it to check a key or the balance. Free, and works with an empty wallet.',
    resolve: (_root, _args, { account }) => account.me(),
  }),
  billing: t.field({
    type: BillingType,
    description: 'Credit packs, and the rate limits that payments unlock. Free.',
    resolve: (_root, _args, { billing }) => billing.packs(),
  }),
  usage: t.field({
    type: [UsageRowType],
    description:
      'Usage of the account by day, hour, endpoint and key. More than 1,000 rows are refused; use `usagePage` for pages. Free.',
    args: usageArgs,
    resolve: (_root, args, { account }, info) => account.usage(args, selectedFields(info)),
  }),
  usagePage: t.field({
    type: UsagePageType,
    description: 'Usage of the account by day, hour, endpoint and key, in pages. Free.',
    args: { ...usageArgs, ...usagePageArgs },
    resolve: (_root, { first, ...args }, { account }, info) =>
      account.usagePage({ ...args, count: first }, selectedFields(info)),
  }),
  receipt: t.field({
    type: ReceiptType,
    description: 'What one paid request cost and why. Free.',
    args: { requestId: t.arg.id({ required: true, description: 'The `request_id` of the request.' }) },
    resolve: (_root, { requestId }, { account }) => account.receipt(requestId),
  }),
}));

/** Such as "starter, builder or growth". */
const PACK_NAMES = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(PACKS.map(({ name }) => name));

builder.mutationFields((t) => ({
  checkout: t.field({
    type: CheckoutType,
    description:
      'Opens a hosted checkout page for a credit pack. Free. Fails with `billing_disabled` if checkout is not available, `rate_limited` if 20 checkout pages opened in the last 24 hours are unpaid, and `access_denied` for a key issued to a client.',
    args: {
      pack: t.arg.string({ required: true, description: `${PACK_NAMES}.` }),
      idempotencyKey: t.arg.string({
        description:
          'Your own unique name for this checkout, 1 to 255 visible characters: within 24 hours, the same key returns the same page.',
      }),
    },
    resolve: (_root, { pack, idempotencyKey }, { billing }) => billing.checkout(pack, idempotencyKey ?? null),
  }),
}));
