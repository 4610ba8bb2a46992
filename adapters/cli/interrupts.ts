import type { Stores } from '../../src/stores.js';
import { note } from './print.js';

/**
 * Until the function it gives is called, Ctrl-C and SIGTERM close the stores, once they are open, and end the process; asked
 * twice it goes at once. Without that an embedded server started a moment ago would be left running.
 */
export function closeOnInterrupt(opening: Promise<Stores>): () => void {
  let asked = false;
  const interrupt = (signal: NodeJS.Signals): void => {
    const exitCode = signal === 'SIGINT' ? 130 : 143;
    if (asked) process.exit(exitCode);
    asked = true;
    note('perch: interrupted; closing the database');
    void opening
      .then((stores) => stores.close())
      .catch(() => {})
      .finally(() => process.exit(exitCode));
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  return () => {
    process.removeListener('SIGINT', interrupt);
    process.removeListener('SIGTERM', interrupt);
  };
}
