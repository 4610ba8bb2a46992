import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createScriptedNetwork } from '../../kit/networks/scripted-network.js';
import { signIn } from '../../kit/open-account.js';
import { startPerch, type TestAccount, type TestPerch } from '../../kit/perch.js';
import { mcpHost } from '../oauth/mcp-host.js';
import { formIn } from '../oauth/oauth-client.js';

interface Libraries {
  readonly Client: typeof Client2;
  readonly Transport: typeof Transport2;
}

const LIBRARIES: readonly (readonly [string, Libraries, 'legacy' | 'auto'])[] = [
  ['1.x', { Client: Client1, Transport: Transport1 } as unknown as Libraries, 'legacy'],
  ['2.x, as of 2025', { Client: Client2, Transport: Transport2 }, 'legacy'],
  ['2.x, of its own choice', { Client: Client2, Transport: Transport2 }, 'auto'],
];

describe.each(LIBRARIES)('client %s with nothing but the address', (_name, { Client, Transport }, mode) => {
  let perch: TestPerch;
  let account: TestAccount;
  let cookie: string;
  beforeAll(async () => {
    const net = createScriptedNetwork();
    net.users([1, 2, 3]);
    perch = await startPerch({ network: net.network });
    account = await perch.account({ credits: 10 });
    cookie = `perch=${await signIn(perch.database.sql, account.accountId)}`;
  });
  afterAll(() => perch?.close());

  /** The customer, already signed in, agrees in their browser; returns the parameters of the redirect. */
  async function agree(address: URL): Promise<URLSearchParams> {
    const page = await fetch(address, { headers: { cookie } });
    const body = formIn(await page.text());
    body.set('decision', 'allow');
    const headers = { cookie, origin: perch.url, 'sec-fetch-site': 'same-origin' };
    const answer = await fetch(`${perch.url}/oauth/authorize`, { method: 'POST', body, headers, redirect: 'manual' });
    return new URL(answer.headers.get('location') ?? '').searchParams;
  }

  it('is led to sign in, comes back with a key, and reads from the wallet of the account that agreed (A18, "same key or OAuth")', async () => {
    const { kept, authProvider } = mcpHost();
    const url = new URL(`${perch.url}/mcp`);
    const connect = async () => {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      const transport = new Transport(url, { authProvider });
      return { client, transport, connecting: client.connect(transport as never) };
    };
    const first = await connect();
    await expect(first.connecting).rejects.toThrow(/unauthorized/i);
    const back = await agree(kept.address);
    await first.transport.finishAuth(back.get('code') ?? '', back.get('iss') ?? '');
    const { client, connecting } = await connect();
    await connecting;
    const result = await client.callTool({ name: 'get_users', arguments: { handles: ['user1', 'user2'] } });
    expect(result.structuredContent).toMatchObject({ items: 2, credits_charged: 2, balance_remaining: 8 });
    expect(await perch.balance(account)).toBe(8);
    await client.close();
  });
});
