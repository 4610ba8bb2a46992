import sql from 'sql-template-tag';
import { expiredCursor } from '../../../../src/domain/errors.js';
import type { NetworkPage } from '../../../../src/ports/network.js';
import type { Run } from '../run.js';
import { type CorpusPosition, tokenAt } from '../token.js';
import { readTweets } from './entities.js';
import { requireOpenTweet } from './subject.js';

const SIZE = 50;
const MAX_ANCESTORS = 1000;
const MAX_DESCENDANTS = 5000;

interface Link {
  id: string;
  parent: string | null;
  visible: boolean;
}

/**
 * The focal tweet, its ancestors from the root down, then its descendants depth first, older branches before younger
 * ones (T1). Side branches are left out. Beyond `MAX_ANCESTORS` or `MAX_DESCENDANTS` the list ends with `network_limit`.
 */
export async function readThread(
  run: Run,
  focalId: string,
  after: CorpusPosition | null,
  signal: AbortSignal,
): Promise<NetworkPage> {
  await requireOpenTweet(run, focalId, signal);
  const up = await readAncestors(run, focalId, signal);
  const down = await readDescendants(run, focalId, signal);
  const isCut = up.length >= MAX_ANCESTORS || down.length >= MAX_DESCENDANTS;
  const order = [focalId, ...up.filter((link) => link.visible).map((link) => link.id), ...depthFirst(focalId, down)];
  const unique = [...new Set(order)];

  const start = after === null ? 0 : unique.indexOf(after.id) + 1;
  if (after !== null && start === 0) {
    throw expiredCursor('This cursor has expired: its place in the list no longer exists');
  }
  const ids = unique.slice(start, start + SIZE);
  const tweets = await readTweets(run, ids, signal);
  const more = unique.length > start + SIZE;
  const last = ids.at(-1);
  return {
    tweets: ids.flatMap((id) => tweets.get(id) ?? []),
    next: more && last !== undefined ? tokenAt({ value: 0, id: last }) : null,
    nextIsCertain: true,
    ...(!more && isCut && { endReason: 'network_limit' as const }),
  };
}

/** Root first. Where the chain breaks at a missing tweet, the root of the conversation still comes first (T4). */
async function readAncestors(run: Run, focalId: string, signal: AbortSignal): Promise<Link[]> {
  const rows = await run<Link & { root: string | null }>(
    sql`WITH RECURSIVE up AS (
        SELECT id, in_reply_to_id, author_id, conversation_id, 0 AS height FROM corpus_tweets WHERE id = ${focalId}::bigint
        UNION ALL
        SELECT p.id, p.in_reply_to_id, p.author_id, p.conversation_id, up.height + 1 FROM up JOIN corpus_tweets p ON p.id = up.in_reply_to_id
        WHERE up.height < ${MAX_ANCESTORS}::int AND p.id <> ${focalId}::bigint
      ), chain AS (
        SELECT id, height, in_reply_to_id, author_id FROM up WHERE height > 0
        UNION ALL
        SELECT r.id, ${MAX_ANCESTORS + 1}::int, r.in_reply_to_id, r.author_id
        FROM up JOIN corpus_tweets r ON r.id = up.conversation_id
        WHERE up.height = 0 AND up.in_reply_to_id IS NOT NULL AND r.id NOT IN (SELECT id FROM up)
      )
      SELECT t.id::text AS id, t.in_reply_to_id::text AS parent, u.protected IS NOT TRUE AS visible
      FROM chain t LEFT JOIN corpus_users u ON u.id = t.author_id ORDER BY t.height DESC`,
    signal,
  );
  return rows;
}

/** Oldest first; UNION drops tweets that a cycle of replies would repeat. */
async function readDescendants(run: Run, focalId: string, signal: AbortSignal): Promise<Link[]> {
  return run<Link>(
    sql`WITH RECURSIVE down AS (
        SELECT id, in_reply_to_id, author_id, created_at, edited_to FROM corpus_tweets WHERE in_reply_to_id = ${focalId}::bigint
        UNION
        SELECT c.id, c.in_reply_to_id, c.author_id, c.created_at, c.edited_to FROM down JOIN corpus_tweets c ON c.in_reply_to_id = down.id
      ), bounded AS (SELECT * FROM down LIMIT ${MAX_DESCENDANTS})
      SELECT t.id::text AS id, t.in_reply_to_id::text AS parent, t.edited_to IS NULL AND u.protected IS NOT TRUE AS visible
      FROM bounded t LEFT JOIN corpus_users u ON u.id = t.author_id ORDER BY t.created_at, t.id`,
    signal,
  );
}

/** A protected author's reply, or an earlier version, is not shown, but the replies to it are. */
function depthFirst(focalId: string, links: readonly Link[]): string[] {
  const children = new Map<string | null, Link[]>();
  for (const link of links) {
    const siblings = children.get(link.parent);
    if (siblings === undefined) children.set(link.parent, [link]);
    else siblings.push(link);
  }
  const order: string[] = [];
  const seen = new Set<string>([focalId]);
  const waiting = [...(children.get(focalId) ?? [])].reverse();
  for (let link = waiting.pop(); link !== undefined; link = waiting.pop()) {
    if (seen.has(link.id)) continue;
    seen.add(link.id);
    if (link.visible) order.push(link.id);
    waiting.push(...[...(children.get(link.id) ?? [])].reverse());
  }
  return order;
}
