/** One round of load: the same request, again and again, over kept-alive connections. */
export interface Load {
  /** On the loopback. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** With one it is a POST of JSON. */
  readonly body?: string;
  readonly connections: number;
  readonly seconds: number;
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
