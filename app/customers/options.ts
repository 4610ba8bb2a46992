import type { FastifyBaseLogger } from 'fastify';
import type { SessionCookies } from '../../adapters/http/session-cookies.js';
import type { Config } from '../../src/config/config.js';
import type { StartPoll } from '../../src/core/poll.js';
import type { Clock } from '../../src/ports/clock.js';
import type { ClientDocuments } from '../../src/ports/grants.js';
import type { Mail } from '../../src/ports/mail.js';
import type { RateLimiter } from '../../src/ports/rate-limiter.js';
import type { Closing } from '../lifecycle.js';
import type { Shared } from '../shared.js';
import type { Stores } from '../stores.js';

/** What stands in place of a part that the configuration names: tests. */
export interface StandIns {
  readonly mail?: Mail;
  readonly limiter?: RateLimiter;
  /** Of clients that do not register. */
  readonly documents?: ClientDocuments;
  /** Whose session a request comes with. */
  readonly sessionCookies?: SessionCookies;
}

/** What everything that customers touch is built from. */
export interface CustomersOptions {
  readonly config: Config;
  readonly stores: Stores;
  readonly shared: Shared;
  readonly clock: Clock;
  readonly log: FastifyBaseLogger;
  readonly startPoll: StartPoll;
  readonly standIns: StandIns;
}

/** What is done beside requests ends at the same time, each part of it by itself. */
export const CLOSED_TOGETHER: Closing = { group: 'beside requests' };
