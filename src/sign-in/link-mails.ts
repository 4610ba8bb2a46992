import { hashSecret } from '../access/secret.js';
import { ServiceError } from '../domain/errors.js';
import { withTimeout } from '../lib/monotonic.js';
import type { Mail, Message } from '../ports/mail.js';
import type { RateLimiter } from '../ports/rate-limiter.js';

/** Links per mail address, and per requesting address, in a quarter of an hour. */
const PER_EMAIL = 5;
const PER_ADDRESS = 20;
const WINDOW_SECONDS = 900;

/**
 * Most mails of the service in an hour, so that a client with many addresses cannot make it send unsolicited mail in
 * bulk.
 */
const IN_ALL = 600;
const IN_ALL_SECONDS = 3600;

/**
 * Divides `IN_ALL` into parts of equal size. In an hour an IP address may take its first 2 links from any part, those
 * up to the 8th from the last two parts, and further ones only from the last. So a few busy addresses leave some for
 * addresses that ask for the first time (A36).
 */
const FIRST_LINKS = [2, 8, Number.POSITIVE_INFINITY] as const;
/** Most links that `admit` allows an IP address in an hour. */
const OWN = (PER_ADDRESS * IN_ALL_SECONDS) / WINDOW_SECONDS;

/** Most mails being sent at once. Further ones are dropped and reported to the operator. */
const MOST_PENDING = 100;

/** How long a stop waits for mails in progress. */
const CLOSE_MS = 5000;

export interface LinkMailsOptions {
  readonly mail: Mail;
  readonly limiter: RateLimiter;
  /** Called with the error if a mail could not be sent; reported to the operator, never to the requester. */
  readonly onMailFailure: (error: unknown) => void;
}

/**
 * Mails that anyone can request for any address. Nothing visible from outside depends on that address, because the mail
 * is written and sent after the answer.
 */
export class LinkMails {
  readonly #options: LinkMailsOptions;
  readonly #pending = new Set<Promise<void>>();

  constructor(options: LinkMailsOptions) {
    this.#options = options;
  }

  /** Throws `rate_limited` if too many links were requested from one address. */
  async admit(address: string): Promise<void> {
    const rate = await this.#options.limiter.take(`sign-in:from:${address}`, PER_ADDRESS, WINDOW_SECONDS);
    if (rate.allowed) return;
    throw new ServiceError('rate_limited', 'Too many links were requested from your IP address.', {
      retryAfter: rate.retryAfterSeconds,
    });
  }

  /**
   * Starts sending the mail that `write` returns, unless `to` got too many links lately. `address`: the requester's IP.
   */
  send(to: string, address: string, write: () => Promise<Message>): void {
    const { onMailFailure } = this.#options;
    if (this.#pending.size >= MOST_PENDING) {
      onMailFailure(new Error(`${MOST_PENDING} mails are already being sent: one was dropped`));
      return;
    }
    const done: Promise<void> = this.#send(to, address, write)
      .catch(onMailFailure)
      .finally(() => this.#pending.delete(done));
    this.#pending.add(done);
  }

  /** Resolves once no mail is being sent any more, or after 5 seconds. */
  async close(): Promise<void> {
    await withTimeout(CLOSE_MS, Promise.all(this.#pending));
  }

  async #send(to: string, address: string, write: () => Promise<Message>): Promise<void> {
    const { limiter, mail } = this.#options;
    // Uses a hash, because state shared between nodes need not reveal who the customers are.
    const name = hashSecret(to.toLowerCase()).toString('base64url');
    const rate = await limiter.take(`sign-in:to:${name}`, PER_EMAIL, WINDOW_SECONDS);
    if (!rate.allowed) return;
    if (!(await this.#takeOfAll(address))) {
      throw new Error(`${IN_ALL} sign-in links were mailed in the last hour: one was dropped`);
    }
    await mail.send(await write());
  }

  async #takeOfAll(address: string): Promise<boolean> {
    const { limiter } = this.#options;
    const { remaining } = await limiter.take(`sign-in:hour:${address}`, OWN, IN_ALL_SECONDS);
    for (const [part, most] of FIRST_LINKS.entries()) {
      if (OWN - remaining > most) continue;
      const rate = await limiter.take(`sign-in:all:${part}`, IN_ALL / FIRST_LINKS.length, IN_ALL_SECONDS);
      if (rate.allowed) return true;
    }
    return false;
  }
}
