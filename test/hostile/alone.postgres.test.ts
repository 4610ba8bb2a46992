import { afterEach, beforeEach, expect, it } from 'vitest';
import { createScriptedNetwork, range, type ScriptedNetwork } from '../kit/networks/scripted-network.js';
import { startPerch, type TestPerch } from '../kit/perch.js';
import { type Received, type Sender, senderFrom } from './sender.js';

let perch: TestPerch;
let net: ScriptedNetwork;
let senders: Sender[];
beforeEach(async () => {
  net = createScriptedNetwork({});
  net.users(range(2000));
  perch = await startPerch({ network: net.network, env: { PERCH_MAX_CONNECTIONS: '10000' } });
  senders = [];
});
afterEach(async () => {
  for (const sender of senders) sender.close();
  await perch.close();
});

async function customer(address: string): Promise<Sender> {
  const made = senderFrom(perch.url, address, (await perch.account({ credits: 10_000 })).key);
  senders.push(made);
  return made;
}

const statusesOf = (all: readonly Received[]): number[] => [...new Set(all.map(({ status }) => status))];

it('serves one account 300 cold reads at once, with a key that was never used before (L19)', async () => {
  const alone = await customer('127.0.0.2');
  const open = net.hold();
  const reads = range(300).map((n) => alone.get(`/v1/users/user${n}`));
  await net.called(1);
  open();
  expect(statusesOf(await Promise.all(reads))).toEqual([200]);
});

it('lets 400 reads of one account wait for the network, while those of another still find room (L19)', async () => {
  const [alone, other] = [await customer('127.0.0.2'), await customer('127.0.0.3')];
  expect((await alone.get('/v1/me')).status).toBe(200);
  const open = net.hold();
  const reads = range(450).map((n) => alone.get(`/v1/users/user${n}`));
  const refused = await Promise.all(await firstOf(reads, 50));
  expect(new Set(refused.map(({ body }) => body.error.reason))).toEqual(new Set(['account_busy']));
  const others = range(20, 1000).map((n) => other.get(`/v1/users/user${n}`));
  const cached = await other.get('/v1/me');
  open();
  expect(cached.status).toBe(200);
  expect(statusesOf(await Promise.all(others))).toEqual([200]);
  const served = (await Promise.all(reads)).filter(({ status }) => status === 200);
  expect(served).toHaveLength(400);
});

it('serves 1,000 requests of one account for a profile that is being read: one full price, 999 hits (L20, M7)', async () => {
  const [alone, other] = [await customer('127.0.0.2'), await customer('127.0.0.3')];
  expect((await alone.get('/v1/me')).status).toBe(200);
  const open = net.hold();
  const reads = range(1000).map(() => alone.get('/v1/users/user7'));
  await net.called(1);
  // Once this is answered, all requests sent before it have arrived.
  await alone.get('/v1/me');
  expect((await other.get('/v1/me')).status).toBe(200);
  open();
  const all = await Promise.all(reads);
  expect(statusesOf(all)).toEqual([200]);
  expect(all.map(({ body }) => body.cache).sort()).toEqual([...Array(999).fill('hit'), 'miss']);
});

/** The reads that are answered first. */
function firstOf(reads: readonly Promise<Received>[], count: number): Promise<Promise<Received>[]> {
  const first: Promise<Received>[] = [];
  return new Promise((resolve, reject) => {
    for (const read of reads) read.then(() => first.push(read) === count && resolve([...first]), reject);
  });
}
