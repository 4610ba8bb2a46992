import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../kit/client.js';
import { range } from '../kit/networks/scripted-network.js';
import { type Service, startService } from './support/service.js';

const DEADLINE_MS = 2_000;

/** The database answers 1.5 s after the deadline, when the call has already been refused. */
const STALL_S = DEADLINE_MS / 1000 + 1.5;

describe('a charge of unknown outcome (M36)', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      env: { PERCH_DEADLINE_MS: String(DEADLINE_MS) },
      fill: (net) => net.users(range(9)),
    });
    const { sql } = service.perch.database;
    await sql.unsafe(`
      create function stall() returns trigger language plpgsql as $$
        begin perform pg_sleep(${STALL_S}); return null; end $$`);
    await sql`create trigger stall before insert on debits for each statement execute function stall()`;
  });
  afterAll(() => service.close());

  const graphql = { query: '{ user(handle: "user2") { name } }' };
  const tool = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get_user', arguments: { handle: 'user3' } },
  };
  const mcp = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };

  it.each([
    ['REST', 'GET', '/v1/users/user1', undefined, {}],
    ['problem+json', 'GET', '/v1/users/user4', undefined, { accept: 'application/problem+json' }],
    ['GraphQL', 'POST', '/graphql', graphql, {}],
    ['MCP', 'POST', '/mcp', tool, mcp],
  ] as const)('names neither a charge nor a time to retry: %s', async (_name, method, path, body, headers) => {
    // Not a customer of the suite, because those check that only delivered items are paid.
    const reader = createClient(service.perch.url, (await service.perch.account()).key);
    const reply = await reader.send(method, path, {
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(reply.text).toContain('charge_unknown');
    expect(reply.text).not.toMatch(/retry_after|credits_charged|Nothing was charged|Wait \d+ s/);
    expect([reply.headers.get('retry-after'), reply.headers.get('x-credits-charged')]).toEqual([null, null]);
    const receipt = `/v1/usage/${reply.headers.get('x-request-id')}`;
    await expect.poll(async () => (await reader.get(receipt)).status).toBe(200);
    expect((await reader.get(receipt)).body.data).toMatchObject({ credits: 1 });
  });
});
