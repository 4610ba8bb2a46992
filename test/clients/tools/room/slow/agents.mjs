/** Agent kits: what they make of `tools/list` for a model, and of a model's calls. No model is used. */
import { headers, say, url } from '../say.mjs';

const address = `${url}/mcp`;
/** What a model reads: a refusal begins with its code. */
const read = ({ structuredContent, content, isError }) => {
  if (isError) throw new Error(content[0].text);
  return structuredContent;
};

/** The same from the text alone, for kits that pass on no more. */
function readText(text) {
  if (/^[a-z_]+: /.test(text)) throw new Error(text);
  const ids = [...text.matchAll(/^(\d+) @/gm)].map(([, id]) => ({ id }));
  const data = ids.length > 0 ? ids : { handle: /^@(\w+)/.exec(text)[1] };
  return { data, next_cursor: /with cursor "([^"]+)"/.exec(text)?.[1] };
}

async function sayOf(call, also, close) {
  await say({
    user: async (user) => (await call('get_user', { user })).data.handle,
    async page(user, count, cursor) {
      const { data, next_cursor } = await call('get_user_tweets', { user, count, ...(cursor && { cursor }) });
      return { ids: data.map(({ id }) => id), cursor: next_cursor };
    },
    codeOf: ({ message }) => /[a-z]+_[a-z_]+(?=: )/.exec(message)?.[0],
    also,
    close,
  });
}

const KITS = {
  async ai() {
    const mcp = await import('@ai-sdk/mcp');
    const client = await mcp.createMCPClient({ transport: { type: 'http', url: address, headers } });
    const tools = await client.tools();
    const call = async (name, input) => read(await tools[name].execute(input, { toolCallId: '1', messages: [] }));
    await sayOf(
      call,
      async () => ({ tools: Object.keys(tools).length }),
      () => client.close(),
    );
  },
  async langchain() {
    const { MultiServerMCPClient } = await import('@langchain/mcp-adapters');
    const client = new MultiServerMCPClient({ mcpServers: { perch: { url: address, headers, transport: 'http' } } });
    const tools = await client.getTools();
    const call = async (name, input) => readText((await tools.find((tool) => tool.name === name).invoke(input)).text);
    await sayOf(
      call,
      async () => ({ tools: tools.length }),
      () => client.close(),
    );
  },
  async 'openai-agents'() {
    const { MCPServerStreamableHttp, getAllMcpTools } = await import('@openai/agents');
    const server = new MCPServerStreamableHttp({ url: address, name: 'perch', requestInit: { headers } });
    await server.connect();
    const tools = await getAllMcpTools({ mcpServers: [server], convertSchemasToStrict: true });
    const notStrict = tools.filter(({ strict }) => !strict).map(({ name }) => name);
    // In strict mode a model sends every argument, and null for what it leaves out.
    const call = async (name, input) => {
      const tool = tools.find((each) => each.name === name);
      const nothing = Object.fromEntries(Object.keys(tool.parameters.properties).map((each) => [each, null]));
      return readText((await tool.invoke({ context: {} }, JSON.stringify({ ...nothing, ...input }))).text);
    };
    await sayOf(
      call,
      async () => ({ tools: tools.length, notStrict }),
      () => server.close(),
    );
  },
  async genai() {
    const { mcpToTool } = await import('@google/genai');
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    const client = new Client({ name: 'suite', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
    const tool = mcpToTool(client);
    const { functionDeclarations } = await tool.tool();
    const call = async (name, args) => {
      const [{ functionResponse }] = await tool.callTool([{ name, args }]);
      return read(functionResponse.response.error ?? functionResponse.response);
    };
    await sayOf(
      call,
      async () => ({ tools: functionDeclarations.length, empty: empty(functionDeclarations) }),
      () => client.close(),
    );
  },
  async 'mcp-remote'() {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    const client = new Client({ name: 'suite', version: '1' });
    const args = [address, '--header', `x-api-key:${headers['x-api-key']}`, '--transport', 'http-only'];
    await client.connect(new StdioClientTransport({ command: 'mcp-remote', args, env: process.env, stderr: 'ignore' }));
    const { tools } = await client.listTools();
    const call = async (name, input) => read(await client.callTool({ name, arguments: input }));
    await sayOf(
      call,
      async () => ({ tools: tools.length }),
      () => client.close(),
    );
  },
};

/** Gemini takes no object without properties. */
const empty = (declarations) => {
  const isEmpty = (schema) =>
    typeof schema === 'object' &&
    schema !== null &&
    ((schema.type === 'object' && schema.properties && Object.keys(schema.properties).length === 0) ||
      Object.values(schema).some(isEmpty));
  return declarations
    .filter(({ parametersJsonSchema, parameters }) => isEmpty(parametersJsonSchema ?? parameters))
    .map(({ name }) => name);
};

await KITS[process.argv[2]]();
