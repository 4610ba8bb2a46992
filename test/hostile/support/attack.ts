import type { Answer, Sent } from './client.js';
import type { Account, Service } from './service.js';

/** What an attacker has: a service, an account of their own, and an address nobody else asks from. */
export interface Stage {
  readonly service: Service;
  readonly attacker: Account;
  /** Of the loopback, theirs alone. */
  readonly from: string;
  readonly signal: AbortSignal;
  /** Nothing new is sent from then on (`performance.now()`), so that what was sent can be answered. */
  readonly lastAtMs: number;
  /** From the attacker's address. */
  send(sent: Sent): Promise<Answer>;
  /** As somebody else at the attacker's address: never cut off with the attack. */
  sendBeside(sent: Sent): Promise<Answer>;
}

/** What must come back, each time. */
export interface Expected {
  readonly statuses: readonly number[];
  /** In what those that are refused with 400 to 422 or with 503 say: the bound. */
  readonly message?: RegExp;
  /** Milliseconds in which half of them are answered. */
  readonly halfWithinMs?: number;
  /** Whether the attacker's wallet is what it was. */
  readonly free: boolean;
}

/** A read of somebody else during an attack: it must be answered with 200, and soon. */
export interface Beside {
  readonly what: string;
  readonly answer: Answer;
  /** On a machine that nobody else uses. */
  readonly withinMs: number;
}

/** One row of the table: a way to take the service from the others. */
export interface Attack {
  /** What is done, as behaviour. */
  readonly name: string;
  readonly over: 'GraphQL' | 'REST' | 'MCP' | 'HTTP' | 'all';
  readonly keyed: boolean;
  /** Instead of `STRIKE_MS`: then whatever is not answered yet is cut off. */
  readonly strikeMs?: number;
  /** Before the innocents begin to look. */
  readonly prepare?: (stage: Stage) => Promise<void>;
  readonly strike: (stage: Stage) => Promise<readonly Answer[]>;
  readonly expected: Expected;
  /** What it may leave in the memory of the process, in MB. */
  readonly memoryMb: number;
  /** What others read while it lasted. */
  readonly beside?: () => readonly Beside[];
  /** Sentences on what else went wrong: none when all is as it should be. */
  readonly faults?: (stage: Stage, answers: readonly Answer[]) => Promise<readonly string[]>;
  /** Whatever happened. */
  readonly restore?: (stage: Stage) => Promise<void>;
}

/** What is left of it to the answers of what was sent last. */
export const LAST_MS = 2000;

/** Most that one attack may last, in milliseconds. */
export const STRIKE_MS = 15_000;

export interface Flood {
  /** So many in all. */
  readonly total: number;
  /** So many at a time. */
  readonly width: number;
  /** Evenly; as fast as they are answered when not given. */
  readonly perSecond?: number;
}

/** Sends the same, or one after the other of many, until all are sent or the attack's time is over. */
export async function flood(
  { send, signal, lastAtMs }: Stage,
  { total, width, perSecond }: Flood,
  sent: (index: number) => Sent,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const startMs = performance.now();
  let next = 0;
  async function one(): Promise<void> {
    while (next < total && !signal.aborted && performance.now() < lastAtMs) {
      const index = next++;
      if (perSecond !== undefined) await until(startMs + (index * 1000) / perSecond);
      answers.push(await send(sent(index)));
    }
  }
  await Promise.all(Array.from({ length: width }, one));
  return answers;
}

async function until(atMs: number): Promise<void> {
  const ms = atMs - performance.now();
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}

/** One row for a caller without a key and one for a caller with one. */
export const withAndWithoutKey = (make: (keyed: boolean) => Attack): Attack[] => [make(false), make(true)];

/** The key of the attacker, for those that have one. */
export const keyOf = (stage: Stage, keyed: boolean): { key?: string } => (keyed ? { key: stage.attacker.key } : {});

export const graphql = (query: string, variables?: object): Sent => ({
  path: '/graphql',
  headers: { accept: 'application/graphql-response+json' },
  body: { query, ...(variables && { variables }) },
});

export const mcp = (method: string, params: object = {}, id: unknown = 1): Sent => ({
  path: '/mcp',
  headers: { accept: 'application/json, text/event-stream' },
  body: { jsonrpc: '2.0', id, method, params },
});

export const mcpTool = (name: string, args: object): Sent => mcp('tools/call', { name, arguments: args });
