import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENTS } from './clients/clients.js';
import { sendNew, sendOld } from './raw.js';
import { type McpService, startMcp } from './service.js';

let service: McpService;
beforeAll(async () => {
  service = await startMcp();
});
afterAll(() => service.close());

const call = (name: string, args: object) => ({ method: 'tools/call', params: { name, arguments: args } });

describe('simultaneous callers', () => {
  it('get and pay for their own calls only', async () => {
    const connected = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const account = await service.perch.account({ credits: 100 + n });
        const [, connect] = CLIENTS[n % CLIENTS.length] ?? CLIENTS[0];
        return { n, account, client: await connect(service.url, account.key) };
      }),
    );
    await Promise.all(
      connected.map(async ({ n, account, client }) => {
        const handle = `user${n + 2}`;
        const calls = Array.from({ length: 8 }, (_, i) =>
          i % 2 === 0 ? ['get_user', { handle }] : ['get_account', {}],
        );
        const results = await Promise.all(
          calls.map(([name, args]) => client.call(name as string, args as object as never)),
        );
        results.forEach(({ structuredContent: seen }, i) => {
          if (i % 2 === 0) expect(seen.data.handle.toLowerCase()).toBe(handle);
          else expect(seen.customer_id).toBe(account.accountId);
          expect(seen.balance_remaining).toBeGreaterThan(95 + n);
          expect(seen.balance_remaining).toBeLessThanOrEqual(100 + n);
        });
      }),
    );
    await Promise.all(connected.map(({ client }) => client.close()));
  });

  it('may use the same message id, in both protocol eras', async () => {
    const [a, b] = await Promise.all([service.perch.account(), service.perch.account({ credits: 7 })]);
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        (n % 4 < 2 ? sendOld : sendNew)(service.url, n % 2 === 0 ? a.key : b.key, call('get_account', {})),
      ),
    );
    const seen = replies.map(({ body }) => body.result.structuredContent.customer_id);
    expect(seen).toEqual(seen.map((_, n) => (n % 2 === 0 ? a.accountId : b.accountId)));
  });
});

describe('a caller that leaves (M18)', () => {
  it.each([
    ['2025-11-25', sendOld],
    ['2026-07-28', sendNew],
  ] as const)('%s: pays nothing, and the next is served', async (_revision, send) => {
    const account = await service.perch.account();
    const release = service.net.hold();
    const leaving = new AbortController();
    const before = service.net.calls.length;
    const pending = send(service.url, account.key, {
      ...call('get_user', { handle: 'user9', fresh: true }),
      signal: leaving.signal,
    });
    await expect.poll(() => service.net.calls.length).toBeGreaterThan(before);
    leaving.abort();
    await expect(pending).rejects.toThrow();
    // Once this is answered, the server has seen the other connection close.
    await send(service.url, account.key, call('get_packs', {}));
    release();
    const next = await send(service.url, account.key, call('get_account', {}));
    expect(next.body.result.structuredContent.balance).toBe(1000);
  });
});
