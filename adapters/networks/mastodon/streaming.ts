import { z } from 'zod';
import { jsonText, type PushMessage, type PushProtocol } from '../upstream/push.js';
import { id } from './schemas.js';

const announced = z.object({ account: z.object({ id }), created_at: z.string() });

const event = z.union([
  z.object({ event: z.literal('update'), payload: jsonText.pipe(announced) }).transform(
    ({ payload: { account, created_at } }): PushMessage => ({
      name: account.id,
      // A time that cannot be parsed counts as the earliest possible, so that one read is enough.
      madeAt: Date.parse(created_at) || 0,
    }),
  ),
  z.object({ event: z.string().refine((name) => name !== 'update') }).transform((): PushMessage => 'nothing'),
  z.object({ error: z.string() }).transform((): PushMessage => 'refused'),
]);

/**
 * Streams a server's public timeline. It has no boosts, no replies to others, and nothing that is unlisted or that the
 * token's owner hides, so timelines are still read as well.
 */
export const createStreaming = (baseUrl: string, token: string): PushProtocol => ({
  nameOf: ({ kind, subject }) => (kind === 'timeline' ? subject : null),
  address: () => ({
    url: `${baseUrl}/api/v1/streaming?stream=public`,
    headers: { authorization: `Bearer ${token}` },
  }),
  message: jsonText.pipe(event),
  isComplete: false,
});
