/** What is told of the way of a request. */

/** Figures and fixed words: nothing that a caller wrote, and nothing that could be a key. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** A span that others may belong to. */
export type SpanMark = object;

/** Tells an operator where the time of a request goes. It changes nothing and never fails. */
export interface Tracing {
  /** The span that is open here: for what somebody else does on its behalf. */
  here(): SpanMark | undefined;
  /** As long as `run`. It belongs to the first of `behalf`, linked to the others; without any, to the span open here. */
  span<T>(name: string, attributes: SpanAttributes, run: () => Promise<T>, behalf?: readonly SpanMark[]): Promise<T>;
}
