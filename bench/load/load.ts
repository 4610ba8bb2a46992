/** What one request asks for: with a body it is a POST of JSON. */
export interface Asked {
  readonly path: string;
  readonly body?: string;
  /** Besides those of all requests. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One round of load over kept-alive connections: the same request again and again, but for what changes in turn. */
export interface Load {
  /** On the loopback. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** With one it is a POST of JSON. */
  readonly body?: string;
  /** Each request carries the next as its key. */
  readonly keys?: readonly string[];
  /** Each request asks for the next, in place of the path of `url` and `body`. */
  readonly asks?: readonly Asked[];
  /** Each request carries a `traceparent` of its own, as requests of traced clients do. */
  readonly traced?: boolean;
  readonly connections: number;
  readonly seconds: number;
  /** Ends after so many, if that is earlier. */
  readonly answers?: number;
}

export interface LoadResult {
  /** Answers read to the end; everything that was asked was also answered. */
  readonly answers: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The share of one core that the generator took: near 1 it measures itself. */
  readonly generatorBusy: number;
}
