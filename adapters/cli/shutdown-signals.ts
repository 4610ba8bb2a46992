import { EventEmitter, once } from 'node:events';
import type { Lifecycle } from '../../app/lifecycle.js';
import type { Config } from '../../src/config/config.js';
import { note } from './print.js';

/** npm forwards a Ctrl-C that the terminal has already sent to every process: that is one signal, not two. */
const SAME_ASK_MS = 500;

export interface ShutdownSignals {
  /** Resolves with the first signal: a request to stop. */
  readonly first: Promise<NodeJS.Signals>;
  /** Resolves with the second signal: a request not to wait for that. */
  readonly second: Promise<NodeJS.Signals>;
  /** Signals end the process again, as they do by default. */
  release(): void;
}

/** Until it is released, SIGTERM and SIGINT have no effect of their own. */
export function listenForShutdown(): ShutdownSignals {
  const asks = new EventEmitter();
  let firstMs: number | undefined;
  const ask = (signal: NodeJS.Signals): void => {
    firstMs ??= performance.now();
    asks.emit(performance.now() - firstMs < SAME_ASK_MS ? 'once' : 'twice', signal);
  };
  process.on('SIGTERM', ask);
  process.on('SIGINT', ask);
  const heard = async (event: string): Promise<NodeJS.Signals> => (await once(asks, event))[0];
  const release = (): void => {
    process.off('SIGTERM', ask);
    process.off('SIGINT', ask);
  };
  return { first: heard('once'), second: heard('twice'), release };
}

/** With Ctrl-C there is no load balancer that must notice first. */
export const drainMsFor = (signal: NodeJS.Signals, config: Config): number =>
  signal === 'SIGINT' ? 0 : config.drainMs;

/** The exit code that a shell expects of a process ended by a signal. */
export const exitCodeFor = (signal: NodeJS.Signals): number => (signal === 'SIGINT' ? 130 : 143);

/**
 * Until the returned function is called, Ctrl-C and SIGTERM close what is open or being opened, and end the process; a
 * second signal ends it at once. Otherwise an embedded server started a moment ago would be left running.
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

/** For a command that stops after the step in hand, until the process ends: at the second signal it stops at once. */
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
