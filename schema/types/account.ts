import type { Me } from '../../src/account/account.js';
import { toCredits } from '../../src/core/credits.js';
import type { Receipt, ReceiptLine, UsageRow } from '../../src/ports/truth.js';
import { builder } from '../builder.js';

export const usageArgs = builder.args((t) => ({
  from: t.string({ description: 'First day, UTC, such as 2026-11-01. Default: 30 days ago.' }),
  to: t.string({ description: 'Last day, UTC. Default: today.' }),
  group: t.string({ defaultValue: 'day', description: 'day, endpoint, key, comma-separated in any combination.' }),
}));

export const UsageRowType = builder.objectRef<UsageRow>('UsageRow').implement({
  description: 'Paid requests of one group. Requests that cost nothing are not in it. Free.',
  fields: (t) => ({
    day: t.exposeString('day', { description: 'The day, UTC. Free.' }),
    endpoint: t.exposeString('endpoint', { description: 'The operation. Free.' }),
    keyPrefix: t.exposeString('keyPrefix', { description: 'The leading part of the key. Free.' }),
    requests: t.expose('requests', { type: 'Count', nullable: false, description: 'Paid requests. Free.' }),
    items: t.expose('items', { type: 'Count', nullable: false, description: 'Objects returned. Free.' }),
    cacheHits: t.expose('cacheHits', { type: 'Count', nullable: false, description: 'Objects at half price. Free.' }),
    credits: t.field({
      type: 'Credits',
      nullable: false,
      description: 'Credits spent. Free.',
      resolve: (row) => toCredits(row.amount),
    }),
  }),
});

const ReceiptLineType = builder.objectRef<ReceiptLine>('ReceiptLine').implement({
  description: 'So many items at one price. Free.',
  fields: (t) => ({
    path: t.exposeString('path', { nullable: false, description: 'Where in the operation. Free.' }),
    unit: t.exposeString('unit', { nullable: false, description: 'What the items are sold as. Free.' }),
    cache: t.exposeString('cache', { nullable: false, description: 'How they were come by. Free.' }),
    items: t.exposeInt('items', { nullable: false, description: 'How many. Free.' }),
    unitPrice: t.field({
      type: 'Credits',
      nullable: false,
      description: 'Credits per item. Free.',
      resolve: (line) => toCredits(line.unitPrice),
    }),
    credits: t.field({
      type: 'Credits',
      nullable: false,
      description: 'items × unitPrice. Free.',
      resolve: (line) => toCredits(line.items * line.unitPrice),
    }),
  }),
});

export const ReceiptType = builder.objectRef<Receipt>('Receipt').implement({
  description: 'What one paid request cost, and why. Free.',
  fields: (t) => ({
    requestId: t.exposeID('requestId', { nullable: false, description: 'The id of the request. Free.' }),
    at: t.expose('at', { type: 'DateTime', nullable: false, description: 'When it was paid. Free.' }),
    operation: t.exposeString('operation', { nullable: false, description: 'The operation. Free.' }),
    keyPrefix: t.exposeString('keyPrefix', { nullable: false, description: 'The leading part of the key. Free.' }),
    credits: t.field({
      type: 'Credits',
      nullable: false,
      description: 'Credits charged. Free.',
      resolve: (receipt) => toCredits(receipt.amount),
    }),
    balanceAfter: t.field({
      type: 'Credits',
      nullable: false,
      description: 'The balance after it. Free.',
      resolve: (receipt) => toCredits(receipt.balanceAfter),
    }),
    items: t.exposeInt('items', { nullable: false, description: 'Objects returned. Free.' }),
    cacheHits: t.exposeInt('cacheHits', { nullable: false, description: 'Objects at half price. Free.' }),
    lines: t.field({
      type: [ReceiptLineType],
      nullable: false,
      description: 'The lines. Free.',
      resolve: (receipt) => receipt.lines,
    }),
  }),
});

export const AccountType = builder.objectRef<Me>('Account').implement({
  description: 'The account behind the key. Free.',
  fields: (t) => ({
    customerId: t.exposeID('customerId', { nullable: false, description: 'The account. Free.' }),
    keyPrefix: t.exposeString('keyPrefix', {
      nullable: false,
      description: 'The leading part of the key in use. Free.',
    }),
    balance: t.expose('balance', { type: 'Credits', nullable: false, description: 'Credits in the wallet. Free.' }),
    rateLimitQps: t.exposeInt('rateLimitQps', { nullable: false, description: 'Requests per second. Free.' }),
    usage: t.field({
      type: [UsageRowType],
      nullable: false,
      description: 'What was spent, by day, endpoint and key. Free.',
      args: usageArgs,
      resolve: (_me, args, { account }) => account.usage(args),
    }),
  }),
});
