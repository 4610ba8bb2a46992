import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type McpService, startMcp } from '../service.js';
import { run } from '../suite.js';

const INSPECTOR = fileURLToPath(
  new URL('../../../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js', import.meta.url),
);

/** The inspector needs Node 22: this process's own, or the one named here. */
const NODE = process.env.PERCH_TEST_NODE_22 ?? process.execPath;
const canRun = process.env.PERCH_TEST_NODE_22 !== undefined || Number(process.versions.node.split('.')[0]) >= 22;

describe.skipIf(!canRun)('the MCP inspector’s command line (needs Node 22)', () => {
  let service: McpService;
  let key: string;
  beforeAll(async () => {
    service = await startMcp();
    key = (await service.perch.account()).key;
  });
  afterAll(() => service.close());

  const inspect = async (...args: string[]) => {
    // Each run connects anew.
    service.clock.advance(1000);
    const connection = ['--cli', service.url.href, '--transport', 'http', '--header', `x-api-key: ${key}`];
    return run(NODE, [INSPECTOR, ...connection, ...args]);
  };

  it.each(['legacy', 'modern'])(
    'era %s: lists tools whose schemas every client can use, and calls one',
    async (era) => {
      const listed = await inspect('--protocol-era', era, '--method', 'tools/list', '--strict');
      expect(listed.code, listed.output.slice(-2000)).toBe(0);
      expect(listed.output).toContain('"search_tweets"');
      const args = ['--tool-name', 'get_followers', '--tool-arg', 'user=user1', 'count=3'];
      const called = await inspect('--protocol-era', era, '--method', 'tools/call', ...args);
      expect(called.code, called.output).toBe(0);
      expect(called.output).toContain('"credits_charged"');
    },
    60_000,
  );

  it('reads a resource', async () => {
    const { code, output } = await inspect('--method', 'resources/read', '--uri', 'perch://prices');
    expect([code, output.includes('get_follower_ids')]).toEqual([0, true]);
  });
});
