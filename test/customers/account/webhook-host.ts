import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { GuardedWebhooks } from '../../../adapters/client-documents/webhooks.js';
import { selfSigned } from '../../interfaces/oauth/certificate.js';

/** A request that the customer's server received. */
export interface Received {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A customer's server at `https://hooks.test:…`, which only its own `webhooks` can reach. */
export interface WebhookHost {
  readonly origin: string;
  readonly received: Received[];
  /** Sends to this server as if it were public, and to no other. */
  readonly webhooks: GuardedWebhooks;
  /** How the server answers from now on; 204 at first. */
  answer: RequestListener;
  close(): Promise<void>;
}

export async function startWebhookHost(): Promise<WebhookHost> {
  const { key, cert } = selfSigned(['hooks.test']);
  const received: Received[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      received.push({ url: request.url ?? '', headers: request.headers, body });
      host.answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const webhooks = new GuardedWebhooks({
    userAgent: 'Perch-Test/1',
    allow: {
      isPublic: (address) => address === '127.0.0.1',
      resolve: async (name) =>
        name === 'hooks.test' ? [{ address: '127.0.0.1', family: 4 }] : [{ address: '10.0.0.7', family: 4 }],
      anyPort: true,
      ca: cert,
    },
  });
  const host: WebhookHost = {
    origin: `https://hooks.test:${(server.address() as AddressInfo).port}`,
    received,
    webhooks,
    answer: (_request, response) => void response.writeHead(204).end(),
    async close() {
      await webhooks.close();
      await new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections());
    },
  };
  return host;
}
