import { toCredits } from '../../src/domain/credits.js';
import { FOLLOWED_READS, subjectParameter } from '../../src/domain/lists.js';
import type { AddedWatch, WatchDelivery, WatchDeliveryPage, WatchRecord } from '../../src/ports/watches.js';
import { Product } from '../args.js';
import { builder } from '../builder.js';

const subjectOf = (name: string, { kind, subject }: WatchRecord): string | null =>
  FOLLOWED_READS.some((read) => read.kind === kind && subjectParameter(read) === name) ? subject : null;

const seconds = (ms: number | null): number | null => (ms === null ? null : Math.round(ms / 1000));

export const WatchType = builder.objectRef<WatchRecord>('Watch').implement({
  description: 'A list that is followed for an account: what is new is sent to a webhook. Free.',
  fields: (t) => ({
    id: t.exposeID('watchId', { nullable: false, description: 'Id of the watch. Free.' }),
    user: t.string({
      description: 'The user whose timeline it follows, as it was asked for; null: another list. Free.',
      resolve: (watch) => subjectOf('user', watch),
    }),
    q: t.string({
      description: 'The search that it follows; null: another list. Free.',
      resolve: (watch) => subjectOf('q', watch),
    }),
    replies: t.string({
      description: 'The tweet whose replies it follows; null: another list. Free.',
      resolve: (watch) => subjectOf('replies', watch),
    }),
    quotes: t.string({
      description: 'The tweet whose quotes it follows; null: another list. Free.',
      resolve: (watch) => subjectOf('quotes', watch),
    }),
    product: t.expose('product', { type: Product, description: 'Of a search. Free.' }),
    count: t.exposeInt('count', { nullable: false, description: 'The most items of a delivery. Free.' }),
    webhookUrl: t.exposeString('webhookUrl', { nullable: false, description: 'Where new items are sent. Free.' }),
    maxCreditsPerDay: t.field({
      type: 'Credits',
      description: 'The most that it spends on a UTC day; null: whatever its key may. Free.',
      resolve: ({ dailyLimit }) => (dailyLimit === null ? null : toCredits(dailyLimit)),
    }),
    state: t.exposeString('state', {
      nullable: false,
      description: '`active`, `waiting` (goes on by itself), `paused` (until it is resumed) or `ended`. Free.',
    }),
    reason: t.exposeString('reason', {
      description:
        'Why it waits: `credits`, `key_cap`, `daily_limit` or `backlog`. Why it is paused: `by_hand`, `key`, `list` or `undelivered`. Free.',
    }),
    stateAt: t.expose('stateAt', { type: 'DateTime', nullable: false, description: 'Since when. Free.' }),
    resumesAt: t.expose('dueAt', { type: 'DateTime', description: 'When a waiting one is tried again. Free.' }),
    deliveries: t.exposeInt('number', { nullable: false, description: 'Deliveries of items so far. Free.' }),
    creditsSpent: t.field({
      type: 'Credits',
      nullable: false,
      description: 'What its items cost so far. Free.',
      resolve: ({ spent }) => toCredits(spent),
    }),
    creditsSpentToday: t.field({
      type: 'Credits',
      nullable: false,
      description: 'What they cost on this UTC day. Free.',
      resolve: ({ spentToday }) => toCredits(spentToday),
    }),
    newestItemAt: t.expose('newestAt', {
      type: 'DateTime',
      description: 'When the newest item that it sent was made. Free.',
    }),
    checkedAt: t.expose('checkedAt', { type: 'DateTime', description: 'When its list was last read. Free.' }),
    everySeconds: t.int({
      description: 'How often its list is read now. Free.',
      resolve: ({ everyMs }) => seconds(everyMs),
    }),
    failed: t.exposeString('failed', { description: 'The error code of the last read, if it failed. Free.' }),
    keyPrefix: t.exposeString('keyPrefix', { nullable: false, description: 'The key that pays. Free.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', nullable: false, description: 'When it was made. Free.' }),
  }),
});

