import type { FastifyBaseLogger } from 'fastify';
import type { StartPoll } from '../../src/lib/poll.js';
import type { Ledger } from '../../src/ports/ledger.js';
import type { Lifecycle } from '../lifecycle.js';
import { CLOSED_TOGETHER } from './options.js';

const EVERY_MS = 600_000;
const FIRST_MS = 5_000;

interface MaintenanceOptions {
  readonly ledger: Pick<Ledger, 'runMaintenance'>;
  readonly log: FastifyBaseLogger;
  readonly startPoll: StartPoll;
}

/** Runs the ledger's background maintenance. Closing ends it after its current step. */
export async function openMaintenance(
  lifecycle: Lifecycle,
  { ledger, log, startPoll }: MaintenanceOptions,
): Promise<void> {
  const stopping = new AbortController();
  const maintain = async (): Promise<void> => {
    try {
      await ledger.runMaintenance(stopping.signal);
    } catch (err) {
      log.warn({ err }, 'The maintenance of the ledger failed. All figures remain correct; retrying in ten minutes.');
    }
  };
  await lifecycle.open(
    'maintenance of the ledger',
    () => startPoll(maintain, EVERY_MS, FIRST_MS),
    (poll) => {
      stopping.abort();
      return poll.close();
    },
    CLOSED_TOGETHER,
  );
}
