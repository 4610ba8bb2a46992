import { toCredits } from '../../src/domain/credits.js';
import { FOLLOWED_READS, subjectParameter } from '../../src/domain/lists.js';
import type { AddedWatch, WatchDelivery, WatchDeliveryPage, WatchRecord } from '../../src/ports/watches.js';
import { Product } from '../args.js';
import { builder } from '../builder.js';

const subjectOf = (name: string, { kind, subject }: WatchRecord): string | null =>
  FOLLOWED_READS.some((read) => read.kind === kind && subjectParameter(read) === name) ? subject : null;

const seconds = (ms: number | null): number | null => (ms === null ? null : Math.round(ms / 1000));

export const WatchType = builder.objectRef<WatchRecord>('Watch').implement({
  description: 'A list followed for an account; new items are sent to a webhook. Free.',
  fields: (t) => ({
    id: t.exposeID('watchId', { nullable: false, description: 'Id of the watch. Free.' }),
    user: t.string({
      description: 'The user whose timeline it follows, as requested; null if it follows another kind of list. Free.',
      resolve: (watch) => subjectOf('user', watch),
    }),
    q: t.string({
      description: 'The search query that it follows; null if it follows another kind of list. Free.',
      resolve: (watch) => subjectOf('q', watch),
    }),
    replies: t.string({
      description: 'The tweet whose replies it follows; null if it follows another kind of list. Free.',
      resolve: (watch) => subjectOf('replies', watch),
    }),
    quotes: t.string({
      description: 'The tweet whose quotes it follows; null if it follows another kind of list. Free.',
      resolve: (watch) => subjectOf('quotes', watch),
    }),
    product: t.expose('product', {
      type: Product,
      description: 'The product of its search; null if it follows another kind of list. Free.',
    }),
    count: t.exposeInt('count', { nullable: false, description: 'Maximum number of items per delivery. Free.' }),
    webhookUrl: t.exposeString('webhookUrl', { nullable: false, description: 'URL that new items are sent to. Free.' }),
    maxCreditsPerDay: t.field({
      type: 'Credits',
      description: 'Maximum credits that it spends on a UTC day; null if it has no limit of its own. Free.',
      resolve: ({ dailyLimit }) => (dailyLimit === null ? null : toCredits(dailyLimit)),
    }),
    state: t.exposeString('state', {
      nullable: false,
      description: '`active`, `waiting` (resumes automatically), `paused` (until you resume it) or `ended`. Free.',
    }),
    reason: t.exposeString('reason', {
      description:
        'Why it is waiting (`credits`, `key_cap`, `daily_limit`, `frozen` or `backlog`) or paused (`by_hand`, `key`, `list` or `undelivered`). Free.',
    }),
    stateAt: t.expose('stateAt', {
      type: 'DateTime',
      nullable: false,
      description: 'Time it entered this state. Free.',
    }),
    resumesAt: t.expose('dueAt', { type: 'DateTime', description: 'When a waiting watch is tried again. Free.' }),
    deliveries: t.exposeInt('number', { nullable: false, description: 'Number of deliveries of items so far. Free.' }),
    creditsSpent: t.field({
      type: 'Credits',
      nullable: false,
      description: 'Credits spent on its items so far. Free.',
      resolve: ({ spent }) => toCredits(spent),
    }),
    creditsSpentToday: t.field({
      type: 'Credits',
      nullable: false,
      description: 'Credits spent on its items on the current UTC day. Free.',
      resolve: ({ spentToday }) => toCredits(spentToday),
    }),
    newestItemAt: t.expose('newestAt', {
      type: 'DateTime',
      description: 'Time the newest item found so far was posted. Free.',
    }),
    checkedAt: t.expose('checkedAt', { type: 'DateTime', description: 'When its list was last read. Free.' }),
    everySeconds: t.int({
      description: 'Seconds between reads of its list at the moment. Free.',
      resolve: ({ everyMs }) => seconds(everyMs),
    }),
    failed: t.exposeString('failed', { description: 'The error code of the last read, if it failed. Free.' }),
    keyPrefix: t.exposeString('keyPrefix', { nullable: false, description: 'The prefix of the key that pays. Free.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', nullable: false, description: 'Time it was created. Free.' }),
  }),
});

export const WatchesType = builder.objectRef<readonly WatchRecord[]>('Watches').implement({
  description: 'The watches of an account. Free.',
  fields: (t) => ({
    nodes: t.field({
      type: [WatchType],
      nullable: false,
      description: 'The newest first, then the ended ones, of which only the 100 that ended last are listed. Free.',
      resolve: (watches) => watches,
    }),
  }),
});

export const AddedWatchType = builder.objectRef<AddedWatch>('AddedWatch').implement({
  description: 'A new watch and its secret. Free.',
  fields: (t) => ({
    watch: t.field({
      type: WatchType,
      nullable: false,
      description: 'The watch. Free.',
      resolve: ({ watch }) => watch,
    }),
    webhookSecret: t.exposeString('secret', {
      nullable: false,
      description: 'The secret that its deliveries are signed with, in the format of Standard Webhooks. Free.',
    }),
  }),
});

const stateOf = ({ deliveredAt, dueAt }: WatchDelivery): string =>
  deliveredAt !== null ? 'delivered' : dueAt !== null ? 'waiting' : 'given_up';

const WatchDeliveryType = builder.objectRef<WatchDelivery>('WatchDelivery').implement({
  description: 'New items of a watch, as sent to its webhook. Free: the items were charged when they were found.',
  fields: (t) => ({
    id: t.exposeID('deliveryId', {
      nullable: false,
      description: 'Id of the delivery; also the `request_id` of the charge. Free.',
    }),
    number: t.exposeInt('number', {
      nullable: false,
      description: 'Its number among the deliveries of its watch, from 1. Free.',
    }),
    items: t.exposeInt('items', { nullable: false, description: 'Number of items. Free.' }),
    credits: t.field({
      type: 'Credits',
      nullable: false,
      description: 'Credits charged for its items. Free.',
      resolve: ({ charged }) => toCredits(charged),
    }),
    state: t.string({
      nullable: false,
      description: '`delivered`, `waiting` or `given_up`. Free.',
      resolve: stateOf,
    }),
    tries: t.exposeInt('tries', { nullable: false, description: 'Number of attempts to send it. Free.' }),
    status: t.exposeInt('status', { description: 'HTTP status of the last response. Free.' }),
    fault: t.exposeString('fault', { description: 'Why the last attempt got no response. Free.' }),
    excerpt: t.exposeString('excerpt', { description: 'The beginning of the last response. Free.' }),
    body: t.exposeString('body', { nullable: false, description: 'The JSON body that is sent. Free.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', nullable: false, description: 'Time it was created. Free.' }),
    triedAt: t.expose('triedAt', { type: 'DateTime', description: 'Time of the last attempt. Free.' }),
    nextTryAt: t.expose('dueAt', { type: 'DateTime', description: 'Time of the next attempt. Free.' }),
    deliveredAt: t.expose('deliveredAt', { type: 'DateTime', description: 'Time the webhook received it. Free.' }),
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
