import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { badRequest } from '../../src/core/errors.js';
import { lazily } from '../../src/core/lazily.js';
import type { DeliveryResult, Webhooks } from '../../src/ports/deliveries.js';
import { type Allowed, openGuardedAgent, refuseUnfit, Unfit } from './guarded-agent.js';
import type { Resolve } from './guarded-lookup.js';
import { isPublicAddress } from './public-address.js';

const DEADLINE_MS = 10_000;
/** Of one host: nobody's slow host takes another's connection. */
const CONNECTIONS = 4;

/** How long the customer waits for the host name to be looked up. */
const CHECK_MS = 3_000;

const MOST_URL = 2000;

export interface GuardedWebhooksOptions {
  /** Names the software and a contact. */
  readonly userAgent: string;
  readonly allow?: Allowed;
}

/** Sends events to addresses that customers choose, guarded like the fetch of a client's document (A13). */
export class GuardedWebhooks implements Webhooks {
  readonly #options: GuardedWebhooksOptions;
  readonly #agent = lazily(() => openGuardedAgent(DEADLINE_MS, CONNECTIONS, this.#options.allow));

  constructor(options: GuardedWebhooksOptions) {
    this.#options = options;
  }

  async check(text: string): Promise<void> {
    const url = urlOf(text);
    const { allow } = this.#options;
    try {
      refuseUnfit(url, allow);
    } catch (error) {
      throw refusal(error instanceof Unfit ? 'It must be https, on the usual port.' : 'It must be a public address.');
    }
    const resolve = allow?.resolve ?? (lookup as Resolve);
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const found = await Promise.race([
      resolve(host, { all: true }).catch(() => []),
      sleep(CHECK_MS, [] as never[], { ref: false }),
    ]);
    if (found.length === 0) throw refusal('Its host name has no address.');
    const isPublic = allow?.isPublic ?? isPublicAddress;
    if (!found.every(({ address }) => isPublic(address))) throw refusal('It must be a public address.');
  }

  async send(text: string, headers: Readonly<Record<string, string>>, body: string): Promise<DeliveryResult> {
    try {
      const url = urlOf(text);
      refuseUnfit(url, this.#options.allow);
      const { request } = await import('undici');
      const response = await request(url, {
        method: 'POST',
        dispatcher: await this.#agent.get(),
        signal: AbortSignal.timeout(DEADLINE_MS),
        headers: { ...headers, 'content-type': 'application/json', 'user-agent': this.#options.userAgent },
        body,
      });
      // The answer's body is not read. Discarding it emits an error, and nothing else listens for it.
      response.body.on('error', () => {});
      response.body.destroy();
      return { status: response.statusCode, fault: null };
    } catch (error) {
      const isLate = error instanceof Error && error.name === 'TimeoutError';
      return { status: null, fault: isLate ? 'No answer within 10 seconds.' : 'The address could not be reached.' };
    }
  }

  async close(): Promise<void> {
    await (await this.#agent.peek())?.destroy();
  }
}

function urlOf(text: string): URL {
  if (text.length > MOST_URL) throw refusal(`It can have at most ${MOST_URL.toLocaleString('en-US')} characters.`);
  if (!URL.canParse(text)) throw refusal('It should look like https://example.com/webhooks/perch.');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw refusal('It must not contain a user name or password.');
  return url;
}

const refusal = (why: string) => badRequest(`This address cannot be used. ${why}`, 'webhook_url');
