/** Checks docs/agents.md: each snippet is run, each table compared. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCatalogue } from '../../../adapters/mcp/catalogue.js';
import { REVISIONS } from '../../../adapters/mcp/server.js';
import { agentClients } from '../../../adapters/pages/kit/agent-clients.js';
import { schema } from '../../../schema/index.js';
import { readOperations } from '../../../schema/operations.js';
import { toCredits } from '../../../src/domain/credits.js';
import { itemPrice } from '../../../src/domain/prices.js';
import { blocksOf, codeIn, ROOT, tableOf } from '../../docs/readme/markdown.js';
import { range } from '../../kit/networks/scripted-network.js';
import { sendOld } from './raw.js';
import { type McpService, startMcp } from './service.js';

const PAGE = readFileSync(join(ROOT, 'docs/agents.md'), 'utf8');
const BLOCKS = blocksOf(PAGE);
const ADDRESS = 'http://127.0.0.1:4000';
const exec = promisify(execFile);

const blockAfter = (words: string): string => {
  const block = BLOCKS.find(({ before }) => before.includes(words));
  if (!block) throw new Error(`There is no block after ${words}.`);
  return block.text;
};

let service: McpService;
let key: string;
beforeAll(async () => {
  service = await startMcp();
  const author = service.net.user({ id: '900', handle: 'harbor_obs' });
  service.net.list('timeline', '900', service.net.tweets(range(9, 901), { author, authorId: '900' }));
  key = (await service.perch.account()).key;
});
afterAll(() => service.close());

describe('snippets', () => {
  const here = (text: string): string => text.replaceAll(ADDRESS, service.perch.url);
  const withKey = (text: string): string => text.replaceAll(/\$\{env:PERCH_KEY\}|\$PERCH_KEY/g, key);

  it('are all tested here', () => {
    const clients = agentClients(`${ADDRESS}/mcp`).flatMap(({ code }) => (code === null ? [] : [code.language]));
    expect(BLOCKS.map(({ language }) => language)).toEqual([...clients, 'ts', 'sh']);
  });

  it.each([
    ['Cursor', 'mcpServers', 'url'],
    ['VS Code', 'servers', 'url'],
    ['Windsurf', 'mcpServers', 'serverUrl'],
  ])('%s: has a configuration that leads here, with headers that let it in', async (host, member, place) => {
    const { perch } = JSON.parse(here(withKey(blockAfter(host))))[member];
    const url = new URL(perch[place]);
    expect(url.href).toBe(service.url.href);
    const { status, body } = await sendOld(url, null, { method: 'tools/list', headers: perch.headers });
    expect([status, body.result.tools.length]).toEqual([200, 18]);
    const open = await sendOld(url, null, { method: 'tools/list' });
    expect(open.headers.get('www-authenticate')).toContain('resource_metadata=');
  });

  it.each(['Claude Code', 'Gemini CLI'])('%s: has the address and the header of the command', async (host) => {
    const [, address = '', header = ''] =
      /http perch \\\n {2}(\S+) \\\n {2}--header "([^"]+)"/.exec(here(blockAfter(host))) ?? [];
    const [name = '', value = ''] = withKey(header).split(': ');
    const { status } = await sendOld(new URL(address), null, { method: 'tools/list', headers: { [name]: value } });
    expect(status).toBe(200);
  });

  it('Codex: names the address, and the variable whose value is sent as a bearer token', async () => {
    const [, address = '', variable] =
      /--url (\S+) \\\n {2}--bearer-token-env-var (\w+)/.exec(here(blockAfter('Codex'))) ?? [];
    expect(variable).toBe('PERCH_KEY');
    const headers = { authorization: `Bearer ${key}` };
    expect((await sendOld(new URL(address), null, { method: 'tools/list', headers })).status).toBe(200);
  });

  it('include a program that runs', async () => {
    // In a folder from which the packages that it imports are found.
    const folder = join(ROOT, 'node_modules/.cache/perch-docs');
    await mkdir(folder, { recursive: true });
    const file = join(folder, `agents-${process.pid}.mts`);
    await writeFile(file, here(blockAfter('TypeScript library')));
    const env = { ...process.env, PERCH_KEY: key };
    const { stdout } = await exec(process.execPath, ['--import', 'tsx', file], { cwd: ROOT, env }).finally(() =>
      rm(file),
    );
    expect(stdout).toMatch(/credits_charged: 2\b/);
    expect(stdout).toContain("truncated: 'max_credits'");
  });

  it('include a curl command that runs', async () => {
    const [command = ''] = here(blockAfter('By hand')).split('\n');
    const { stdout } = await exec('sh', ['-c', command], { env: { ...process.env, PERCH_KEY: key } });
    expect(JSON.parse(stdout).result.structuredContent.data.handle).toBe('harbor_obs');
  });
});

describe('tables', () => {
  it('list the tools in their order, with their prices', () => {
    const { listed, reads } = buildCatalogue({ schema, operations: readOperations() });
    const rows = tableOf(PAGE, 'Tool');
    expect(rows.map(([name = '']) => codeIn(name)[0])).toEqual(listed.map(({ name }) => name));
    for (const [name = '', , full, held, most = ''] of rows) {
      const { price, endpoint } = reads.get(codeIn(name)[0] ?? '') ?? {};
      const [miss, hit] = price ? [itemPrice(price.unit, 'miss'), itemPrice(price.unit, 'hit')].map(toCredits) : [];
      expect([name, full, held]).toEqual([name, String(miss ?? 'free'), String(hit ?? '')]);
      const count = endpoint?.parameters.find((parameter) => parameter.name === 'count')?.initial ?? 1;
      expect(Number(most.split(' ')[0])).toBeCloseTo((miss ?? 0) * Number(count), 9);
    }
  });

  it('list the revisions and resources', () => {
    for (const revision of REVISIONS) expect(PAGE).toContain(revision);
    for (const uri of ['perch://prices', 'perch://errors', 'perch://schema.graphql']) expect(PAGE).toContain(uri);
  });
});
