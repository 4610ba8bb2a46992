import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, type Link, ROOT_CONTEXT, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { asServiceError } from '../../src/core/errors.js';
import type { SpanAttributes, SpanMark, Tracing } from '../../src/ports/tracing.js';

import { type Log, tellingOfFaults } from './telling-exporter.js';

export interface TelemetryOptions {
  /** Where traces are posted, as OTLP over HTTP in JSON. Headers and time limits of it the exporter reads from OTEL_… itself. */
  readonly url: string;
  readonly serviceName: string;
  readonly version: string;
  readonly log: Log;
}

/** Spans within a process, nested as the calls are that make them. */
export interface Telemetry {
  readonly tracing: Tracing;
  readonly tracer: Tracer;
  /** Runs with the span of this context open. */
  within(context: Context, run: () => void): void;
  /** Sends what is left, within a bound. */
  close(): Promise<void>;
}

/** A collector that hangs may hold up the end of the process for so long. */
const CLOSE_MS = 3000;

/** Imported only where an exporter is configured: otherwise none of this is loaded. */
export function openTelemetry({ url, serviceName, version, log }: TelemetryOptions): Telemetry {
  const exporter = tellingOfFaults(new OTLPTraceExporter({ url }), log);
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
    run: () => Promise<T>,
    behalf: readonly SpanMark[] = [],
  ): Promise<T> {
    const [first, ...others] = behalf as readonly Context[];
    const parent = first ?? here();
    const made = tracer.startSpan(name, { attributes, links: others.flatMap(linkTo) }, parent);
    try {
      return await open.run(trace.setSpan(parent, made), run);
    } catch (error) {
      // The code alone: a message can say what a caller asked for.
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
      const late = new Promise<'late'>((resolve) => setTimeout(resolve, CLOSE_MS, 'late').unref());
      const end = await Promise.race([provider.shutdown().catch(() => {}), late]);
      if (end === 'late') log.warn('The last traces could not be exported in time and were lost');
    },
  };
}

function linkTo(context: Context): Link[] {
  const spanContext = trace.getSpanContext(context);
  return spanContext ? [{ context: spanContext }] : [];
}
