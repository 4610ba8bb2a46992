import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

/** One HTTP request in, one answer out, as the protocol has it; `newServer` makes the server for it alone. */
export async function exchange(request: Request, body: unknown, newServer: () => Server): Promise<Response> {
  // Several messages at once were of a revision before these: refused, for one request has one charge.
  const isOld = body !== undefined && !Array.isArray(body) && (await isLegacyRequest(request, body));
  return isOld ? answerOld(request, body, newServer()) : answerNew(request, body, newServer);
}

/**
 * Revision 2026-07-28: each request by itself. Nothing here ever changes, so a subscription is acknowledged and ended at once
 * instead of holding a connection open for nothing.
 */
async function answerNew(request: Request, body: unknown, newServer: () => Server): Promise<Response> {
  const handler = createMcpHandler(newServer, { legacy: 'reject', keepAliveMs: 0 });
  const response = await handler.fetch(request, body === undefined ? {} : { parsedBody: body });
  await handler.close();
  return response;
}

/** Revisions of 2025, without a session; JSON instead of a stream of one message. */
async function answerOld(request: Request, parsedBody: unknown, server: Server): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody });
  } finally {
    await server.close();
  }
}
