import { DELIVERY_PAGE, sizeRule } from '../../src/domain/fields.js';
import { Product } from '../args.js';
import { builder, rule } from '../builder.js';
import { selectedFields } from '../selected-fields.js';
import { AddedWatchType, WatchDeliveriesType, WatchesType, WatchType } from '../types/watch.js';

const idArg = builder.args((t) => ({
  id: t.id({ required: true, description: 'Id of the watch.' }),
}));

builder.queryFields((t) => ({
  watches: t.field({
    type: WatchesType,
    description: 'The watches of the account. Free.',
    resolve: (_root, _args, { watches }) => watches.list(),
  }),
  watch: t.field({
    type: WatchType,
    description: 'A watch of the account. Free.',
    args: { ...idArg },
    resolve: (_root, { id }, { watches }) => watches.get(id),
  }),
  watchDeliveries: t.field({
    type: WatchDeliveriesType,
    description:
      'The deliveries of a watch, sent or still to be sent. A page ends early once it has 4 MiB of bodies. A delivery is kept for 3 days after it was received, otherwise for 30 days. Free.',
    args: {
      ...idArg,
      first: t.arg.int({
        defaultValue: DELIVERY_PAGE.initial,
        description: `Deliveries on the page, 1 to ${DELIVERY_PAGE.max}.`,
        ...rule(sizeRule(DELIVERY_PAGE)),
      }),
      after: t.arg.string({ description: '`pageInfo.endCursor` of the previous page, unchanged.' }),
    },
    resolve: (_root, { id, first, after }, { watches }, info) => {
      const copies = selectedFields(info, 'body');
      return watches.deliveries(id, { count: first ?? DELIVERY_PAGE.initial, after: after ?? null, copies });
    },
  }),
}));

builder.mutationFields((t) => ({
  createWatch: t.field({
    type: AddedWatchType,
    description:
      'Follows a list and sends new items to a webhook. Free, except for the items: each is charged once, at its price on a page. Name exactly one list. Perch reads it once before it adds the watch, so a list that cannot be read is refused. Adding the same watch again returns the existing one.',
    args: {
      user: t.arg.id({ description: 'The timeline of a user, by handle or id.' }),
      q: t.arg.string({ description: 'A search query.' }),
      replies: t.arg.id({ description: 'The replies to a tweet, by its id.' }),
      quotes: t.arg.id({ description: 'The quotes of a tweet, by its id.' }),
      product: t.arg({
        type: Product,
        description: 'For a search: a product that is ordered by time. Default: Latest.',
      }),
      count: t.arg.int({
        description: 'Maximum number of items per delivery. Default: the same as for a page of the list.',
        ...rule({ kind: 'size', min: 1, max: 100 }),
      }),
      since: t.arg.string({
        description:
          '`pageInfo.sinceCursor` of an earlier answer: delivers items newer than that answer. Default: items that are new from now on.',
      }),
      webhookUrl: t.arg.string({ required: true, description: 'A public https address.' }),
      maxCreditsPerDay: t.arg({
        type: 'Credits',
        description:
          'Maximum credits to spend on a UTC day; the watch then waits for the next day. Default: no limit of its own.',
      }),
    },
    resolve: (_root, { user, q, replies, quotes, ...rest }, { watches }) =>
      watches.add({ ...rest, subjects: { user, q, replies, quotes } }),
  }),
  pauseWatch: t.field({
    type: WatchType,
    description: 'Pauses a watch. When it is resumed, it continues where it stopped. Free.',
    args: { ...idArg },
    resolve: (_root, { id }, { watches }) => watches.change(id, 'paused'),
  }),
  resumeWatch: t.field({
    type: WatchType,
    description: 'Resumes a watch where it stopped. Free.',
    args: { ...idArg },
    resolve: (_root, { id }, { watches }) => watches.change(id, 'active'),
  }),
  endWatch: t.field({
    type: WatchType,
    description: 'Ends a watch for good. Its deliveries remain listed: those received for 3 days, others for 30. Free.',
    args: { ...idArg },
    resolve: (_root, { id }, { watches }) => watches.change(id, 'ended'),
  }),
  sendDeliveryAgain: t.field({
    type: WatchType,
    description: 'Sends a delivery again, unchanged and under the same id. Free.',
    args: { ...idArg, deliveryId: t.arg.id({ required: true, description: 'Id of the delivery.' }) },
    resolve: (_root, { id, deliveryId }, { watches }) => watches.sendAgain(id, deliveryId),
  }),
}));
