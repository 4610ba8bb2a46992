import type { FastifyBaseLogger } from 'fastify';
import type { SessionCookies } from '../../adapters/http/session-cookies.js';
import type { Config } from '../../src/config/config.js';
import { VERSION } from '../../src/domain/version.js';
import type { StartPoll } from '../../src/lib/poll.js';
import type { Clock } from '../../src/ports/clock.js';
import type { Webhooks } from '../../src/ports/deliveries.js';
import type { ClientDocuments } from '../../src/ports/grants.js';
import type { Mail } from '../../src/ports/mail.js';
import type { RateLimiter } from '../../src/ports/rate-limiter.js';
import type { Closing } from '../lifecycle.js';
import type { Shared } from '../shared.js';
import type { Stores } from '../stores.js';

/** Identifies the software and the configured contact to hosts that customers and clients choose. */
export const formatUserAgent = ({ contact }: Pick<Config, 'contact'>): string =>
  `Perch/${VERSION}${contact === null ? '' : ` (+${contact})`}`;

/** The operator's contact; null if none is configured. */
export const contactIn = ({ contact, baseUrl }: Pick<Config, 'contact' | 'baseUrl'>): string | null =>
  contact === baseUrl ? null : contact;

/** Replacements for configured parts, in tests. */
export interface StandIns {
  readonly mail?: Mail;
  readonly limiter?: RateLimiter;
  /** Documents of clients that do not register. */
  readonly documents?: ClientDocuments;
  /** Where webhooks are sent. */
  readonly webhooks?: Webhooks;
  /** Reads the session that a request belongs to. */
  readonly sessionCookies?: SessionCookies;
}

/** Everything that the customers' parts are built from. */
export interface CustomersOptions {
  readonly config: Config;
  readonly stores: Stores;
  readonly shared: Shared;
  readonly clock: Clock;
  readonly log: FastifyBaseLogger;
  readonly startPoll: StartPoll;
  readonly standIns: StandIns;
}

/** Background work closes at the same time, each part independently. */
export const CLOSED_TOGETHER: Closing = { group: 'beside requests' };
