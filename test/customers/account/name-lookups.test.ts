/** DNS look-ups of names that customers choose: how many at once, for how long, and on which threads. */
import { createSocket, type Socket } from 'node:dgram';
import { stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nameLookups } from '../../../adapters/client-documents/name-lookups.js';
import { GuardedWebhooks } from '../../../adapters/client-documents/webhooks.js';

/** A name server that knows `public.example` and `private.example`, and says that others do not exist, or is silent. */
interface NameServer {
  readonly address: string;
  readonly queries: () => number;
  silent: boolean;
  close(): void;
}

const ADDRESSES: Readonly<Record<string, readonly number[]>> = {
  'public.example': [93, 184, 216, 34],
  'private.example': [10, 0, 0, 7],
};

async function startNameServer(): Promise<NameServer> {
  const socket: Socket = createSocket('udp4');
  let queries = 0;
  socket.on('message', (query, { port, address }) => {
    queries += 1;
    if (server.silent) return;
    socket.send(answerTo(query), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const server: NameServer = {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    queries: () => queries,
    silent: false,
    close: () => socket.close(),
  };
  return server;
}

/** RFC 1035, 4: repeats the question, with one address if there is one. */
function answerTo(query: Buffer): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const question = query.subarray(12, at + 5);
  const known = ADDRESSES[labels.join('.')];
  const isForV4 = query.readUInt16BE(at + 1) === 1;
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(known ? 0x8180 : 0x8183, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(known && isForV4 ? 1 : 0, 6);
  header.fill(0, 8);
  if (!known || !isForV4) return Buffer.concat([header, question]);
  return Buffer.concat([header, question, Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...known])]);
}

let server: NameServer;
beforeEach(async () => {
  server = await startNameServer();
});
afterEach(() => server.close());

describe('a look-up of a name', () => {
  it('returns the addresses of the name server', async () => {
    const resolve = nameLookups({ servers: [server.address] });
    expect(await resolve('public.example', { all: true })).toEqual([{ address: '93.184.216.34', family: 4 }]);
    expect(await resolve('public.example', { all: true, family: 6 })).toEqual([]);
    expect(await resolve('nowhere.example', { all: true })).toEqual([]);
  });

  it('ends after three seconds if the name server is silent, and sends nothing afterwards', async () => {
    server.silent = true;
    const from = performance.now();
    expect(await nameLookups({ servers: [server.address] })('slow.example', { all: true })).toEqual([]);
    expect(performance.now() - from).toBeLessThan(4500);
    const queries = server.queries();
    expect(queries).toBeGreaterThan(0);
    await sleep(1500);
    expect(server.queries()).toBe(queries);
  });

  it('does not use the threads for files, and is refused if 32 are running', async () => {
    server.silent = true;
    const resolve = nameLookups({ servers: [server.address] });
    const all = Promise.allSettled(Array.from({ length: 40 }, (_, n) => resolve(`slow${n}.example`, { all: true })));
    const from = performance.now();
    await Promise.all(Array.from({ length: 20 }, () => stat('.')));
    expect(performance.now() - from).toBeLessThan(1000);
    expect((await all).filter(({ status }) => status === 'rejected')).toHaveLength(8);
  });
});

describe('the check of a webhook’s address', () => {
  it('gives the same answer for a private name and for one that does not exist', async () => {
    const allow = { resolve: nameLookups({ servers: [server.address] }) };
    const webhooks = new GuardedWebhooks({ userAgent: 'Perch-Test/1', allow });
    await webhooks.check('https://public.example/', 'ada');
    const messages = await Promise.all(
      ['private', 'nowhere'].map((name) =>
        webhooks.check(`https://${name}.example/`, 'ada').catch(({ message }: Error) => message),
      ),
    );
    expect(messages[0]).toContain('must lead to a public address');
    expect(messages[1]).toBe(messages[0]);
  });

  it('leaves room for others when one account checks many addresses at once', async () => {
    server.silent = true;
    const allow = { resolve: nameLookups({ servers: [server.address] }) };
    const webhooks = new GuardedWebhooks({ userAgent: 'Perch-Test/1', allow });
    const check = (n: number, account: string) =>
      webhooks.check(`https://slow${n}.example/`, account).catch(({ code }) => code as string);
    const many = Array.from({ length: 20 }, (_, n) => check(n, 'hog'));
    const other = check(99, 'other');
    expect(await other).toBe('bad_request');
    const codes = await Promise.all(many);
    expect(codes.filter((code) => code === 'bad_request')).toHaveLength(4);
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(16);
  });
});
