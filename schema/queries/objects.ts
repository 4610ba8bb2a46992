import { BATCH } from '../../src/domain/fields.js';
import { isId, parseHandle, parseNodeId } from '../../src/domain/ids.js';
import type { Tweet, User } from '../../src/domain/model.js';
import { impossibleHandle, impossibleId, impossibleNodeId, notOneName } from '../../src/read/subjects.js';
import { freshArg, inputsRule, readOptions, tweetIdArg } from '../args.js';
import { builder, costs, priced, rule, TweetRef, UserRef } from '../builder.js';
import { TweetBatch, UserBatch } from '../types/batch.js';
import { Node } from '../types/node.js';

builder.queryFields((t) => ({
  // Relay's compiler wants exactly one argument here, so it has no `fresh`.
  node: t.field({
    type: Node,
    description:
      'A user or tweet by its global id, for clients such as Relay that refetch objects. Costs 1 per item: half if cached (`hit`). Empty results are free.',
    args: {
      nodeId: t.arg.id({
        required: true,
        description: 'The `nodeId` of a user or tweet, unchanged.',
        ...rule({ kind: 'nodeId' }),
      }),
    },
    // Also right for a user, because a profile has the same price as a tweet.
    ...priced({ unit: 'tweet', items: 'one' }),
    resolve: (_root, { nodeId }, { reads }, info): Promise<Tweet | User> => {
      const node = parseNodeId(nodeId);
      if (node === null) throw impossibleNodeId(nodeId);
      const options = readOptions(info, false);
      return node.type === 'Tweet' ? reads.tweet(node.id, options) : reads.user({ id: node.id }, options);
    },
  }),
  user: t.field({
    type: UserRef,
    description: `A profile by its handle, or by its id. ${costs('profile')}`,
    args: {
      handle: t.arg.string({
        description: 'The handle, with or without @. Digits alone are a handle here: an id goes into `id`.',
        ...rule({ kind: 'handle' }),
      }),
      id: t.arg.id({ description: 'The numeric id, instead of a handle.', ...rule({ kind: 'userId' }) }),
      ...freshArg,
    },
    ...priced({ unit: 'profile', items: 'one' }),
    resolve: (_root, { handle, id, fresh }, { reads }, info) =>
      reads.user(parseUserArgs(handle, id), readOptions(info, fresh)),
  }),
  users: t.field({
    type: UserBatch,
    description: `Up to ${BATCH.max} profiles by handle, in input order. Counts as a single request. ${costs('profile')}`,
    args: {
      handles: t.arg.stringList({
        required: true,
        description: `${BATCH.min} to ${BATCH.max} handles; duplicates are merged.`,
        ...inputsRule,
      }),
      ...freshArg,
    },
    ...priced({ unit: 'profile', items: 'handles' }),
    resolve: (_root, { handles, fresh }, { reads }, info) => reads.users(handles, readOptions(info, fresh)),
  }),
  tweet: t.field({
    type: TweetRef,
    description: `A tweet by its id. ${costs('tweet')}`,
    args: { ...tweetIdArg, ...freshArg },
    ...priced({ unit: 'tweet', items: 'one' }),
    resolve: (_root, { id, fresh }, { reads }, info) => reads.tweet(id, readOptions(info, fresh)),
  }),
  tweets: t.field({
    type: TweetBatch,
    description: `Up to ${BATCH.max} tweets by id, in input order. ${costs('tweet')}`,
    args: {
      ids: t.arg.idList({
        required: true,
        description: `${BATCH.min} to ${BATCH.max} ids, as strings; duplicates are merged.`,
        ...inputsRule,
      }),
      ...freshArg,
    },
    ...priced({ unit: 'tweet', items: 'ids' }),
    resolve: (_root, { ids, fresh }, { reads }, info) => reads.tweets(ids, readOptions(info, fresh)),
  }),
}));

function parseUserArgs(handle: string | null | undefined, id: string | null | undefined) {
  if ((handle == null) === (id == null)) throw notOneName();
  if (id != null) {
    if (!isId(id)) throw impossibleId(id);
    return { id };
  }
  const bare = parseHandle(handle ?? '');
  if (bare === null) throw impossibleHandle(handle ?? '');
  return { handle: bare };
}
