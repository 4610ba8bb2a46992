import { nodeId } from '../../src/domain/ids.js';
import type { Tweet, User } from '../../src/domain/model.js';
import { builder } from '../builder.js';

export const typeName = (item: Tweet | User): 'Tweet' | 'User' => ('text' in item ? 'Tweet' : 'User');

/**
 * Relay's node interface. Its id is a separate field, because `id` is the network's, which a user and a tweet may
 * share.
 */
export const Node = builder.interfaceRef<Tweet | User>('Node').implement({
  description: 'An object that can be refetched by its global id.',
  resolveType: typeName,
  fields: (t) => ({
    nodeId: t.id({
      nullable: false,
      description: 'Global id, unique across all types. Pass it to `node`. Free.',
      resolve: (item) => nodeId(typeName(item), item.id),
    }),
  }),
});
