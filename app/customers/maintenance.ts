import type { FastifyBaseLogger } from 'fastify';
import type { StartPoll } from '../../src/billing/poll.js';
import type { Ledger } from '../../src/ports/ledger.js';
import type { Lifecycle } from '../lifecycle.js';

/** Soon after an upgrade there is much to do, later nearly nothing. */
const EVERY_MS = 600_000;
const FIRST_MS = 5_000;

interface TidyingOptions {
  readonly ledger: Pick<Ledger, 'runMaintenance'>;
  readonly log: FastifyBaseLogger;
  readonly startPoll: StartPoll;
}

/** The ledger's housekeeping beside requests; closing ends it after the step that it is at. */
export async function openTidying(lifecycle: Lifecycle, { ledger, log, startPoll }: TidyingOptions): Promise<void> {
  const stopping = new AbortController();
  const tidy = async (): Promise<void> => {
    try {
      await ledger.runMaintenance(stopping.signal);
    } catch (err) {
      log.warn({ err }, 'Usage totals could not be compacted. All figures remain correct; retrying in ten minutes.');
    }
  };
  await lifecycle.open(
    'tidying of the ledger',
    () => startPoll(tidy, EVERY_MS, FIRST_MS),
    (poll) => {
      stopping.abort();
      return poll.close();
    },
  );
}
