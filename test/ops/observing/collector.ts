import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span in the JSON form of OTLP. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { key: string; value: { stringValue?: string; intValue?: number } }[];
  readonly links?: readonly { traceId: string; spanId: string }[];
  readonly status: { code?: number };
}

export interface Collector {
  readonly url: string;
  /** The bodies and headers as received. */
  readonly received: { readonly path: string; readonly headers: Record<string, unknown>; readonly body: string }[];
  spans(): OtlpSpan[];
  close(): Promise<void>;
}

/** Receives traces like an OpenTelemetry collector. A silent one never answers. */
export async function startCollector({ silent = false, status = 200 } = {}): Promise<Collector> {
  const received: Collector['received'] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    received.push({ path: request.url ?? '', headers: request.headers, body });
    if (!silent) response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    spans: () =>
      received.flatMap(({ body }) =>
        JSON.parse(body).resourceSpans.flatMap((resource: { scopeSpans: { spans: OtlpSpan[] }[] }) =>
          resource.scopeSpans.flatMap(({ spans }) => spans),
        ),
      ),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const attributesOf = (span: OtlpSpan): Record<string, unknown> =>
  Object.fromEntries(span.attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
