import { z } from 'zod';
import { jsonText, type PushMessage, type PushProtocol } from '../upstream/push.js';
import { POST, REPOST, userDid } from './ids.js';

/** What timelines consist of. */
const COLLECTIONS: readonly string[] = [POST, REPOST];

/** Far more than any post. */
const MOST_BYTES = 512 * 1024;

/** A new connection repeats this much, because the last announcements before the loss may not have arrived. */
const OVERLAP_MS = 5_000;

const event = z.object({
  did: z.string(),
  /** Unix microseconds: when the server saw it. */
  time_us: z.int().positive(),
  commit: z
    .object({
      operation: z.string(),
      collection: z.string(),
      record: z.object({ createdAt: z.string().optional().catch(undefined) }).optional(),
    })
    .optional(),
});

const message = jsonText.pipe(event).transform(({ did, time_us: seenUs, commit }): PushMessage => {
  if (commit?.operation !== 'create' || !COLLECTIONS.includes(commit.collection)) return 'nothing';
  const seenAt = seenUs / 1000;
  // The network sorts by the earlier of the two, because clients may write anything.
  const writtenAt = Date.parse(commit.record?.createdAt ?? '');
  return { name: did, madeAt: Math.min(seenAt, Number.isNaN(writtenAt) ? seenAt : writtenAt) };
});

/**
 * Jetstream: all posts and reposts of up to 10,000 accounts, as JSON over a WebSocket. A message names the accounts;
 * the server announces nothing before the first such message.
 */
export const createJetstream = (baseUrl: string): PushProtocol => ({
  nameOf: ({ kind, subject }) => (kind === 'timeline' ? userDid(subject) : null),
  address(lostAt) {
    const query = new URLSearchParams({ requireHello: 'true', maxMessageSizeBytes: String(MOST_BYTES) });
    if (lostAt !== null) query.set('cursor', String(Math.floor(lostAt - OVERLAP_MS) * 1000));
    return { url: `${baseUrl}/subscribe?${query}`, headers: {} };
  },
  wanted: (wantedDids) =>
    JSON.stringify({
      type: 'options_update',
      payload: { wantedCollections: COLLECTIONS, wantedDids, maxMessageSizeBytes: MOST_BYTES },
    }),
  message,
  isComplete: true,
});
