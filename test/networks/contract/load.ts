import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** Limits how much an upstream serves. */
export class Load {
  /** How many requests it works on at a time, and how long each takes, in milliseconds. */
  servers = Number.POSITIVE_INFINITY;
  latencyMs = 0;
  /** Which requests it accepts and never answers, and which it fails, by their address. */
  hangs: (url: string) => boolean = () => false;
  fails: (url: string) => boolean = () => false;
  /** The most requests that it had at once. */
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
