import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { get, post, rawClient } from './raw.js';
import { type BareServer, startBareServer } from './server.js';

const KIB = 1024;

/** A body of 16 KiB chunks, without a declared length. */
const chunked = (count: number): string =>
  post('/v1/length', 'Transfer-Encoding: chunked\r\n', `4000\r\n${'a'.repeat(16 * KIB)}\r\n`.repeat(count));

describe('one connection (P13)', () => {
  let server: BareServer;
  beforeAll(async () => {
    const patience = { headMs: 500, requestMs: 1000, idleMs: 60_000, unreadMs: 500, lookMs: 50 };
    server = await startBareServer({ patience });
  });
  afterAll(() => server.close());

  const statusOf = (received: string): string | undefined => /^HTTP\/1\.1 (\d{3})/.exec(received)?.[1];

  it.each([
    ['that says nothing', ''],
    ['that never ends its head', 'GET / HTTP/1.1\r\nHost: perch\r\nX-Slow: '],
    ['whose body stalls', post('/v1/length', 'Content-Length: 100\r\n', 'abc')],
    ['whose chunked body stalls', chunked(1)],
  ])('is answered 408 and closed after %s', async (_name, text) => {
    const received = await rawClient(server.url, text).closed;
    expect(statusOf(received)).toBe('408');
    expect(received).toContain('"code":"bad_request"');
  });

  it('is closed in time if its head arrives byte by byte', async () => {
    const { socket, closed } = rawClient(server.url, 'GET / HTTP/1.1\r\n');
    const drip = setInterval(() => socket.write('X-A: b\r\n'), 20);
    expect(statusOf(await closed.finally(() => clearInterval(drip)))).toBe('408');
  });

  it('is served with a chunked body of at most 64 KiB, and refused before the end of a larger one', async () => {
    const fits = rawClient(server.url, `${chunked(4)}0\r\n\r\n`);
    await vi.waitFor(() => expect(fits.received()).toContain(`{"bytes":${64 * KIB}}`), { timeout: 20_000 });
    fits.socket.destroy();
    const received = await rawClient(server.url, chunked(5)).closed;
    expect(statusOf(received)).toBe('413');
  });

  it('is refused before its body if it declares one that is too large', async () => {
    const received = await rawClient(server.url, post('/v1/length', `Content-Length: ${64 * KIB + 1}\r\n`, '')).closed;
    expect(statusOf(received)).toBe('413');
  });

  it('is closed if its client does not read the answer', async () => {
    const opened = once(server.app.server, 'connection') as Promise<[Socket]>;
    const { socket } = rawClient(server.url, get('/v1/huge'), { read: false });
    const [ours] = await opened;
    await once(ours, 'close');
    expect(ours.bytesWritten).toBeGreaterThan(0);
    socket.destroy();
  });

  it('delivers all of an answer to a client that reads slowly', async () => {
    const { socket, received } = rawClient(server.url, get('/v1/huge'));
    const pause = setInterval(() => {
      socket.pause();
      setTimeout(() => socket.resume(), 30);
    }, 60);
    await vi.waitFor(() => expect(received().length).toBeGreaterThan(200 * 150_000), { timeout: 25_000 });
    clearInterval(pause);
    socket.destroy();
  });

  it('stays open while its answer takes long', async () => {
    const answer = fetch(`${server.url}/v1/wait`);
    // Longer than it may stay silent or unread.
    const slept = await fetch(`${server.url}/v1/sleep`);
    expect(slept.status).toBe(200);
    server.release();
    expect((await answer).status).toBe(200);
  });

  it('may carry a pipeline of 32 requests, and is closed if there are more at a time', async () => {
    const some = rawClient(server.url, get('/v1/soon').repeat(32));
    await vi.waitFor(() => expect(some.received().match(/HTTP\/1\.1 200/g)).toHaveLength(32), { timeout: 20_000 });
    some.socket.destroy();
    const { closed } = rawClient(server.url, get('/v1/soon').repeat(33));
    expect(await closed).toBe('');
  });

  it('is closed at the 33rd request of a pipeline even if each could be answered at once', async () => {
    const small = post('/v1/length', 'Transfer-Encoding: chunked\r\n', '1\r\na\r\n0\r\n\r\n');
    const some = rawClient(server.url, small.repeat(32));
    await vi.waitFor(() => expect(some.received().match(/HTTP\/1\.1 200/g)).toHaveLength(32), { timeout: 20_000 });
    some.socket.destroy();
    const received = await rawClient(server.url, small.repeat(40)).closed;
    expect(received.match(/HTTP\/1\.1 200/g)?.length ?? 0).toBeLessThanOrEqual(1);
  });

  it('is parsed no further than the request that closes it', async () => {
    let parsed = 0;
    const count = (): number => (parsed += 1);
    server.app.server.on('request', count);
    await rawClient(server.url, get('/v1/soon').repeat(1000)).closed;
    server.app.server.off('request', count);
    expect(parsed).toBe(33);
  });
});
