import { limitNetwork } from '../access/address.js';
import { hashSecret } from '../access/secret.js';
import { ServiceError, takeOrThrow } from '../domain/errors.js';
import { counted } from '../domain/figures.js';
import { withTimeout } from '../lib/monotonic.js';
import type { Mail, Message } from '../ports/mail.js';
import type { RateLimiter } from '../ports/rate-limiter.js';

/** Links per mail address and kind, and per requesting address, in a quarter of an hour. */
const PER_EMAIL = 5;
const PER_ADDRESS = 20;
const WINDOW_SECONDS = 900;

/**
 * Most mails of the service in an hour, so that a client with many addresses cannot make it send unsolicited mail in
 * bulk.
 */
const IN_ALL = 600;
const IN_ALL_SECONDS = 3600;

/** Most links of a network (`limitNetwork`) in an hour: as many as an IPv4 address, which is one network, may request. */
const PER_NETWORK = (PER_ADDRESS * IN_ALL_SECONDS) / WINDOW_SECONDS;
/**
 * `IN_ALL` has as many parts, of equal size, each with a limit of its own for every network. A link is taken from the
 * first part that still has one for its network. So a few busy networks, which get most of theirs from the last part,
 * leave some for networks that ask for the first time (A36).
 */
const PARTS = [2, 6, PER_NETWORK - 8] as const;

/** Most mails being sent at once. Further ones are dropped and reported to the operator. */
const MOST_PENDING = 100;

/** How long a stop waits for mails in progress. */
const CLOSE_MS = 5000;

export interface LinkMailsOptions {
  readonly mail: Mail;
  readonly limiter: RateLimiter;
  /** Called with the error if a mail could not be sent, for the operator. */
  readonly onMailFailure: (error: unknown) => void;
}

/**
 * Mails with links: those that anyone can request for any address, and invitations. Nothing visible from outside depends
 * on the address of the first kind, because the mail is written and sent after the answer. Who invites knows the
 * address, and is told whether the mail was sent.
 */
export class LinkMails {
  readonly #options: LinkMailsOptions;
  readonly #pending = new Set<Promise<boolean>>();

  constructor(options: LinkMailsOptions) {
    this.#options = options;
  }

  /** Throws `rate_limited` if too many links were requested from one address, or from its network. */
  async admit(address: string): Promise<void> {
    const { limiter } = this.#options;
    await takeOrThrow(limiter, [`sign-in:from:${address}`, PER_ADDRESS, WINDOW_SECONDS], {
      message: 'Too many links were requested from your IP address.',
    });
    await takeOrThrow(limiter, [`sign-in:network:${limitNetwork(address)}`, PER_NETWORK, IN_ALL_SECONDS], {
      message: 'Too many links were requested from your network.',
    });
  }

  /**
   * Starts sending the mail that `write` returns, unless `to` got too many links recently. `address`: the requester's IP.
   */
  send(to: string, address: string, write: () => Promise<Message>): void {
    void this.#start(() => this.#send(to, address, write));
  }

  /**
   * Throws `rate_limited` if no invitation may be mailed to this address now. Sign-in links to it, which any stranger
   * can request, do not count.
   */
  async admitInvitation(to: string, address: string): Promise<void> {
    await takeOrThrow(this.#options.limiter, perEmail('invitation', to), {
      message: (seconds) =>
        `${PER_EMAIL} invitations were just mailed to this address. Try again in ${counted(Math.ceil(seconds / 60), 'minute')}.`,
      param: 'email',
    });
    if (await this.#takeOfAll(address)) return;
    this.#options.onMailFailure(allTaken('an invitation was refused'));
    throw new ServiceError('rate_limited', 'Too many links were mailed in the last hour. Try again later.');
  }

  /** Sends an invitation that was admitted. False if it could not be sent. */
  sendInvitation(message: Message): Promise<boolean> {
    return this.#start(() => this.#options.mail.send(message));
  }

  /** False if the mail could not be sent, which is reported to the operator. */
  async #start(send: () => Promise<void>): Promise<boolean> {
    const { onMailFailure } = this.#options;
    if (this.#pending.size >= MOST_PENDING) {
      onMailFailure(new Error(`${MOST_PENDING} mails are already being sent: one was dropped`));
      return false;
    }
    const done: Promise<boolean> = send()
      .then(
        () => true,
        (error: unknown) => {
          onMailFailure(error);
          return false;
        },
      )
      .finally(() => this.#pending.delete(done));
    this.#pending.add(done);
    return done;
  }

  /** Resolves once no mail is being sent any more, or after 5 seconds. */
  async close(): Promise<void> {
    await withTimeout(CLOSE_MS, Promise.all(this.#pending));
  }

  async #send(to: string, address: string, write: () => Promise<Message>): Promise<void> {
    if (!(await this.#options.limiter.take(...perEmail('sign-in', to))).allowed) return;
    if (!(await this.#takeOfAll(address))) throw allTaken('one was dropped');
    await this.#options.mail.send(await write());
  }

  async #takeOfAll(address: string): Promise<boolean> {
    const { limiter } = this.#options;
    const network = limitNetwork(address);
    for (const [part, most] of PARTS.entries()) {
      if (!(await limiter.take(`sign-in:${part}:${network}`, most, IN_ALL_SECONDS)).allowed) continue;
      if ((await limiter.take(`sign-in:all:${part}`, IN_ALL / PARTS.length, IN_ALL_SECONDS)).allowed) return true;
    }
    return false;
  }
}

const allTaken = (what: string): Error =>
  new Error(`${IN_ALL} links were mailed in the last hour, or ${PER_NETWORK} for one network: ${what}`);

/** The limit of mails to one address. Named by a hash: state shared between nodes need not reveal the customers. */
const perEmail = (kind: 'sign-in' | 'invitation', to: string) =>
  [`${kind}:to:${hashSecret(to.toLowerCase()).toString('base64url')}`, PER_EMAIL, WINDOW_SECONDS] as const;
