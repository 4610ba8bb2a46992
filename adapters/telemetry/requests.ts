import {
  type Context,
  createTraceState,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Answered } from '../http/answered.js';
import type { Telemetry } from './telemetry.js';

/** version-trace id-parent id-flags; later versions may append (W3C Trace Context, 3.2.2 and 4.3). */
const TRACE_PARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** The trace to which a request says it belongs; a new root if it names none or an invalid one. */
export function parseTraceParent(traceparent: unknown, tracestate: unknown): Context {
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACE_PARENT.exec(String(traceparent)) ?? [];
  if (version === '00' && more !== undefined) return ROOT_CONTEXT;
  const spanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  if (!isSpanContextValid(spanContext)) return ROOT_CONTEXT;
  const state = typeof tracestate === 'string' ? { traceState: createTraceState(tracestate) } : {};
  return trace.setSpanContext(ROOT_CONTEXT, { ...spanContext, ...state });
}

/** A span for every request, from its head to the end of its answer; the work done for the request is nested in it. */
export function traceRequests(app: FastifyInstance, { tracer, within }: Telemetry): void {
  const spans = new WeakMap<object, Span>();
  app.addHook('onRequest', (request, _reply, done) => {
    const { traceparent, tracestate } = request.headers;
    spans.set(
      request,
      tracer.startSpan(spanName(request), spanOptions(request), parseTraceParent(traceparent, tracestate)),
    );
    done();
  });
  // Only after the body is read: the body's events come from the socket and are outside of any span.
  app.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) return done();
    within(trace.setSpan(ROOT_CONTEXT, span), done);
  });
  app.onAnswered((answered) => {
    const span = spans.get(answered.request);
    if (span !== undefined) end(span, answered);
  });
}

/** The route, never the path, which contains a caller's own input. */
const spanName = ({ method, routeOptions }: FastifyRequest): string =>
  routeOptions.url === undefined ? method : `${method} ${routeOptions.url}`;

const spanOptions = ({ method, routeOptions, id }: FastifyRequest) => ({
  kind: SpanKind.SERVER,
  attributes: {
    'http.request.method': method,
    'perch.request_id': id,
    ...(routeOptions.url !== undefined && { 'http.route': routeOptions.url }),
  },
});

function end(span: Span, { status, outcome }: Answered): void {
  if (status !== null) span.setAttribute('http.response.status_code', status);
  if (outcome?.result.kind === 'refusal') span.setAttribute('error.type', outcome.result.failure.code);
  if (outcome?.result.kind === 'answer') span.setAttribute('perch.cache', outcome.result.charge.cache);
  if (status === null || status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
