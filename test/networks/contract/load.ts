import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** How much an upstream serves, in front of what it answers. */
export class Load {
  /** Requests that it works on at a time, and how long it takes for each, milliseconds. */
  servers = Number.POSITIVE_INFINITY;
  latencyMs = 0;
  /** Requests that it takes and never answers, and those that it fails: by their address. */
  hangs: (url: string) => boolean = () => false;
  fails: (url: string) => boolean = () => false;
  /** The most that were with it at once. */
  peak = 0;
  #with = 0;
  #busy = 0;
  readonly #waiting: (() => void)[] = [];

  wrap(listener: RequestListener): RequestListener {
    return (request, response) => {
      this.#with += 1;
      this.peak = Math.max(this.peak, this.#with);
      response.once('close', () => {
        this.#with -= 1;
      });
      this.#waiting.push(() => this.#work(listener, request, response));
      this.#next();
    };
  }

  reset(): void {
    Object.assign(this, {
      servers: Number.POSITIVE_INFINITY,
      latencyMs: 0,
      hangs: () => false,
      fails: () => false,
      peak: 0,
    });
  }

  #next(): void {
    while (this.#busy < this.servers) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#busy += 1;
      next();
    }
  }

  #work(listener: RequestListener, request: IncomingMessage, response: ServerResponse): void {
    const { url = '/' } = request;
    const hangs = this.hangs(url);
    const done = (): void => {
      this.#busy -= 1;
      if (this.fails(url)) response.writeHead(500).end();
      else if (!hangs) listener(request, response);
      this.#next();
    };
    if (this.latencyMs === 0) done();
    else setTimeout(done, this.latencyMs);
  }
}