export const WatchesType = builder.objectRef<readonly WatchRecord[]>('Watches').implement({
  description: 'The watches of an account. Free.',
  fields: (t) => ({
    nodes: t.field({
      type: [WatchType],
      nullable: false,
      description: 'The newest first. After them those that ended: the last 100 to end. Free.',
      resolve: (watches) => watches,
    }),
  }),
});

export const AddedWatchType = builder.objectRef<AddedWatch>('AddedWatch').implement({
  description: 'A new watch. Free.',
  fields: (t) => ({
    watch: t.field({
      type: WatchType,
      nullable: false,
      description: 'The watch. Free.',
      resolve: ({ watch }) => watch,
    }),
    webhookSecret: t.exposeString('secret', {
      nullable: false,
      description: 'The secret that its deliveries are signed with, as Standard Webhooks has it. Free.',
    }),
  }),
});

const stateOf = ({ deliveredAt, dueAt }: WatchDelivery): string =>
  deliveredAt !== null ? 'delivered' : dueAt !== null ? 'waiting' : 'given_up';

const WatchDeliveryType = builder.objectRef<WatchDelivery>('WatchDelivery').implement({
  description: 'New items of a watch, as they are sent. Free: the items were charged when they were found.',
  fields: (t) => ({
    id: t.exposeID('deliveryId', {
      nullable: false,
      description: 'Id of the delivery, and `request_id` of the charge. Free.',
    }),
    number: t.exposeInt('number', { nullable: false, description: 'Its place among its watch’s, from 1. Free.' }),
    items: t.exposeInt('items', { nullable: false, description: 'Number of items. Free.' }),
    credits: t.field({
      type: 'Credits',
      nullable: false,
      description: 'What they cost. Free.',
      resolve: ({ charged }) => toCredits(charged),
    }),
    state: t.string({
      nullable: false,
      description: '`delivered`, `waiting` or `given_up`. Free.',
      resolve: stateOf,
    }),
    tries: t.exposeInt('tries', { nullable: false, description: 'How often it was tried. Free.' }),
    status: t.exposeInt('status', { description: 'The HTTP status of the last answer. Free.' }),
    fault: t.exposeString('fault', { description: 'Why there was no answer. Free.' }),
    excerpt: t.exposeString('excerpt', { description: 'How the last answer began. Free.' }),
    body: t.exposeString('body', { nullable: false, description: 'The JSON that is sent. Free.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', nullable: false, description: 'When it was made. Free.' }),
    triedAt: t.expose('triedAt', { type: 'DateTime', description: 'When it was last tried. Free.' }),
    nextTryAt: t.expose('dueAt', { type: 'DateTime', description: 'When it is tried again. Free.' }),
    deliveredAt: t.expose('deliveredAt', { type: 'DateTime', description: 'When it was taken. Free.' }),
  }),
});

const WatchDeliveryPageInfo = builder.objectRef<WatchDeliveryPage>('WatchDeliveryPageInfo').implement({
  description: 'Position of a page of deliveries. Free.',
  fields: (t) => ({
    endCursor: t.exposeString('endCursor', {
      description: 'Pass it as `after` for the next page; null on the last one. Free.',
    }),
    hasNextPage: t.boolean({
      nullable: false,
      description: 'Whether there are more pages. Free.',
      resolve: (page) => page.endCursor !== null,
    }),
  }),
});

export const WatchDeliveriesType = builder.objectRef<WatchDeliveryPage>('WatchDeliveries').implement({
  description: 'A page of deliveries. Free.',
  fields: (t) => ({
    nodes: t.field({
      type: [WatchDeliveryType],
      nullable: false,
      description: 'The newest first. Free.',
      resolve: (page) => page.nodes,
    }),
    pageInfo: t.field({
      type: WatchDeliveryPageInfo,
      nullable: false,
      description: 'Pagination. Free.',
      resolve: (page) => page,
    }),
  }),
});
