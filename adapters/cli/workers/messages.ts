import type { Config } from '../../../src/config/config.js';

/** Messages from the primary to a worker. */
export type SupervisorMessage =
  | { readonly say: 'serve'; readonly worker: number; readonly config: Config; readonly demoKey: string | null }
  | { readonly say: 'stop'; readonly drainMs: number };

/** Messages from a worker to the primary: that it is ready for messages; then that it listens, or why it does not. */
export type WorkerMessage =
  | { readonly say: 'ready' }
  | { readonly say: 'serving'; readonly url: string }
  | { readonly say: 'failed'; readonly message: string; readonly exitCode: number };
