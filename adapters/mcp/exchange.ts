import type { CallToolResult, Server } from '@modelcontextprotocol/server';
import { lazily } from '../../src/lib/lazily.js';
import { truncated } from '../../src/lib/text.js';
import type { Piece } from '../http/bodies/encodings.js';
import { parsed } from './arguments.js';

/**
 * What the protocol's library gets in place of a result. The library checks and copies every member of a result, which
 * for a page is more work than the rest of the call.
 */
export const STAND_IN = { content: [{ type: 'text', text: '' }], structuredContent: {} } satisfies CallToolResult;

/**
 * The members of the stand-in as the library writes them. No string in a message can contain this text, because its
 * quotes would be escaped.
 */
const WRITTEN = JSON.stringify(STAND_IN).slice(1, -1);

/** The library's message around the members of a tool's result, for a message with any id. */
export class Frame {
  /** The message, split at its id. */
  readonly #texts: readonly string[];

  /** `id` is in JSON, here and in all methods. */
  constructor({ bytes }: Exchanged, id: string) {
    this.#texts = String(bytes).split(idMember(id));
  }

  /** Whether the id occurs only once; otherwise the frame fits no other message. */
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

/** A complete answer, whose server is already closed. */
export interface Exchanged {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined where there is no body: a notification gets an empty answer. */
  readonly bytes: Buffer | undefined;
}

/**
 * The library is large, so it is loaded with the first message. Kept here because Node looks for its file on each
 * import.
 */
const library = lazily(() => import('@modelcontextprotocol/server'));

/** Answers one HTTP request according to the protocol; `newServer` makes a server for this request alone. */
export async function exchange(request: Request, body: unknown, newServer: () => Server): Promise<Exchanged> {
  const { isLegacyRequest } = await library.get();
  // Several messages at once, which only an older revision allowed, are refused, since one request has one charge.
  const isOld = body !== undefined && !Array.isArray(body) && (await isLegacyRequest(request, body));
  return withInvalidParams(await (isOld ? answerOld(request, body, newServer()) : answerNew(request, body, newServer)));
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
    // The stream of a subscription would never end. Any other stream ends with the result, which closing would cut off.
    if (rpcMethod(body) === 'subscriptions/listen') await handler.close();
    return await whole(response);
  } finally {
    await handler.close();
  }
}

/** Answers in the revisions of 2025, without a session, and with JSON instead of a stream of one message. */
async function answerOld(request: Request, parsedBody: unknown, server: Server): Promise<Exchanged> {
  const { WebStandardStreamableHTTPServerTransport } = await library.get();
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    const exchanged = await whole(await transport.handleRequest(request, { parsedBody }));
    return rpcMethod(parsedBody) === 'resources/read' ? withOldCode(exchanged) : exchanged;
  } finally {
    await server.close();
  }
}

const [NOT_FOUND_CODE, OLD_NOT_FOUND_CODE] = ['"code":-32602', '"code":-32002'];

/**
 * The code for a resource that does not exist changed with 2026-07-28, and the library writes the new one in every
 * revision. Other invalid parameters, whose errors name no resource, always had this code. The text occurs only as a
 * member, because in a string its quotes would be escaped.
 */
function withOldCode(exchanged: Exchanged): Exchanged {
  if (exchanged.bytes === undefined) return exchanged;
  const text = String(exchanged.bytes);
  const isNotFound = JSON.parse(text).error?.data?.uri !== undefined;
  return isNotFound
    ? { ...exchanged, bytes: Buffer.from(text.replace(NOT_FOUND_CODE, OLD_NOT_FOUND_CODE)) }
    : exchanged;
}

/** What the library's schema found wrong with the parameters of a request: a list in JSON, as the text of an error. */
const ISSUES = /^(?:Invalid tools\/call request: )?(\[\n.*\])$/s;
const INVALID_PARAMS = -32602;

/**
 * The library reports invalid parameters as an internal error for most methods, and shows the list of issues. The caller
 * gets the code that the protocol has for them, and a sentence.
 */
function withInvalidParams(exchanged: Exchanged): Exchanged {
  const text = String(exchanged.bytes ?? '');
  // Occurs only as a member, because in a string its quotes would be escaped.
  if (!/"code":-3260[23]/.test(text)) return exchanged;
  const message = JSON.parse(text);
  const issues = parsed(ISSUES.exec(message.error.message)?.[1]);
  if (!Array.isArray(issues)) return exchanged;
  const faults = issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  const error = { ...message.error, code: INVALID_PARAMS, message: truncated(faults.join('; '), 500) };
  return { ...exchanged, bytes: Buffer.from(JSON.stringify({ ...message, error })) };
}

const whole = async (response: Response): Promise<Exchanged> => ({
  status: response.status,
  headers: response.headers,
  bytes: response.body === null ? undefined : Buffer.from(await response.arrayBuffer()),
});

/** The method of a message; undefined where the body is not a message. */
export const rpcMethod = (body: unknown): unknown => (body as { method?: unknown } | null | undefined)?.method;
