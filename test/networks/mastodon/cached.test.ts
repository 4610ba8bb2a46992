import { afterEach, beforeEach, expect, it } from 'vitest';
import { ListOwners } from '../../../adapters/networks/mastodon/list-owners.js';
import { Memories } from '../../../src/lib/memories.js';
import { createEngine } from '../../kit/engine.js';
import type { StandIn } from '../contract/harness.js';
import { openMastodon } from './stand-in.js';

let at: StandIn;
beforeEach(async () => {
  at = await openMastodon({ withToken: true });
});
afterEach(() => at.close());

/** The paths requested since the last call. */
function paths(): string[] {
  const all = at.requests.slice(seen).map((request) => request.split(' ')[1]?.split('?')[0] ?? '');
  seen = at.requests.length;
  return all;
}
let seen = 0;
beforeEach(() => {
  seen = 0;
});

it('does not request a tweet again for its thread, replies, quotes and retweeters in the same call', async () => {
  const id = at.tweetId('question');
  const { reads } = createEngine(at.network).open();
  await reads.tweet(id, { path: 'tweet', fresh: false });
  paths();
  const requested: string[] = [];
  for (const kind of ['thread', 'replies', 'quotes', 'retweeters'] as const) {
    const { nodes } = await reads.page({ kind, subject: id, count: 10, path: kind, fresh: false });
    expect(nodes.length).toBeGreaterThan(0);
    requested.push(...paths());
  }
  const [status, around] = [`/api/v1/statuses/${id}`, `/api/v1/statuses/${id}/context`];
  expect(requested).toEqual([around, around, `${status}/quotes`, `${status}/reblogged_by`]);
});

it('trusts what an account says of its lists for a minute, also if the clock is set back', () => {
  let nowMs = 0;
  const owners = new ListOwners({ now: () => nowMs }, new Memories());
  owners.note({ id: '1', hide_collections: true });
  const at = (ms: number) => {
    nowMs = ms;
    return owners.hides('1');
  };
  expect([at(59_999), at(60_000), at(-1)]).toEqual([true, undefined, undefined]);
});

it('makes no request for an empty timeline of a known user', async () => {
  const { reads } = createEngine(at.network).open();
  await reads.user({ handle: at.handle('quiet') }, { path: 'user', fresh: false });
  paths();
  const subject = at.userId('quiet');
  const { nodes } = await reads.page({ kind: 'timeline', subject, count: 10, path: 'timeline', fresh: false });
  expect([nodes, paths()]).toEqual([[], [`/api/v1/accounts/${subject}/statuses`]]);
});
