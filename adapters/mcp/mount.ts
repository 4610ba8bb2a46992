import type { FastifyInstance } from 'fastify';
import type { Serve } from '../../src/serve/serve.js';
import { toolCall } from './calls.js';
import { buildCatalogue, type Catalogue, type CatalogueOptions } from './catalogue.js';
import { buildResources } from './resources.js';
import { newServer, type ServerContent } from './server.js';
import { mountTransport, type ServerFor } from './transport.js';

export interface McpOptions extends CatalogueOptions {
  readonly serve: Serve;
}

/** Built once for the operations of a process. */
const CATALOGUES = new WeakMap<CatalogueOptions['operations'], Catalogue>();

/** Mounts every read as a tool at `/mcp`, with the schema and the price list as resources. */
export function mountMcp(app: FastifyInstance, { serve, ...options }: McpOptions): void {
  const catalogue = CATALOGUES.get(options.operations) ?? buildCatalogue(options);
  CATALOGUES.set(options.operations, catalogue);
  const operationOf = (tool: unknown) => catalogue.reads.get(tool as string)?.row.operation ?? null;
  const open = async (): Promise<ServerFor> => {
    const [library, { AjvJsonSchemaValidator }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('@modelcontextprotocol/server/validators/ajv'),
    ]);
    const resources = buildResources(options.schema, catalogue);
    const offer: ServerContent = { library, catalogue, resources, validator: new AjvJsonSchemaValidator() };
    return ({ headers }, run) =>
      newServer(offer, (tool, given) => run(toolCall(catalogue, tool, given, headers['x-max-credits'])));
  };
  mountTransport(app, { serve, operationOf, open });
}
