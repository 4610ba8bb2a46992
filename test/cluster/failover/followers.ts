import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { loadCorpus } from '../../../adapters/networks/corpus/import/load.js';
import { toThousandths } from '../../../src/domain/credits.js';
import { addWatch } from '../../interfaces/live/add-watch.js';
import { openStream } from '../../kit/events.js';
import { get } from '../nodes/client.js';
import { handleOf } from '../nodes/network.js';
import type { Fleet } from '../nodes/nodes.js';

/** The number of the followed user, who is read by no one else; a new one each time. */
let followed = 1400;
let lastId = 6_000_000;

/** A list that is busy is read every five seconds. */
const POST_MS = 1_500;
const AGAIN_MS = 1_000;
const ARRIVES_MS = 90_000;

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly credits_charged: number;
  readonly request_id: string;
}

/** The items that arrived, in order, and the charges in thousandths by request. */
class Arrived {
  readonly ids: string[] = [];
  readonly charges = new Map<string, number>();

  note({ data, credits_charged, request_id }: Page): void {
    this.ids.push(...data.map(({ id }) => id));
    this.charges.set(request_id, toThousandths(credits_charged));
  }
}

/** A stream on each node, and a watch, which follow a user who posts continuously. */
export interface Followers {
  /** Ends them once every post has arrived everywhere in order, delivered once and charged once. */
  settle(): Promise<void>;
}

export async function openFollowers(fleet: Fleet): Promise<Followers> {
  const { sql } = fleet.database;
  const subject = handleOf(++followed);
  const authorId = String(followed);
  const { key, ...account } = await fleet.account();
  let isPosting = true;
  const over = new AbortController();
  onTestFinished(() => {
    isPosting = false;
    over.abort();
  });

  /** Posts a tweet. A write that may have failed is repeated with the same tweet. */
  async function post(): Promise<string> {
    const tweet = { id: String(++lastId), text: 'news', authorId, createdAt: new Date().toISOString() };
    const write = () => loadCorpus(sql, [{ kind: 'tweet', tweet }]);
    while (!(await write().then(...SUCCEEDED))) await sleep(AGAIN_MS);
    return tweet.id;
  }

  /** A client that resumes at its position whenever its stream ends. */
  async function follow(url: string, arrived: Arrived): Promise<void> {
    let headers: Record<string, string> = {};
    while (!over.signal.aborted) {
      const from = headers['last-event-id'] === undefined ? `&since=${since}` : '';
      const stream = await openStream(`${url}/v1/live?user=${subject}${from}`, key, headers);
      over.signal.addEventListener('abort', stream.leave);
      try {
        for await (const { event, id, data } of stream.response.ok ? stream.events : []) {
          if (event === 'items') arrived.note(data as Page);
          if (id !== undefined) headers = { 'last-event-id': id };
        }
      } catch (error) {
        if (!over.signal.aborted) throw error;
      }
      if (!over.signal.aborted) await sleep(AGAIN_MS);
    }
  }

  // A list without new items for a long time is read rarely.
  await post();
  const { body } = await get(`${fleet.nodes[0]?.url}/v1/users/${subject}/tweets`, key);
  const since: string = body.since_cursor;
  const { watchId } = await addWatch(sql, fleet.secrets.cursor, { ...account, since, subject });
  const clients = fleet.nodes.map(({ url }) => {
    const arrived = new Arrived();
    return { arrived, ended: follow(url, arrived) };
  });
  const posted: string[] = [];
  const posting = (async () => {
    for (; isPosting; await sleep(POST_MS)) posted.push(await post());
  })();

  /** The deliveries of the watch. */
  async function delivered(): Promise<Arrived> {
    const arrived = new Arrived();
    const rows = await sql<{ body: string }[]>`
      select body from deliveries where watch_id = ${watchId} and number is not null order by number`;
    for (const row of rows) arrived.note(JSON.parse(row.body).data);
    return arrived;
  }

  return {
    async settle() {
      // Waits for some posts after the failures.
      const fewest = posted.length + 2;
      await expect.poll(() => posted.length, { timeout: ARRIVES_MS }).toBeGreaterThanOrEqual(fewest);
      isPosting = false;
      await posting;
      const all = async () => [...clients.map(({ arrived }) => arrived.ids), (await delivered()).ids];
      const one = { timeout: ARRIVES_MS, interval: 500 };
      await expect
        .poll(async () => (await all()).map(({ length }) => length), one)
        .toEqual([...clients, 'watch'].map(() => posted.length));
      over.abort();
      await Promise.all(clients.map(({ ended }) => ended));
      for (const ids of await all()) expect(ids).toEqual(posted);
      const reported = [...clients.map(({ arrived }) => arrived), await delivered()].flatMap(({ charges }) => [
        ...charges,
      ]);
      const rows = await sql<{ id: string; amount: number }[]>`
        select request_id as id, amount_thousandths as amount from ledger_entries
        where account_id = ${account.accountId} and kind = 'debit' and request_id <> ${body.request_id}`;
      expect(rows.map(({ id, amount }) => [id, Number(amount)]).sort()).toEqual(reported.sort());
    },
  };
}

const SUCCEEDED = [() => true, () => false] as const;
