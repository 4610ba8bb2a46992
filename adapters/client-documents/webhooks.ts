import type { Readable } from 'node:stream';
import { parseWebhookUrl, unusableAddress } from '../../src/account/webhook-address.js';
import { ServiceError } from '../../src/domain/errors.js';
import { abortWith } from '../../src/lib/abort.js';
import { FairShare } from '../../src/lib/fair-share.js';
import { lazily } from '../../src/lib/lazily.js';
import { monotonic } from '../../src/lib/monotonic.js';
import { readable } from '../../src/lib/text.js';
import type { DeliveryResult, Webhooks } from '../../src/ports/deliveries.js';
import { type Allowed, isPublicAddress, openGuardedAgent, refuseUnfit, Unfit } from './guarded-agent.js';
import { nameLookups, type Resolve } from './name-lookups.js';

const DEADLINE_MS = 10_000;

/**
 * How many addresses are checked at once, shared fairly among accounts, and how long a check may take, in milliseconds.
 */
const MOST_CHECKS = 16;
const CHECK_MS = 3_000;

/** High enough never to be reached: the bounds on webhooks sent and addresses checked at once limit look-ups first. */
const MOST_LOOKUPS = 512;

/** How many bytes of an answer are kept, and how long to wait for them, in milliseconds. */
const MOST_EXCERPT = 500;
const EXCERPT_MS = 1_000;

export interface GuardedWebhooksOptions {
  /** Names the software and a contact. */
  readonly userAgent: string;
  readonly allow?: Allowed;
  /** Whether webhooks may go to this machine itself. Only on a demo, whose user is on the machine anyway. */
  readonly loopback?: boolean;
}

/** Sends events to addresses that customers choose, with the same guards as for fetching a client's document. */
export class GuardedWebhooks implements Webhooks {
  readonly #options: GuardedWebhooksOptions;
  readonly #resolve: Resolve;
  readonly #checks = new FairShare({ total: MOST_CHECKS, longestMs: CHECK_MS, monotonic });
  /** Without a bound on connections to one host: customers share hosts, and none may wait for another's webhooks. */
  readonly #agent = lazily(() =>
    openGuardedAgent(DEADLINE_MS, null, { ...this.#options.allow, resolve: this.#resolve }),
  );

  constructor(options: GuardedWebhooksOptions) {
    this.#options = options;
    this.#resolve = options.allow?.resolve ?? nameLookups({ mostAtOnce: MOST_LOOKUPS });
  }

  async check(text: string, accountId: string): Promise<string> {
    const url = parseWebhookUrl(text);
    const { allow, loopback } = this.#options;
    if (this.#isOwn(url)) return url.href;
    try {
      refuseUnfit(url, allow);
    } catch (error) {
      const what = error instanceof Unfit ? 'It must be https, on the usual port' : 'It must be a public address';
      throw unusableAddress(`${what}${loopback === true ? ', or http://localhost on this demo' : ''}.`);
    }
    const slot = this.#checks.take(accountId);
    if (slot === null) throw busy();
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const found = await this.#resolve(host, { all: true })
      .catch(() => [])
      .finally(slot.release);
    const isPublic = allow?.isPublic ?? isPublicAddress;
    // An unknown name gets the same answer, so that customers cannot find out which names a private network has.
    if (found.length === 0 || !found.every(({ address }) => isPublic(address)))
      throw unusableAddress('Its host name must lead to a public address.');
    return url.href;
  }

  async send(
    text: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal?: AbortSignal,
  ): Promise<DeliveryResult> {
    const late = AbortSignal.timeout(DEADLINE_MS);
    const over = new AbortController();
    const leave = [late, ...(signal === undefined ? [] : [signal])].map((source) => abortWith(over, source));
    try {
      const url = parseWebhookUrl(text);
      const isOwn = this.#isOwn(url);
      if (isOwn && url.hostname === 'localhost') url.hostname = '127.0.0.1';
      if (!isOwn) refuseUnfit(url, this.#options.allow);
      const { request } = await import('undici');
      const response = await request(url, {
        method: 'POST',
        ...(!isOwn && { dispatcher: await this.#agent.get() }),
        signal: over.signal,
        headers: { ...headers, 'content-type': 'application/json', 'user-agent': this.#options.userAgent },
        body,
      });
      return {
        status: response.statusCode,
        excerpt: await excerptOf(response.body),
        fault: null,
        ...parseRetryAfter(response.headers['retry-after']),
      };
    } catch {
      return {
        status: null,
        excerpt: null,
        fault: late.aborted ? 'No answer within 10 seconds.' : 'The address could not be reached.',
      };
    } finally {
      for (const end of leave) end();
    }
  }

  #isOwn({ protocol, hostname }: URL): boolean {
    return this.#options.loopback === true && /^https?:$/.test(protocol) && LOOPBACK.has(hostname);
  }

  async close(): Promise<void> {
    await (await this.#agent.peek())?.destroy();
  }
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The beginning of an answer, which helps to find out what went wrong. Does not wait for more, or for late bytes. */
async function excerptOf(body: Readable): Promise<string | null> {
  // Discarding it emits an error, and nothing else listens for it.
  body.on('error', () => {});
  const chunks: Buffer[] = [];
  let bytes = 0;
  const late = setTimeout(() => body.destroy(), EXCERPT_MS);
  try {
    for await (const chunk of body) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes >= MOST_EXCERPT) break;
    }
  } catch {
    // The excerpt is what came before.
  } finally {
    clearTimeout(late);
    body.destroy();
  }
  const text = readable(Buffer.concat(chunks).subarray(0, MOST_EXCERPT).toString('utf8')).trim();
  return text === '' ? null : text;
}

/** `Retry-After`: seconds, or an HTTP date. */
function parseRetryAfter(header: string | string[] | undefined): Pick<DeliveryResult, 'retryAfterS'> {
  if (typeof header !== 'string') return {};
  const text = header.trim();
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return seconds > 0 ? { retryAfterS: seconds } : {};
}

const busy = () =>
  new ServiceError('rate_limited', 'Too many addresses are being checked. Try again in 3 s.', {
    param: 'webhook_url',
    retryAfter: CHECK_MS / 1000,
  });
