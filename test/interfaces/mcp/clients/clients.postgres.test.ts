import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TOOLS } from '../../../../adapters/mcp/tools.js';
import { CALLS } from '../calls.js';
import { type McpService, startMcp } from '../service.js';
import { CLIENTS, type ListedTool, type McpClient, type ToolResult } from './clients.js';

const NAMES = [...TOOLS.map(({ name }) => name), 'price'];

let service: McpService;
beforeAll(async () => {
  service = await startMcp();
});
afterAll(() => service.close());
beforeEach(() => service.clock.advance(1000));

const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
/** By the text of the schema: every client gets the same one, and compiling takes longer than everything else here. */
const validators = new Map<string, ValidateFunction>();

/** Checks that a result matches the tool's output schema. */
function checked(tool: ListedTool | undefined, { structuredContent }: ToolResult): void {
  const schema = tool?.outputSchema ?? false;
  const text = JSON.stringify(schema);
  const validate = validators.get(text) ?? ajv.compile(schema);
  validators.set(text, validate);
  const isRight = validate(structuredContent);
  expect(validate.errors, JSON.stringify(structuredContent)).toBeNull();
  expect(isRight).toBe(true);
}

describe.each(CLIENTS)('MCP client %s', (_name, connect) => {
  let client: McpClient;
  let tools: readonly ListedTool[];
  beforeAll(async () => {
    client = await connect(service.url, (await service.perch.account()).key);
    tools = await client.listTools();
  });
  afterAll(() => client?.close());

  it('reads about prices in the instructions, and lists every read once, in a fixed order (A19)', async () => {
    expect(client.instructions).toContain('max_credits');
    expect(tools.map(({ name }) => name)).toEqual(NAMES);
    expect(Object.keys(CALLS).sort()).toEqual(NAMES.toSorted());
    expect(await client.listTools()).toEqual(tools);
  });

  it.each(NAMES)('calls %s and gets an answer that matches its output schema', async (name) => {
    const { request_id: paid } = (await client.call('get_user', { handle: 'user2' })).structuredContent;
    const args = name === 'get_receipt' ? { request_id: paid } : (CALLS[name] ?? {});
    const result = await client.call(name, args);
    expect(result.isError, JSON.stringify(result)).toBeFalsy();
    const [said] = result.content;
    expect(said?.text).toMatch(
      name === 'price'
        ? /at most [\d.]+ credits, .*Nothing was read or charged; [\d.]+ credits left\./
        : /Charged (?:1 credit|(?!1 )[\d.]+ credits)\b.*; [\d.]+ left\./,
    );
    checked(
      tools.find((tool) => tool.name === name),
      result,
    );
  });

  it.each([
    ['get_user', { handle: 'nobody' }, 'not_found'],
    ['get_user', { handle: 'user1', max_credits: 0.1 }, 'no_credits'],
    ['price', { tool: 'checkout' }, 'bad_request'],
  ])('%s %j fails as %s, which its output schema allows, too', async (name, args, code) => {
    const result = await client.call(name, args);
    expect([result.isError, result.structuredContent.error.code]).toEqual([true, code]);
    checked(
      tools.find((tool) => tool.name === name),
      result,
    );
  });

  it('gets an error of the protocol for a tool that does not exist', async () => {
    await expect(client.call('checkout', { pack: 'starter' })).rejects.toThrow(/Unknown tool/);
  });

  it('reads the price list, the error codes and the schema', async () => {
    expect(await client.readResource('perch://prices')).toContain('| `get_follower_ids` | 0.02 | 0.01 | 0.04 |');
    expect(await client.readResource('perch://errors')).toContain('`rate_limited`');
    expect(await client.readResource('perch://schema.graphql')).toContain('type Query');
    await expect(client.readResource('perch://nothing')).rejects.toThrow(/not found/i);
  });
});
