/** The target of one request. With a body, it is a POST of JSON. */
export interface Target {
  readonly path: string;
  readonly body?: string;
  /** Headers in addition to those of all requests. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One round of load over kept-alive connections: the same request repeatedly, except for what changes in turn. */
export interface Load {
  /** On the loopback. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** With a body, the request is a POST of JSON. */
  readonly body?: string;
  /** Each request has the next of these keys. */
  readonly keys?: readonly string[];
  /** Each request has the next of these targets instead of the path of `url` and `body`. */
  readonly targets?: readonly Target[];
  /** Each request has its own `traceparent`, like requests of traced clients. */
  readonly traced?: boolean;
  readonly connections: number;
  readonly seconds: number;
  /** Ends after this many requests, if that is earlier. */
  readonly answers?: number;
}

export interface LoadResult {
  /** Answers that were read to the end. Every request was answered. */
  readonly answers: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The share of one core that the generator used. Near 1, it measures itself. */
  readonly generatorBusy: number;
}
