import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** A tool's result, in any client's type. */
export interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  readonly structuredContent: any;
}

export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: {
    readonly properties: Readonly<Record<string, object>>;
    readonly required?: readonly string[];
  };
  readonly outputSchema: object;
  readonly annotations: Readonly<Record<string, unknown>>;
}

/** What tests need from a client. */
export interface McpClient {
  readonly instructions: string | undefined;
  listTools(): Promise<readonly ListedTool[]>;
  call(name: string, args: Record<string, unknown>): Promise<ToolResult>;
  readResource(uri: string): Promise<string>;
  close(): Promise<void>;
}

interface AnyClient {
  listTools(): Promise<{ tools: unknown }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  readResource(params: { uri: string }): Promise<{ contents: unknown }>;
  getInstructions(): string | undefined;
  close(): Promise<void>;
}

const adapted = (client: AnyClient): McpClient => ({
  instructions: client.getInstructions(),
  listTools: async () => (await client.listTools()).tools as readonly ListedTool[],
  call: async (name, args) => (await client.callTool({ name, arguments: args })) as ToolResult,
  readResource: async (uri) => ((await client.readResource({ uri })).contents as { text: string }[])[0]?.text ?? '',
  close: () => client.close(),
});

const INFO = { name: 'test', version: '1' };

const withKey = (key: string) => ({ requestInit: { headers: { 'x-api-key': key } } });

/** The 1.x library: revision 2025-11-25. */
async function connect1(url: URL, key: string): Promise<McpClient> {
  const client = new Client1(INFO);
  await client.connect(new Transport1(url, withKey(key)) as never);
  return adapted(client as unknown as AnyClient);
}

const connect2 =
  (mode: 'legacy' | { pin: string }) =>
  async (url: URL, key: string): Promise<McpClient> => {
    const client = new Client2(INFO, { versionNegotiation: { mode } });
    await client.connect(new Transport2(url, withKey(key)));
    return adapted(client as unknown as AnyClient);
  };

/** Both major versions of the library, the second in both eras. */
export const CLIENTS = [
  ['1.x', connect1],
  ['2.x, as of 2025', connect2('legacy')],
  ['2.x, revision 2026-07-28', connect2({ pin: '2026-07-28' })],
] as const;
