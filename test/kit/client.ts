/** All members that an answer of `/v1` can have, none of them optional, so that a test reads the one it expects. */
export interface Body {
  readonly data: unknown;
  readonly items: number;
  readonly credits_charged: number;
  readonly balance_remaining: number;
  readonly cache: string;
  readonly cache_hits: number;
  readonly request_id: string;
  readonly next_cursor: string;
  readonly since_cursor: string;
  readonly has_newer: boolean;
  readonly gap: boolean;
  readonly truncated: string;
  readonly end_reason: string;
  readonly fetched_at: string;
  readonly warnings: readonly string[];
  readonly errors: readonly { input: string; code: string; message: string }[];
  readonly estimate: { max_items: number; unit: number; max_credits: number };
  readonly error: {
    code: string;
    message: string;
    reason: string;
    param: string;
    retry_after: number;
    doc_url: string;
  };
}

export interface Reply {
  readonly method: string;
  /** Path and query, as requested. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON; an empty object if the answer is not JSON. */
  readonly body: Body;
}

export type HeaderFields = Readonly<Record<string, string>>;

export interface Client {
  get(path: string, headers?: HeaderFields): Promise<Reply>;
  /** A string is sent as it is, anything else as JSON. */
  post(path: string, body: unknown, headers?: HeaderFields): Promise<Reply>;
  send(method: string, path: string, options?: { headers?: HeaderFields; body?: string }): Promise<Reply>;
}

/** Calls a base address with a key, or without one if it is null. `seen` is called with every answer. */
export function createClient(url: string, key: string | null, seen: (reply: Reply) => void = () => {}): Client {
  const send: Client['send'] = async (method, path, { headers = {}, body } = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: { ...(key !== null && { 'x-api-key': key }), ...headers },
      redirect: 'manual',
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const reply = { method, path, status: response.status, headers: response.headers, text, body: parsed(text) };
    seen(reply);
    return reply;
  };
  return {
    send,
    get: (path, headers = {}) => send('GET', path, { headers }),
    post: (path, body, headers = {}) =>
      send('POST', path, {
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return {} as Body;
  }
}

export type Fields = Readonly<Record<string, unknown>>;

/** `data` as a list of objects. */
export const rows = (reply: Reply): Fields[] => reply.body.data as Fields[];

/** `data` as one object. */
export const record = (reply: Reply): Fields => reply.body.data as Fields;

/** The ids of a page: those of its objects, or the page's own items if they are ids. */
export const idsOf = (reply: Reply): string[] =>
  (reply.body.data as (string | { id: string })[]).map((item) => (typeof item === 'string' ? item : item.id));
