import type { FastifyBaseLogger } from 'fastify';
import { polling, type StartPoll } from '../src/lib/poll.js';

/** Polls of this process. A run reports its expected failures itself. */
export const loggedPolling = (log: FastifyBaseLogger): StartPoll =>
  polling((err) => log.error({ err }, 'A background task failed. It will run again at its next time.'));
