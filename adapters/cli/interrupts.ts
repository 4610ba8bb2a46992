import type { Lifecycle } from '../../app/lifecycle.js';
import { note } from './print.js';
import { exitCodeOf, listenForShutdown } from './workers/shutdown-signals.js';

/**
 * Until the returned function is called, Ctrl-C and SIGTERM close what is open or being opened, and end the process; a
 * second signal ends it at once. Otherwise an embedded server started a moment ago would be left running.
 */
export function closeOnInterrupt(lifecycle: Lifecycle): () => void {
  const { first: once, second: twice, release } = listenForShutdown();
  void twice.then((signal) => process.exit(exitCodeOf(signal)));
  void once.then((signal) => {
    note('perch: interrupted; closing the database');
    const end = (): never => process.exit(exitCodeOf(signal));
    return lifecycle.close().then(end, end);
  });
  return release;
}
