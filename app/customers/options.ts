import type { FastifyBaseLogger } from 'fastify';
import type { StartPoll } from '../../src/billing/poll.js';
import type { Config } from '../../src/config/config.js';
import type { Clock } from '../../src/ports/clock.js';
import type { Shared } from '../shared.js';
import type { Stores } from '../stores.js';

/** What everything that customers touch is built from. */
export interface CustomersOptions {
  readonly config: Config;
  readonly stores: Stores;
  readonly shared: Shared;
  readonly clock: Clock;
  readonly log: FastifyBaseLogger;
  readonly startPoll: StartPoll;
}
