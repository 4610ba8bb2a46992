import { EventEmitter, once } from 'node:events';
import type { Lifecycle } from '../../app/lifecycle.js';
import type { Config } from '../../src/config/config.js';
import { note } from './print.js';

/** The terminal sends Ctrl-C to every process, and npm forwards it once more: within this time they count as one. */
const SAME_SIGNAL_MS = 500;

export interface ShutdownSignals {
  /** Resolves with the first signal: a request to stop. */
  readonly first: Promise<NodeJS.Signals>;
  /** Resolves with the second signal: a request to stop without waiting. */
  readonly second: Promise<NodeJS.Signals>;
  /** Restores the default, so that signals end the process again. */
  release(): void;
}

/** Until released, SIGTERM and SIGINT do not end the process. */
export function listenForShutdown(): ShutdownSignals {
  const signals = new EventEmitter();
  let firstMs: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    firstMs ??= performance.now();
    signals.emit(performance.now() - firstMs < SAME_SIGNAL_MS ? 'once' : 'twice', signal);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  const waitFor = async (event: string): Promise<NodeJS.Signals> => (await once(signals, event))[0];
  const release = (): void => {
    process.off('SIGTERM', onSignal);
    process.off('SIGINT', onSignal);
  };
  return { first: waitFor('once'), second: waitFor('twice'), release };
}

/** After Ctrl-C no load balancer needs time to notice, so there is no drain period. */
export const drainMsFor = (signal: NodeJS.Signals, config: Config): number =>
  signal === 'SIGINT' ? 0 : config.drainMs;

/** The exit code that a shell expects from a process that a signal ended. */
export const exitCodeFor = (signal: NodeJS.Signals): number => (signal === 'SIGINT' ? 130 : 143);

/**
 * Until the returned function is called, Ctrl-C and SIGTERM close everything that is open or opening, then end the
 * process, so that an embedded server is not left running; a second signal ends it at once.
 */
export function closeOnInterrupt(lifecycle: Lifecycle): () => void {
  const { first: once, second: twice, release } = listenForShutdown();
  void twice.then((signal) => process.exit(exitCodeFor(signal)));
  void once.then((signal) => {
    note('perch: interrupted; closing the database');
    const end = (): never => process.exit(exitCodeFor(signal));
    return lifecycle.close().then(end, end);
  });
  return release;
}

interface Stopping {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** The exit code of the command afterwards. */
  exitCode(): number;
}

/**
 * For a command that finishes its current step after the first signal; a second one ends it at once. Never released.
 */
export function listenForStop(): Stopping {
  const { first: once, second: twice } = listenForShutdown();
  const stop = new AbortController();
  let exitCode = 0;
  void once.then((signal) => {
    exitCode = exitCodeFor(signal);
    stop.abort();
  });
  void twice.then((signal) => process.exit(exitCodeFor(signal)));
  return { signal: stop.signal, exitCode: () => exitCode };
}
