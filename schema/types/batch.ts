import { toCredits } from '../../src/domain/credits.js';
import type { Tweet, User } from '../../src/domain/model.js';
import type { Batch, BatchFault } from '../../src/read/batch.js';
import { builder, TweetRef, UserRef } from '../builder.js';
import { PageMeta } from './page-meta.js';

const BatchError = builder.objectRef<BatchFault>('BatchError').implement({
  description: 'An input that returned nothing, and why. Never charged.',
  fields: (t) => ({
    input: t.exposeString('input', { nullable: false, description: 'The handle or id as sent. Free.' }),
    code: t.exposeString('code', { nullable: false, description: 'The error code; match on this. Free.' }),
    message: t.exposeString('message', { nullable: false, description: 'What went wrong, in words. Free.' }),
  }),
});

function batchMeta({ nodes, cacheHits, charged, fresh }: Batch<unknown>) {
  const items = nodes.length;
  const label = cacheHits === 0 ? 'miss' : cacheHits === items ? 'hit' : 'mixed';
  return {
    items,
    cacheHits,
    creditsCharged: toCredits(charged),
    cache: fresh ? ('bypass' as const) : (label as 'hit'),
  };
}

export const UserBatch = builder.objectRef<Batch<User>>('UserBatch').implement({
  description: 'The profiles found, in input order, and the reasons for those not found.',
  fields: (t) => ({
    nodes: t.field({
      type: [UserRef],
      nullable: false,
      description: 'The profiles found, in input order, paid for by the field that returns this batch.',
      resolve: (batch) => batch.nodes,
    }),
  }),
});

export const TweetBatch = builder.objectRef<Batch<Tweet>>('TweetBatch').implement({
  description: 'The tweets found, in input order, and the reasons for those not found.',
  fields: (t) => ({
    nodes: t.field({
      type: [TweetRef],
      nullable: false,
      description: 'The tweets found, in input order, paid for by the field that returns this batch.',
      resolve: (batch) => batch.nodes,
    }),
  }),
});

/** The fields of both batches apart from their nodes. */
for (const ref of [UserBatch, TweetBatch]) {
  builder.objectFields(ref, (t) => ({
    errors: t.field({
      type: [BatchError],
      nullable: false,
      description: 'Inputs that returned nothing, in input order. Free.',
      resolve: (batch) => batch.errors,
    }),
    meta: t.field({
      type: PageMeta,
      nullable: false,
      description: 'What the batch contains and what it cost. Free.',
      resolve: batchMeta,
    }),
  }));
}
