/** What all parts of a run share, and what is logged for the invariants. */
import type { Chance } from '../../../../demo/random.js';
import type { Thousandths } from '../../../../src/domain/credits.js';
import type { ErrorCode } from '../../../../src/domain/errors.js';
import type { Database } from './database.js';
import type { SimulatedDatabase } from './database-client.js';
import type { SimulatedNetwork } from './network.js';
import type { SimulatedNode } from './node.js';
import type { SimulatedRedis } from './redis-client.js';
import type { Scheduler } from './scheduler.js';
import type { Trace } from './trace.js';
import type { SimulatedWatches } from './watches.js';
import type { Host, Wire } from './wire.js';

/** The parts that may fail in a run. Which of them did may limit what an invariant promises. */
export type FaultKind = 'redis' | 'database' | 'shard' | 'network' | 'death' | 'lock' | 'leaving';

/** An answer as its client reads it, or the refusal. */
export type Result =
  | {
      readonly kind: 'answer';
      readonly charged: Thousandths;
      readonly balance: Thousandths;
      readonly items: number;
      readonly cacheHits: number;
      readonly cache: string;
      readonly ids: readonly string[];
      readonly next: string | null;
    }
  | {
      readonly kind: 'refusal';
      readonly code: ErrorCode;
      readonly reason: string | undefined;
      readonly retryAfter: number | undefined;
    };

/** One call as a node received it. */
export interface CallLog {
  readonly requestId: string;
  readonly host: Host;
  readonly keyId: string;
  readonly accountId: string;
  readonly walletId: string;
  readonly operation: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The caller's own budget. */
  readonly budget: Thousandths | null;
  readonly beganAtMs: number;
  result?: Result;
  endedAtMs?: number;
  /** What the ledger had charged for it when it was answered. */
  paidAtEnd?: Thousandths | undefined;
}

/** One upstream call as a node made it. */
export interface ReadLog {
  readonly host: Host;
  readonly family: 'fast' | 'slow';
  /** Kind and subject, with the place of a page; for a batch, each object. */
  readonly of: readonly string[];
  readonly atMs: number;
  endedAtMs: number;
}

/** A node learned from the network that an object was deleted. */
export interface Deletion {
  readonly id: string;
  readonly host: Host;
  readonly learnedAtMs: number;
}

/** A chain of pages that a client read to its end. */
export interface Chain {
  readonly client: string;
  readonly list: string;
  readonly ids: readonly string[];
  /** What the list held throughout. */
  readonly expected: readonly string[];
}

export interface World {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly trace: Trace;
  readonly wire: Wire;
  readonly database: Database;
  readonly databaseLink: SimulatedDatabase;
  readonly redis: SimulatedRedis;
  readonly network: SimulatedNetwork;
  /** Null in a run without watches. */
  watches: SimulatedWatches | null;
  readonly names: readonly string[];
  /** Live nodes by name. A dead one is missing until its successor has started. */
  readonly nodes: Map<string, SimulatedNode>;
  readonly faults: Set<FaultKind>;
  /** Per cent of requests whose client leaves before the answer. */
  readonly leaving: { perCent: number };
  readonly calls: CallLog[];
  readonly reads: ReadLog[];
  readonly deletions: Deletion[];
  readonly chains: Chain[];
  /** Tweets that the network no longer has, and since when. */
  readonly removed: Map<string, number>;
  /** The network deletes a tweet. */
  readonly remove: (id: string) => void;
  readonly nextId: () => string;
  /** Unix milliseconds, as database and Redis know them. */
  readonly databaseClock: { now(): number };
  /** Starts a process with this name. */
  readonly start: (name: string) => Promise<void>;
  /** Kills the process after this many more messages have come or gone. */
  readonly killAfter: (host: Host, moves: number) => void;
  /** Ends all faults; all clients are done. */
  readonly end: () => void;
  readonly isEnding: () => boolean;
  /** Calls `then` when the process dies. */
  readonly onDeath: (host: Host, then: () => void) => void;
}

/** Unix milliseconds at which each run starts. */
export const START_MS = Date.UTC(2026, 10, 23, 12);

/** The secrets of all nodes. */
export const SECRETS = { pepper: Buffer.alloc(32, 5), cursor: Buffer.alloc(32, 7) };
