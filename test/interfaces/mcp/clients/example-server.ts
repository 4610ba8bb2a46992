import { randomBytes } from 'node:crypto';
import {
  type CallToolResult,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { REVISIONS } from '../../../../adapters/mcp/server.js';
import type { ServerFor } from '../../../../adapters/mcp/transport.js';
import {
  ANSWERS,
  BY_CAPABILITY,
  INPUT_ROUNDS,
  LISTED_TOOLS,
  PROMPTS,
  RESOURCES,
  type Round,
  resourceAt,
} from './example-offer.js';

type Codec = ReturnType<typeof createRequestStateCodec<number>>;

const LISTS = { ttlMs: 60_000, cacheScope: 'public' } as const;

/** Servers with what the conformance suite needs. Each can read the state that any of them keeps at the client. */
export function exampleServers(): ServerFor {
  const codec = createRequestStateCodec<number>({ key: randomBytes(32) });
  return () => {
    const server = new Server(
      { name: 'example', version: '1' },
      {
        capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} },
        supportedProtocolVersions: REVISIONS,
        requestState: { verify: codec.verify },
        cacheHints: {
          'tools/list': LISTS,
          'prompts/list': LISTS,
          'resources/list': LISTS,
          'resources/templates/list': LISTS,
          'resources/read': LISTS,
        },
      },
    );
    offerTools(server, codec);
    offerResources(server);
    offerPrompts(server, codec);
    server.setRequestHandler('completion/complete', () => ({ completion: { values: [], total: 0, hasMore: false } }));
    return server;
  };
}

const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

function offerTools(server: Server, codec: Codec): void {
  server.setRequestHandler('tools/list', () => ({ tools: [...LISTED_TOOLS] }));
  server.setRequestHandler('tools/call', async ({ params: { name } }, context) => {
    const always = ANSWERS[name];
    if (always) return always;
    if (name in INPUT_ROUNDS) return (await requiredInput(name, codec, context)) ?? said('state-ok');
    if (name === 'test_tool_with_progress') return withProgress(context);
    if (name === 'test_logging_tool') {
      await context.mcpReq.log('info', 'Only for who asks for it.');
      return said('logged');
    }
    if (name === 'test_missing_capability') return needsSampling(server);
    if (name === 'test_input_required_result_capabilities') return byCapability(server);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}.`);
  });
}

/** What to ask for now; null once everything is answered. */
async function requiredInput(
  name: string,
  codec: Codec,
  { mcpReq }: ServerContext,
): Promise<InputRequiredResult | null> {
  const { rounds = [], keepsState = false } = INPUT_ROUNDS[name] ?? {};
  const { inputResponses = {} } = mcpReq;
  const round = mcpReq.requestState<number>() ?? 0;
  const isAnswered = (requests: Round | undefined): boolean =>
    Object.keys(requests ?? {}).every((key) => typeof inputResponses[key] === 'object' && inputResponses[key] !== null);
  const next = isAnswered(rounds[round]) ? round + 1 : round;
  const inputRequests = rounds[next];
  if (!inputRequests) return null;
  return inputRequired({ inputRequests, ...(keepsState && { requestState: await codec.mint(next) }) });
}

async function withProgress({ mcpReq }: ServerContext): Promise<CallToolResult> {
  const progressToken = mcpReq._meta?.progressToken;
  for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
  }
  return said('done');
}

function needsSampling(server: Server): CallToolResult {
  if (server.getClientCapabilities()?.sampling) return said('sampled');
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
}

function byCapability(server: Server): InputRequiredResult {
  const { sampling, elicitation } = server.getClientCapabilities() ?? {};
  return inputRequired({
    inputRequests: { ...(sampling && BY_CAPABILITY.sampling), ...(elicitation && BY_CAPABILITY.elicitation) },
  });
}

function offerResources(server: Server): void {
  server.setRequestHandler('resources/list', () => ({
    resources: RESOURCES.map(({ uri, mimeType }) => ({ uri, name: uri, ...(mimeType && { mimeType }) })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ name: 'template', uriTemplate: 'test://template/{id}/data' }],
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const contents = resourceAt(uri);
    if (!contents) throw new ResourceNotFoundError(uri);
    return { contents: [contents] };
  });
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
}

function offerPrompts(server: Server, codec: Codec): void {
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(PROMPTS).map(([name, { takes }]) => ({
      name,
      description: `For the scenarios that get ${name}.`,
      arguments: takes.map((argument) => ({ name: argument, required: true })),
    })),
  }));
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: given = {} } }, context) => {
    const prompt = PROMPTS[name];
    if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${name}.`);
    const required = name in INPUT_ROUNDS ? await requiredInput(name, codec, context) : null;
    return required ?? { messages: prompt.messages(given) };
  });
}
