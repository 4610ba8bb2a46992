import type { Stores } from '../../src/stores.js';
import { note } from './print.js';

/** Until the gotten function is called, Ctrl-C and SIGTERM close the stores and end the process; asked twice it goes at once. */
export function closeOnInterrupt(stores: Stores): () => void {
  let asked = false;
  const interrupt = (signal: NodeJS.Signals): void => {
    const exitCode = signal === 'SIGINT' ? 130 : 143;
    if (asked) process.exit(exitCode);
    asked = true;
    note('perch: interrupted; closing the database');
    void stores.close().finally(() => process.exit(exitCode));
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  return () => {
    process.removeListener('SIGINT', interrupt);
    process.removeListener('SIGTERM', interrupt);
  };
}
