import type { CallToolResult, Server } from '@modelcontextprotocol/server';
import { lazily } from '../../src/lib/lazily.js';
import type { Piece } from '../http/bodies/encodings.js';

/**
 * What the protocol's library gets in place of a result: it checks and copies every member of one, which for a page is
 * more work than all the rest of the call.
 */
export const STAND_IN = { content: [{ type: 'text', text: '' }], structuredContent: {} } satisfies CallToolResult;

/** Its members as the library writes them. No string of a message can contain this text: its quotes would be escaped. */
const WRITTEN = JSON.stringify(STAND_IN).slice(1, -1);

/** The library's message around the members of a tool's result, for a message with any id. */
export class Frame {
  /** Split where the id is. */
  readonly #texts: readonly string[];

  /** `id` in JSON, as in all that follows. */
  constructor({ bytes }: Exchanged, id: string) {
    this.#texts = String(bytes).split(idMember(id));
  }

  /** Whether the id is in one place only: otherwise the frame fits no other message. */
  get fitsAnyId(): boolean {
    return this.#texts.length === 2;
  }

  /** The message with the members of the result in place of the stand-in's. */
  around(members: readonly Piece[], id: string): Piece[] {
    const [begin, end] = this.#texts.join(idMember(id)).split(WRITTEN);
    if (begin === undefined || end === undefined)
      throw new TypeError('The result of a tool is not in the message that was made of it.');
    return [Buffer.from(begin), ...members, Buffer.from(end)];
  }
}

const idMember = (id: string): string => `"id":${id}`;

/** A complete answer: the server that made it is closed. */
export interface Exchanged {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined where there is no body: a notification gets an empty answer. */
  readonly bytes: Buffer | undefined;
}

/** Large: loaded with the first message. Node caches it, too, but looks for its file with each import. */
const library = lazily(() => import('@modelcontextprotocol/server'));

/** One HTTP request in, one answer out, as the protocol says; `newServer` makes a server for this request alone. */
export async function exchange(request: Request, body: unknown, newServer: () => Server): Promise<Exchanged> {
  const { isLegacyRequest } = await library.get();
  // Only an older revision allowed several messages at once: refused, since one request has one charge.
  const isOld = body !== undefined && !Array.isArray(body) && (await isLegacyRequest(request, body));
  return isOld ? answerOld(request, body, newServer()) : answerNew(request, body, newServer);
}

/**
 * Revision 2026-07-28: each request stands alone. Nothing here ever changes, so a subscription is acknowledged and
 * ended at once instead of keeping a connection open for nothing.
 */
async function answerNew(request: Request, body: unknown, newServer: () => Server): Promise<Exchanged> {
  const { createMcpHandler } = await library.get();
  const handler = createMcpHandler(newServer, { legacy: 'reject', keepAliveMs: 0 });
  try {
    const response = await handler.fetch(request, body === undefined ? {} : { parsedBody: body });
    // Its stream would never end; the stream of any other request ends with the result, which closing would cut off.
    if (rpcMethod(body) === 'subscriptions/listen') await handler.close();
    return await whole(response);
  } finally {
    await handler.close();
  }
}

/** Revisions of 2025, without a session; JSON instead of a stream of one message. */
async function answerOld(request: Request, parsedBody: unknown, server: Server): Promise<Exchanged> {
  const { WebStandardStreamableHTTPServerTransport } = await library.get();
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await whole(await transport.handleRequest(request, { parsedBody }));
  } finally {
    await server.close();
  }
}

const whole = async (response: Response): Promise<Exchanged> => ({
  status: response.status,
  headers: response.headers,
  bytes: response.body === null ? undefined : Buffer.from(await response.arrayBuffer()),
});

/** What a message asks for, if it is one. */
export const rpcMethod = (body: unknown): unknown => (body as { method?: unknown } | null | undefined)?.method;
