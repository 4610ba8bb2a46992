import { afterEach, describe, expect, it, vi } from 'vitest';
import { ProcessorTime } from '../../src/access/processor-time.js';
import { WorkSlots } from '../../src/access/work-slots.js';
import { monotonic } from '../../src/lib/monotonic.js';
import { get, post, type RawClient, rawClient } from '../interfaces/http/raw.js';
import { type BareServer, startBareServer } from '../interfaces/http/server.js';
import { type Sender, senderFrom } from './sender.js';

const HOG = '127.0.0.2';
const OTHER = '127.0.0.3';
const until = (condition: () => void) => vi.waitFor(condition, { timeout: 20_000, interval: 10 });

const sharesOf = (total: number) => ({
  slots: new WorkSlots({ total, deadlineMs: 5000, monotonic }),
  processor: new ProcessorTime({ monotonic }),
});

describe('one address', () => {
  let server: BareServer;
  const clients: RawClient[] = [];
  const senders: Sender[] = [];
  const hog = (count: number, text: string): RawClient[] => {
    const opened = Array.from({ length: count }, () => rawClient(server.url, text, { localAddress: HOG }));
    clients.push(...opened);
    return opened;
  };
  const sender = (address: string): Sender => {
    const made = senderFrom(server.url, address, null);
    senders.push(made);
    return made;
  };
  afterEach(async () => {
    for (const { socket } of clients.splice(0)) socket.destroy();
    for (const { close } of senders.splice(0)) close();
    server.release();
    await server.close();
  });

  it('has a quarter of the connections, so 1,000 unfinished heads do not keep others out', async () => {
    server = await startBareServer({ capacity: { maxConnections: 400 } });
    const loris = hog(1000, 'GET / HTTP/1.1\r\nHost: perch\r\nX-Slow: ');
    await until(() => expect(loris.filter(({ socket }) => socket.closed)).toHaveLength(900));
    expect(server.app.pressure.connections).toMatchObject({ open: 100, refused: 900 });
    // As many as possible are told why.
    const [response = ''] = loris.map(({ received }) => received()).filter((text) => text !== '');
    expect(response).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
    expect(response).toMatch(/\r\nConnection: close\r\n/);
    expect(response).toMatch(/\r\nRetry-After: \d+\r\n/);
    expect(JSON.parse(response.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      error: {
        code: 'upstream_rate_limited',
        reason: 'address_busy',
        message: expect.stringContaining('100 open connections, its share of the 400 allowed in total'),
      },
      credits_charged: 0,
    });
    const other = sender(OTHER);
    const answers = await Promise.all(Array.from({ length: 50 }, () => other.get('/v1/soon')));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    // Once its own are closed, it may open others.
    for (const { socket } of loris) socket.destroy();
    await until(() => expect(server.app.pressure.connections?.open).toBeLessThan(60));
    expect((await sender(HOG).get('/v1/soon')).status).toBe(200);
  });

  it('that is a trusted proxy has all of them, and no more than there are', async () => {
    server = await startBareServer({ capacity: { maxConnections: 100 }, trustedProxies: ['127.0.0.2/32'] });
    const many = hog(120, '');
    await until(() => expect(many.filter(({ socket }) => socket.closed)).toHaveLength(20));
    expect(server.app.pressure.connections?.open).toBe(100);
  });

  it('has a quarter of the incoming bodies; the next is refused and its connection closed', async () => {
    server = await startBareServer({ capacity: { maxInFlight: 40 }, shares: sharesOf(40) });
    const half = hog(60, post('/v1/length', 'Content-Length: 60000\r\n', 'x'.repeat(30_000)));
    await until(() => expect(half.filter(({ socket }) => socket.closed)).toHaveLength(50));
    const [response = ''] = half.map(({ received }) => received()).filter((text) => text !== '');
    expect(response).toMatch(/^HTTP\/1\.1 503 /);
    expect(response).toContain('"reason":"address_busy"');
    expect(response).toMatch(/\r\nconnection: close\r\n/i);
    expect(server.app.pressure).toMatchObject({ inFlight: 0, bodiesRefused: 50 });
    expect((await sender(OTHER).post('/v1/length', { whole: true })).body).toEqual({ bytes: 14 });
    // A body that comes together with its head does not count as incoming.
    expect((await sender(HOG).get('/v1/soon')).status).toBe(200);
  });

  it('gets "all are sending" if it sends no body itself and all places are taken', async () => {
    server = await startBareServer({ capacity: { maxInFlight: 4 }, shares: sharesOf(40) });
    const half = post('/v1/length', 'Content-Length: 60000\r\n', 'x'.repeat(30_000));
    const many = Array.from({ length: 12 }, (_, n) =>
      rawClient(server.url, half, { localAddress: `127.0.1.${n + 1}` }),
    );
    clients.push(...many);
    await until(() => expect(many.filter(({ socket }) => socket.closed).length).toBeGreaterThanOrEqual(8));
    const [response = ''] = many.map(({ received }) => received()).filter((text) => text !== '');
    expect(JSON.parse(response.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      error: {
        reason: 'overloaded',
        message: 'All 4 request bodies allowed at a time are being sent. Nothing was charged.',
      },
    });
  });

  it('without a key has a quarter of the places for pages; others find theirs, and callers count elsewhere', async () => {
    server = await startBareServer({ capacity: { maxInFlight: 40 }, shares: sharesOf(40) });
    const [flooding, other] = [sender(HOG), sender(OTHER)];
    const waiting = Array.from({ length: 30 }, () => flooding.get('/v1/wait'));
    await until(() => expect(server.app.pressure.shares?.slots.taken.work).toBe(10));
    const refused = await flooding.get('/v1/wait');
    expect(refused.status).toBe(503);
    expect(refused.body.error).toMatchObject({ code: 'upstream_rate_limited', reason: 'address_busy' });
    expect(refused.body.error.message).toContain(
      '10 requests in progress, the most it may have while 10 of 40 slots are in use',
    );
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect((await flooding.get('/healthz')).status).toBe(200);
    expect((await flooding.get('/status')).status).toBe(200);
    expect((await other.get('/v1/soon')).status).toBe(200);
    // The key is not known yet: customers may share the address.
    const calls = Array.from({ length: 15 }, () => flooding.get('/v1/callers'));
    await until(() => expect(server.app.pressure.inFlight).toBe(25));
    server.release();
    const [ok, busy] = [200, 503].map(
      (status) => async () => (await Promise.all(waiting)).filter((a) => a.status === status).length,
    );
    expect([await ok?.(), await busy?.()]).toEqual([10, 20]);
    expect((await Promise.all(calls)).every(({ status }) => status === 200)).toBe(true);
    await until(() => expect(server.app.pressure.shares?.slots.taken.work).toBe(0));
  });

  it('gets its places back whenever it leaves', async () => {
    server = await startBareServer({ capacity: { maxInFlight: 40, maxConnections: 40 }, shares: sharesOf(40) });
    for (let round = 0; round < 5; round += 1) {
      const some = [
        ...hog(3, get('/v1/wait')),
        ...hog(3, post('/v1/length', 'Content-Length: 9\r\n', '{')),
        ...hog(3, get('/v1/later').repeat(5)),
      ];
      await until(() => expect(server.app.pressure.inFlight).toBeGreaterThan(0));
      for (const { socket } of some) socket.resetAndDestroy();
      await until(() => expect(server.app.pressure.connections?.open).toBe(0));
      await until(() => expect(server.app.pressure.shares?.slots.taken.work).toBe(0));
    }
    expect((await sender(HOG).post('/v1/length', {})).status).toBe(200);
  });
});
