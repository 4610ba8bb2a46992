import type { Me, UsagePage } from '../../src/account/account.js';
import { toCredits } from '../../src/core/credits.js';
import { sizeRule, USAGE_PAGE } from '../../src/core/fields.js';
import type { Receipt, ReceiptLine, UsageRow } from '../../src/ports/truth.js';
import { builder, rule } from '../builder.js';

export const usageArgs = builder.args((t) => ({
  from: t.string({ description: 'First day, UTC, such as 2026-11-01. Default: 30 days ago.' }),
  to: t.string({ description: 'Last day, UTC. Default: today.' }),
  group: t.string({
    defaultValue: 'day',
    description: 'day, hour, endpoint, key, comma-separated in any combination; hours are kept for the last 8 days.',
  }),
}));

export const usagePageArgs = builder.args((t) => ({
  first: t.int({
    defaultValue: USAGE_PAGE.initial,
    description: `Rows on the page, 1 to ${USAGE_PAGE.max}.`,
    ...rule(sizeRule(USAGE_PAGE)),
  }),
  after: t.string({ description: '`pageInfo.endCursor` of the page before, unchanged.' }),
}));

export const UsageRowType = builder.objectRef<UsageRow>('UsageRow').implement({
  description: 'Paid requests of one group. Requests that cost nothing are not in it. Free.',
  fields: (t) => ({
    day: t.exposeString('day', { description: 'The day, UTC. Free.' }),
    hour: t.exposeString('hour', { description: 'When the hour begins, UTC. Free.' }),
    endpoint: t.exposeString('endpoint', {
      description: 'The operation; `other` for names of your own beyond 100 in a day. Free.',
    }),
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

const UsagePageInfo = builder.objectRef<UsagePage>('UsagePageInfo').implement({
  description: 'Where a page of usage stands. Free.',
  fields: (t) => ({
    endCursor: t.exposeString('endCursor', {
      description:
        'Pass it as `after` for the next page; null on the last one. The same cursor as `next_cursor` in REST. Free.',
    }),
    hasNextPage: t.boolean({
      nullable: false,
      description: 'True when there is more. Free.',
      resolve: (page) => page.endCursor !== null,
    }),
  }),
});

export const UsagePageType = builder.objectRef<UsagePage>('UsagePage').implement({
  description: 'A page of usage, sorted by what it is grouped by. Free.',
  fields: (t) => ({
    nodes: t.field({
      type: [UsageRowType],
      nullable: false,
      description: 'What the account spent, by day, hour, endpoint and key. Free.',
      resolve: (page) => page.nodes,
    }),
    pageInfo: t.field({
      type: UsagePageInfo,
      nullable: false,
      description: 'Where to go on. Free.',
      resolve: (page) => page,
    }),
  }),
});

const ReceiptLineType = builder.objectRef<ReceiptLine>('ReceiptLine').implement({
  description: 'So many items at one price. Free.',
  fields: (t) => ({
    path: t.exposeString('path', {
      nullable: false,
      description: 'Where in the operation, in names of the schema; `other` for what there was no room for. Free.',
    }),
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
      description: 'What was spent, by day, hour, endpoint and key: the first 1,000 rows. Free.',
      args: usageArgs,
      resolve: (_me, args, { account }) => account.usage(args),
    }),
  }),
});
