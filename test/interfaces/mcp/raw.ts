/** A message as sent, without any client's help. */
export interface RawReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  readonly body: any;
}

type HeaderFields = Readonly<Record<string, string>>;

const PARSED = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

async function send(url: URL, headers: HeaderFields, body: string, signal?: AbortSignal): Promise<RawReply> {
  const response = await fetch(url, { method: 'POST', headers, body, ...(signal && { signal }) });
  const text = await response.text();
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  return { status: response.status, headers: response.headers, text, body: parsed };
}

export interface Sent {
  readonly method: string;
  /** Defaults to 1. */
  readonly id?: string;
  readonly params?: Record<string, unknown>;
  readonly headers?: HeaderFields;
  readonly signal?: AbortSignal;
}

/** Sends one message of a revision of 2025; a string is sent as the whole body. */
export function sendOld(url: URL, key: string | null, sent: Sent | string, version = '2025-11-25'): Promise<RawReply> {
  const message = typeof sent === 'string' ? null : sent;
  const headers = {
    ...PARSED,
    ...(key !== null && { 'x-api-key': key }),
    'MCP-Protocol-Version': version,
    ...message?.headers,
  };
  const body = message ? { jsonrpc: '2.0', id: message.id ?? 1, method: message.method, params: message.params } : null;
  return send(url, headers, body ? JSON.stringify(body) : (sent as string), message?.signal);
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Sends one message of 2026-07-28. */
export function sendNew(
  url: URL,
  key: string | null,
  { method, id, params = {}, headers, signal }: Sent,
): Promise<RawReply> {
  const name = params.name ?? params.uri;
  const all = {
    ...PARSED,
    ...(key !== null && { 'x-api-key': key }),
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': method,
    ...(typeof name === 'string' && { 'Mcp-Name': name }),
    ...headers,
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: id ?? 1, method, params: { ...params, _meta: META } });
  return send(url, all, body, signal);
}

/** Both eras, for what must be the same in each. */
export const ERAS = [
  ['2025-06-18', (url: URL, key: string | null, sent: Sent) => sendOld(url, key, sent, '2025-06-18')],
  ['2025-11-25', (url: URL, key: string | null, sent: Sent) => sendOld(url, key, sent)],
  ['2026-07-28', sendNew],
] as const;
