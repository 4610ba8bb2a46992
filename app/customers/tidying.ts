import type { FastifyBaseLogger } from 'fastify';
import { startPoll } from '../../src/billing/poll.js';
import type { Ledger } from '../../src/ports/truth.js';

/** Soon after an upgrade there is much to do, later nearly nothing. */
const EVERY_MS = 600_000;
const FIRST_MS = 5_000;

/** The ledger's housekeeping beside requests; `close` ends it after the step that it is at. */
export function startTidying(ledger: Pick<Ledger, 'tidy'>, log: FastifyBaseLogger): { close(): Promise<void> } {
  const stopping = new AbortController();
  const tidy = async (): Promise<void> => {
    try {
      await ledger.tidy(stopping.signal);
    } catch (err) {
      log.warn({ err }, 'Usage totals could not be compacted. All figures remain correct; retrying in ten minutes.');
    }
  };
  const poll = startPoll(tidy, EVERY_MS, FIRST_MS);
  return {
    close() {
      stopping.abort();
      return poll.close();
    },
  };
}
