import type { Me, UsagePage } from '../../src/account/account.js';
import { toCredits } from '../../src/domain/credits.js';
import { sizeRule, USAGE_PAGE } from '../../src/domain/fields.js';
import type { Receipt, ReceiptLine, UsageRow } from '../../src/ports/ledger.js';
import { builder, rule } from '../builder.js';
import { selectedFields } from '../selected-fields.js';

export const usageArgs = builder.args((t) => ({
  from: t.string({ description: 'First day, UTC, such as 2026-11-01. Default: 30 days ago.' }),
  to: t.string({ description: 'Last day, UTC. Default: today.' }),
  group: t.string({
    defaultValue: 'day',
    description: 'Any combination of day, hour, endpoint and key, comma-separated; hourly figures are kept for 8 days.',
  }),
}));

export const usagePageArgs = builder.args((t) => ({
  first: t.int({
    defaultValue: USAGE_PAGE.initial,
    description: `Rows on the page, 1 to ${USAGE_PAGE.max}.`,
    ...rule(sizeRule(USAGE_PAGE)),
  }),
  after: t.string({ description: '`pageInfo.endCursor` of the previous page, unchanged.' }),
}));

export const UsageRowType = builder.objectRef<UsageRow>('UsageRow').implement({
  description: 'The paid requests of one group. Free requests are not included. Free.',
  fields: (t) => ({
    day: t.exposeString('day', { description: 'The day, UTC. Free.' }),
    hour: t.exposeString('hour', { description: 'Start of the hour, UTC. Free.' }),
    endpoint: t.exposeString('endpoint', {
      description: 'The operation; `other` for your own operation names beyond 100 a day. Free.',
    }),
    keyPrefix: t.exposeString('keyPrefix', { description: 'The key prefix. Free.' }),
    requests: t.expose('requests', { type: 'Count', nullable: false, description: 'Paid requests. Free.' }),
    items: t.expose('items', { type: 'Count', nullable: false, description: 'Objects returned. Free.' }),
    cacheHits: t.expose('cacheHits', {
      type: 'Count',
      nullable: false,
      description: 'Objects served from cache, at half price. Free.',
    }),
    credits: t.field({
      type: 'Credits',
      nullable: false,
      description: 'Credits spent. Free.',
      resolve: (row) => toCredits(row.amount),
    }),
  }),
});

const UsagePageInfo = builder.objectRef<UsagePage>('UsagePageInfo').implement({
  description: 'Position of a page of usage. Free.',
  fields: (t) => ({
    endCursor: t.exposeString('endCursor', {
      description:
        'Pass it as `after` for the next page; null on the last one. The same cursor as `next_cursor` in REST. Free.',
    }),
    hasNextPage: t.boolean({
      nullable: false,
      description: 'Whether there are more pages. Free.',
      resolve: (page) => page.endCursor !== null,
    }),
  }),
});

export const UsagePageType = builder.objectRef<UsagePage>('UsagePage').implement({
  description: 'A page of usage, sorted by its groups. Free.',
  fields: (t) => ({
    nodes: t.field({
      type: [UsageRowType],
      nullable: false,
      description: 'Usage of the account by day, hour, endpoint and key. Free.',
      resolve: (page) => page.nodes,
    }),
    asOf: t.expose('asOf', {
      type: 'DateTime',
      description:
        'All requests paid up to this time are included, and later ones may be missing; null if nothing is missing. Free.',
    }),
    pageInfo: t.field({
      type: UsagePageInfo,
      nullable: false,
      description: 'Pagination. Free.',
      resolve: (page) => page,
    }),
  }),
});

const ReceiptLineType = builder.objectRef<ReceiptLine>('ReceiptLine').implement({
  description: 'A number of items at one price. Free.',
  fields: (t) => ({
    path: t.exposeString('path', {
      nullable: false,
      description: 'Path in the operation, in schema names; `other` for lines that did not fit. Free.',
    }),
    unit: t.exposeString('unit', { nullable: false, description: 'The unit the items are priced as. Free.' }),
    cache: t.exposeString('cache', {
      nullable: false,
      description: 'Whether they came from the cache or the network. Free.',
    }),
    items: t.exposeInt('items', { nullable: false, description: 'Number of items. Free.' }),
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
  description: 'What one paid request cost and why. Free.',
  fields: (t) => ({
    requestId: t.exposeID('requestId', { nullable: false, description: 'Id of the request. Free.' }),
    at: t.expose('at', { type: 'DateTime', nullable: false, description: 'Time of the charge. Free.' }),
    operation: t.exposeString('operation', { nullable: false, description: 'The operation. Free.' }),
    keyPrefix: t.exposeString('keyPrefix', { nullable: false, description: 'The key prefix. Free.' }),
    credits: t.field({
      type: 'Credits',
      nullable: false,
      description: 'Credits charged. Free.',
      resolve: (receipt) => toCredits(receipt.amount),
    }),
    balanceAfter: t.field({
      type: 'Credits',
      nullable: false,
      description: 'Balance after the charge. Free.',
      resolve: (receipt) => toCredits(receipt.balanceAfter),
    }),
    items: t.exposeInt('items', { nullable: false, description: 'Objects returned. Free.' }),
    cacheHits: t.exposeInt('cacheHits', {
      nullable: false,
      description: 'Objects served from cache, at half price. Free.',
    }),
    lines: t.field({
      type: [ReceiptLineType],
      nullable: false,
      description: 'One line per path and price. Free.',
      resolve: (receipt) => receipt.lines,
    }),
  }),
});

export const AccountType = builder.objectRef<Me>('Account').implement({
  description: 'The account of the key. Free.',
  fields: (t) => ({
    customerId: t.exposeID('customerId', { nullable: false, description: 'Id of the account. Free.' }),
    keyPrefix: t.exposeString('keyPrefix', {
      nullable: false,
      description: 'The prefix of the key in use. Free.',
    }),
    balance: t.expose('balance', { type: 'Credits', nullable: false, description: 'Credits in the wallet. Free.' }),
    rateLimitQps: t.exposeInt('rateLimitQps', { nullable: false, description: 'Requests per second. Free.' }),
    usage: t.field({
      type: [UsageRowType],
      nullable: false,
      description:
        'Usage by day, hour, endpoint and key. More than 1,000 rows are refused; use `Query.usagePage` for pages. Free.',
      args: usageArgs,
      resolve: (_me, args, { account }, info) => account.usage(args, selectedFields(info)),
    }),
  }),
});
