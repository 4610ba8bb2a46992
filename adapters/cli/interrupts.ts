import type { Stores } from '../../app/stores.js';
import { note } from './print.js';
import { exitCodeOf, listenForSignals } from './workers/asked.js';

/**
 * Until the function it gives is called, Ctrl-C and SIGTERM close the stores, once they are open, and end the process; asked
 * twice it goes at once. Without that an embedded server started a moment ago would be left running.
 */
export function closeOnInterrupt(opening: Promise<Stores>): () => void {
  const { once, twice, release } = listenForSignals();
  void twice.then((signal) => process.exit(exitCodeOf(signal)));
  void once.then((signal) => {
    note('perch: interrupted; closing the database');
    return opening
      .then((stores) => stores.close())
      .catch(() => {})
      .finally(() => process.exit(exitCodeOf(signal)));
  });
  return release;
}
