import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, type Link, ROOT_CONTEXT, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-node';
import { asServiceError } from '../../src/domain/errors.js';
import { backgroundTimers, withTimeout } from '../../src/lib/monotonic.js';
import type { Soon } from '../../src/lib/soon.js';
import type { SpanAttributes, SpanMark, Tracing } from '../../src/ports/tracing.js';

interface Log {
  warn(text: string): void;
}

const REPORT_EVERY_MS = 60_000;

/** The SDK silently drops spans that it can't send. Reports that to the operator, at most once a minute. */
function reportingFailures(exporter: SpanExporter, log: Log): SpanExporter {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.error !== undefined && performance.now() - reportedAt >= REPORT_EVERY_MS) {
          reportedAt = performance.now();
          log.warn(`Traces could not be exported and were lost: ${result.error.message}`);
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

export interface TelemetryOptions {
  /**
   * Where traces are posted, as OTLP over HTTP in JSON. The exporter itself reads headers and time limits from OTEL_…
   * variables.
   */
  readonly url: string;
  readonly serviceName: string;
  readonly version: string;
  readonly log: Log;
}

/** Spans within a process, nested like the calls that create them. */
export interface Telemetry {
  readonly tracing: Tracing;
  readonly tracer: Tracer;
  /** Runs with the span of this context active. */
  within(context: Context, run: () => void): void;
  /** Sends the remaining spans, within a time limit. */
  close(): Promise<void>;
}

/** The longest that a hanging collector may delay the end of the process. */
const CLOSE_MS = 3000;

/** Import this file only where an exporter is configured, so that otherwise none of it is loaded. */
export function openTelemetry({ url, serviceName, version, log }: TelemetryOptions): Telemetry {
  const exporter = reportingFailures(new OTLPTraceExporter({ url }), log);
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('perch', version);
  const open = new AsyncLocalStorage<Context>();
  const here = (): Context => open.getStore() ?? ROOT_CONTEXT;

  async function span<T>(
    name: string,
    attributes: SpanAttributes,
    run: () => Soon<T>,
    behalf: readonly SpanMark[] = [],
  ): Promise<T> {
    const [first, ...others] = behalf as readonly Context[];
    const parent = first ?? here();
    const made = tracer.startSpan(name, { attributes, links: others.flatMap(linkTo) }, parent);
    try {
      return await open.run(trace.setSpan(parent, made), run);
    } catch (error) {
      // Only the code: a message can quote a caller's request.
      made.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', asServiceError(error).code);
      throw error;
    } finally {
      made.end();
    }
  }

  return {
    tracing: { here: () => open.getStore(), span },
    tracer,
    within: (context, run) => open.run(context, run),
    async close() {
      const closed = provider
        .shutdown()
        .catch(() => {})
        .then(() => true);
      const isInTime = await withTimeout(CLOSE_MS, closed, backgroundTimers);
      if (!isInTime) log.warn('The last traces could not be exported in time and were lost');
    },
  };
}

function linkTo(context: Context): Link[] {
  const spanContext = trace.getSpanContext(context);
  return spanContext ? [{ context: spanContext }] : [];
}
