/** Tracing of requests. */

import type { Soon } from '../lib/soon.js';

/** Numbers and fixed words: nothing that a caller wrote, and nothing that could be a key. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** A span to which other spans may belong. */
export type SpanMark = object;

/** Shows an operator where a request's time is spent. It changes nothing and never fails. */
export interface Tracing {
  /** The span that is open here, for work that is done elsewhere on its behalf. */
  here(): SpanMark | undefined;
  /**
   * Opens a span for as long as `run` takes. Its parent is the first of `behalf`, and it is linked to the others; if
   * `behalf` is empty, its parent is the span open here.
   */
  span<T>(name: string, attributes: SpanAttributes, run: () => Promise<T>, behalf?: readonly SpanMark[]): Promise<T>;
  /** The same for work that may finish in this turn of the event loop. */
  span<T>(name: string, attributes: SpanAttributes, run: () => Soon<T>, behalf?: readonly SpanMark[]): Soon<T>;
}
