import type { SpanExporter } from '@opentelemetry/sdk-trace-node';

export interface Log {
  warn(text: string): void;
}

const TELL_EVERY_MS = 60_000;

/** The SDK silently drops what it can't send: this reports it to the operator, once a minute at most. */
export function tellingOfFaults(exporter: SpanExporter, log: Log): SpanExporter {
  let toldAt = Number.NEGATIVE_INFINITY;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.error !== undefined && performance.now() - toldAt >= TELL_EVERY_MS) {
          toldAt = performance.now();
          log.warn(`Traces could not be exported and were lost: ${result.error.message}`);
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
