/** Announcements of a Mastodon server, over a server that speaks its streaming API. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStreaming } from '../../../adapters/networks/mastodon/streaming.js';
import { PushedLists } from '../../../adapters/networks/upstream/push.js';
import { until } from '../../kit/time/until.js';
import { aStatus } from './fixtures.js';
import { openStreaming, type StreamingStandIn } from './streaming-stand-in.js';

let streaming: StreamingStandIn;
let push: PushedLists;
const said: string[] = [];
const unreadable: string[] = [];

function open(token = 'a-token'): void {
  push = new PushedLists({
    protocol: createStreaming(streaming.url, token),
    log: {
      onConnection: (_isConnected, reason) => said.push(reason),
      onUnreadable: (_messages, problem) => unreadable.push(problem),
    },
    userAgent: 'Perch/0.3.0 (test)',
    clock: Date,
    random: () => 1,
    times: { pingEveryMs: 50, silentMs: 10_000, firstPauseMs: 50, lingerMs: 50 },
  });
}

beforeEach(async () => {
  streaming = await openStreaming('a-token');
  said.length = unreadable.length = 0;
});
afterEach(async () => {
  push.close();
  await streaming.close();
});

function follow(subject = '7') {
  const announced: number[] = [];
  const complete: boolean[] = [];
  const listener = {
    onNew: (madeAt: number) => announced.push(madeAt),
    onComplete: (isIt: boolean) => complete.push(isIt),
  };
  return { announced, complete, unfollow: push.follow({ kind: 'timeline', subject }, listener) };
}

describe("a Mastodon server's stream", () => {
  it('announces new posts of followed accounts, and never claims to announce all', async () => {
    open();
    const { announced, complete } = follow();
    await until('it is connected', () => streaming.subscribed.size === 1);
    expect(streaming.requests).toEqual(['/api/v1/streaming?stream=public']);
    streaming.announce('update', aStatus({ id: '101', created_at: '2026-11-01T10:00:00.000Z' }));
    streaming.announce('update', aStatus({ id: '102', account: { id: '8' } }));
    streaming.announce('status.update', aStatus({ id: '101' }));
    streaming.announce('delete', '101');
    streaming.announce('announcement.reaction', { name: 'x', count: 1 });
    streaming.announce('update', aStatus({ id: '103', created_at: 'now' }));
    await until('both are announced', () => announced.length === 2);
    expect(announced).toEqual([Date.UTC(2026, 10, 1, 10), 0]);
    await sleep(150);
    expect(complete).toEqual([]);
    expect(push.state).toEqual({ isConnected: true, lists: 1, announced: 2, unreadable: 0 });
  });

  it('skips unreadable messages, and counts them', async () => {
    open();
    const { announced } = follow();
    await until('it is connected', () => streaming.subscribed.size === 1);
    for (const text of ['', '[]', '{}', '{"event":7}', '{"event":"update"}']) streaming.send(text);
    for (const payload of ['{', 'null', '{}', JSON.stringify({ account: { id: 'x' }, created_at: '' })]) {
      streaming.announce('update', payload);
    }
    streaming.announce('update', aStatus());
    await until('the post is announced', () => announced.length === 1);
    expect(push.state.unreadable).toBe(9);
    expect(unreadable).toEqual([': is no JSON']);
  });

  it('reports a bad token or a disabled stream', async () => {
    open('another-token');
    follow();
    await until('it tried twice', () => streaming.requests.length === 2);
    expect(said).toEqual(['Unexpected server response: 401']);
    push.close();
    said.length = 0;
    streaming.state.isDisabled = true;
    open();
    follow();
    await until('it tried twice', () => streaming.requests.length === 4);
    expect(said.slice(0, 2)).toEqual(['connected', 'the server refused to announce new items']);
    expect(push.state.isConnected).toBe(false);
  });
});
