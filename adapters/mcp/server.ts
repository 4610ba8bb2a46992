import type { CallToolResult, jsonSchemaValidator, Server } from '@modelcontextprotocol/server';
import { VERSION } from '../../src/domain/version.js';
import { quoted, truncated } from '../../src/lib/text.js';
import type { Arguments } from './arguments.js';
import type { Catalogue, ListedTool } from './catalogue.js';
import { INSTRUCTIONS } from './instructions.js';
import type { ResourceText } from './resources.js';

/** The revisions that clients in use speak (A20), the newest first. */
export const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18'];

/** The lists are the same for every client and change only with the version. */
const LISTS = { ttlMs: 3_600_000, cacheScope: 'public' } as const;

/** What every server offers, made once. */
export interface ServerContent {
  /** The protocol's library: large, so it is not loaded with this file. */
  readonly library: Pick<
    typeof import('@modelcontextprotocol/server'),
    'ProtocolError' | 'ProtocolErrorCode' | 'ResourceNotFoundError' | 'Server'
  >;
  readonly catalogue: Catalogue;
  readonly resources: readonly ResourceText[];
  /**
   * Nothing is requested from clients, so nothing they send is validated: a validator for each request would be wasted.
   */
  readonly validator: jsonSchemaValidator;
}

/** Calls a known tool. */
export type CallTool = (tool: ListedTool, given: Arguments) => Promise<CallToolResult>;

/** A server for one HTTP request. Its tools answer only that request. */
export function newServer({ library, catalogue, resources, validator }: ServerContent, call: CallTool): Server {
  const { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, Server } = library;
  const server = new Server(
    { name: 'perch', title: 'Perch', version: VERSION },
    {
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false, subscribe: false } },
      instructions: INSTRUCTIONS,
      supportedProtocolVersions: REVISIONS,
      jsonSchemaValidator: validator,
      cacheHints: {
        'server/discover': LISTS,
        'tools/list': LISTS,
        'resources/list': LISTS,
        'resources/templates/list': LISTS,
        'resources/read': LISTS,
      },
    },
  );
  const tools = catalogue.listed.map((tool) => ({ ...tool }));
  server.setRequestHandler('tools/list', () => ({ tools }) as never);
  server.setRequestHandler('tools/call', ({ params }) => {
    const tool = catalogue.listed.find(({ name }) => name === params.name);
    if (!tool)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool ${quoted(params.name)}: see tools/list.`);
    return call(tool, params.arguments ?? {});
  });
  server.setRequestHandler('resources/list', () => ({ resources: resources.map(({ text: _, ...shown }) => shown) }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const found = resources.find((resource) => resource.uri === uri);
    if (!found) throw new ResourceNotFoundError(truncated(uri, 200));
    return { contents: [{ uri, mimeType: found.mimeType, text: found.text }] };
  });
  return server;
}
