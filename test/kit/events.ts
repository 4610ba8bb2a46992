/** An event of a stream, its data parsed. */
export interface StreamEvent {
  readonly event?: string;
  readonly id?: string;
  readonly data: unknown;
}

/** Yields the server-sent events of a response as they arrive. */
async function* eventsOf(response: { readonly body: unknown }): AsyncGenerator<StreamEvent, undefined> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const piece of response.body as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(piece, { stream: true });
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const lines = rest.slice(0, end).split('\n');
      rest = rest.slice(end + 2);
      const fields = Object.fromEntries(lines.map((line) => /^(\w*): ?(.*)$/.exec(line)?.slice(1) ?? []));
      if (fields.data !== undefined) yield { ...fields, data: fields.data === '' ? null : JSON.parse(fields.data) };
    }
  }
}

export interface OpenStream {
  readonly response: Response;
  readonly events: AsyncGenerator<StreamEvent, undefined>;
  /** Resolves with the next event of this name; without a name, with the next that is not a heartbeat. */
  readonly next: (name?: string) => Promise<StreamEvent>;
  readonly leave: () => void;
}

type ReadStream = Pick<OpenStream, 'events' | 'next'>;

/** The events of a response. */
export function streamOf(response: { readonly body: unknown }): ReadStream {
  const events = eventsOf(response);
  return {
    events,
    async next(name) {
      for (;;) {
        const { value } = await events.next();
        if (value === undefined) throw new Error(`The stream ended before ${name ?? 'the next event'} came.`);
        if (name === undefined ? value.event !== 'heartbeat' : value.event === name) return value;
      }
    },
  };
}

/** Opens a stream with a key. */
export async function openStream(url: string, key: string, headers: Record<string, string> = {}): Promise<OpenStream> {
  const left = new AbortController();
  const response = await fetch(url, { headers: { 'x-api-key': key, ...headers }, signal: left.signal });
  return { response, ...streamOf(response), leave: () => left.abort() };
}
