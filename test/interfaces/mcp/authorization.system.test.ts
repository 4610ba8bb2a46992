import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../adapters/cli/workers/free-port.js';
import { decide, newClient } from '../oauth/oauth-client.js';
import { type OAuthServer, startOAuthServer } from '../oauth/oauth-server.js';
import { runSuite } from './suite.js';

describe("the MCP project's conformance suite for authorization servers", () => {
  let server: OAuthServer;
  beforeAll(async () => {
    server = await startOAuthServer();
    server.visitor = await server.account();
  });
  afterAll(() => server?.close());

  it('passes for metadata and for the grant of a code with a person’s consent, up to the token', async () => {
    const port = await freePort('127.0.0.1');
    const clientId = await newClient(server, [`http://127.0.0.1:${port}/callback`]);
    let agreed: Promise<unknown> | null = null;
    // The suite prints the address that a person would open.
    const agree = (output: string): void => {
      const [address] = /http:\/\/\S+\/oauth\/authorize\?\S+(?=\s)/.exec(output) ?? [];
      if (address === undefined || agreed !== null) return;
      agreed = decide(server, address).then(({ location }) => fetch(location ?? ''));
    };
    const args = ['--url', server.url, '--client-id', clientId, '--resource', `${server.url}/mcp`, '-p', String(port)];
    const { code, output } = await runSuite('0.2', ['authorization', ...args], agree);
    await agreed;
    expect(code, output).toBe(0);
    expect(output).toMatch(/✓ authorization-server-metadata-endpoint: [1-9]\d* passed, 0 failed/);
    expect(output).toMatch(/✓ authorization-code-grant: [1-9]\d* passed, 0 failed/);
  });
});
