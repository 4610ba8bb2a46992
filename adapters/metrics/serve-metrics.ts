import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { WorkerMetrics } from './workers.js';

/** Serves the metrics of all workers of this process, added up. */
export async function serveSupervisorMetrics(host: string, port: number): Promise<Served> {
  const workers = new WorkerMetrics();
  const served = await serveMetrics(() => workers.text(), Registry.PROMETHEUS_CONTENT_TYPE, { host, port });
  return {
    ...served,
    async close() {
      workers.close();
      await served.close();
    },
  };
}

export interface Served {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves only `GET /metrics`, on its own port, so that no caller of the service ever sees it. */
export async function serveMetrics(
  text: () => Promise<string>,
  contentType: string,
  { host, port }: { host: string; port: number },
): Promise<Served> {
  const server = createServer((request, response) => {
    const [path] = (request.url ?? '').split('?');
    if (path !== '/metrics') return void response.writeHead(404).end();
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return void response.writeHead(405, { allow: 'GET, HEAD' }).end();
    }
    text().then(
      (metrics) => response.writeHead(200, { 'content-type': contentType }).end(metrics),
      // For example, workers that do not answer: the next scrape may reach them again.
      () => response.writeHead(503).end(),
    );
  });
  server.listen({ host, port });
  await once(server, 'listening').catch(({ code }: NodeJS.ErrnoException) => {
    throw new Error(`cannot serve metrics on HOST ${host}, PERCH_METRICS_PORT ${port} (${code})`);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}/metrics`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
