import { type Context, createTraceState, isSpanContextValid, ROOT_CONTEXT, trace } from '@opentelemetry/api';

/** version-trace id-parent id-flags; later versions may append (W3C Trace Context, 3.2.2 and 4.3). */
const TRACE_PARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** The trace that a request says it belongs to; a root if it names none, or an invalid one. */
export function traceParentOf(traceparent: unknown, tracestate: unknown): Context {
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACE_PARENT.exec(String(traceparent)) ?? [];
  if (version === '00' && more !== undefined) return ROOT_CONTEXT;
  const spanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  if (!isSpanContextValid(spanContext)) return ROOT_CONTEXT;
  const state = typeof tracestate === 'string' ? { traceState: createTraceState(tracestate) } : {};
  return trace.setSpanContext(ROOT_CONTEXT, { ...spanContext, ...state });
}
