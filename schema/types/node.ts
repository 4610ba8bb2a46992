import { badRequest } from '../../src/domain/errors.js';
import { isId } from '../../src/domain/ids.js';
import type { Tweet, User } from '../../src/domain/model.js';
import { builder } from '../builder.js';

export const typeName = (item: Tweet | User): 'Tweet' | 'User' => ('text' in item ? 'Tweet' : 'User');

/** What Relay calls a node. Its id is a field of its own: `id` is the network's, and a user and a tweet can share one. */
export const Node = builder.interfaceRef<Tweet | User>('Node').implement({
  description: 'An object that can be read again by its global id.',
  resolveType: typeName,
  fields: (t) => ({
    nodeId: t.id({
      nullable: false,
      description: 'Global id: unique over all types. Pass it to `node`. Free.',
      resolve: (item) => `${typeName(item)}:${item.id}`,
    }),
  }),
});

/** The type and id in a global id. Throws `bad_request` if it is not one of Perch's. */
export function parseNodeId(nodeId: string): { type: 'Tweet' | 'User'; id: string } {
  const [, type, id] = /^(Tweet|User):(.+)$/.exec(nodeId) ?? [];
  if ((type !== 'Tweet' && type !== 'User') || id === undefined || !isId(id)) {
    throw badRequest('Invalid nodeId. Send the nodeId of a user or tweet unchanged, such as User:12.', 'nodeId');
  }
  return { type, id };
}
