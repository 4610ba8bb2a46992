import { EventEmitter, once } from 'node:events';
import type { Config } from '../../../src/config/config.js';

/** npm passes on a Ctrl-C that the terminal has sent to everybody already: one ask, not two. */
const SAME_ASK_MS = 500;

export interface ShutdownSignals {
  /** Somebody wants the process to stop. */
  readonly first: Promise<NodeJS.Signals>;
  /** Somebody does not want to wait for that. */
  readonly second: Promise<NodeJS.Signals>;
  /** Signals end the process again, as they do where nobody listens. */
  release(): void;
}

/** Until it is released SIGTERM and SIGINT end nothing by themselves. */
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

/** Who presses Ctrl-C has no balancer that must hear of it first. */
export const drainMsOf = (signal: NodeJS.Signals, config: Config): number => (signal === 'SIGINT' ? 0 : config.drainMs);

/** What a shell expects of a process that a signal ended. */
export const exitCodeOf = (signal: NodeJS.Signals): number => (signal === 'SIGINT' ? 130 : 143);
