import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface KeyProxy {
  readonly url: URL;
  close(): Promise<void>;
}

/**
 * Stands in front of `/mcp` and adds the key, for tools that cannot send one. Everything else passes unchanged, `Host`
 * too.
 */
export async function startKeyProxy(target: URL, key: string, onRequest = (): void => {}): Promise<KeyProxy> {
  const server = createServer((incoming, answer) => {
    onRequest();
    const { method, url, headers } = incoming;
    const outgoing = request(
      { hostname: target.hostname, port: target.port, path: url, method, headers: { ...headers, 'x-api-key': key } },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      },
    );
    outgoing.on('error', () => answer.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}${target.pathname}`),
    close: () => new Promise((resolve) => void server.close(() => resolve()).closeAllConnections()),
  };
}
