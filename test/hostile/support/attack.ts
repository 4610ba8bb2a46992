import type { Answer, Sent } from './client.js';
import type { Account, Service } from './service.js';

/** What an attacker has: a service, an account of its own, and an address that no other client uses. */
export interface Stage {
  readonly service: Service;
  readonly attacker: Account;
  /** The attacker's own address of the loopback. */
  readonly from: string;
  readonly signal: AbortSignal;
  /** Nothing new is sent after this time (`performance.now()`), so that what was sent can be answered. */
  readonly lastAtMs: number;
  /** Sends from the attacker's address. */
  send(sent: Sent): Promise<Answer>;
  /** Sends as another client at the attacker's address; never cut off with the attack. */
  sendBeside(sent: Sent): Promise<Answer>;
}

/** What every answer must be. */
export interface Expected {
  readonly statuses: readonly number[];
  /** What refusals with 400 to 422 or 503 must say: the bound. */
  readonly message?: RegExp;
  /** Milliseconds within which half of them must be answered. */
  readonly halfWithinMs?: number;
  /** Whether the attacker's wallet must be unchanged. */
  readonly free: boolean;
}

/** A read of another client during an attack: it must be answered with 200, and soon. */
export interface Beside {
  readonly what: string;
  readonly answer: Answer;
  /** On an otherwise idle machine. */
  readonly withinMs: number;
}

/** One row of the table: a way to take the service from others. */
export interface Attack {
  /** What the attacker does. */
  readonly name: string;
  readonly over: 'GraphQL' | 'REST' | 'MCP' | 'HTTP' | 'all';
  readonly keyed: boolean;
  /** Replaces `STRIKE_MS`; whatever is not answered by then is cut off. */
  readonly strikeMs?: number;
  /** Runs before the innocents begin to measure. */
  readonly prepare?: (stage: Stage) => Promise<void>;
  readonly strike: (stage: Stage) => Promise<readonly Answer[]>;
  readonly expected: Expected;
  /** How much it may leave in the memory of the process, in MB. */
  readonly memoryMb: number;
  /** What others read during the attack. */
  readonly beside?: () => readonly Beside[];
  /** Sentences about anything else that went wrong; none if all is well. */
  readonly faults?: (stage: Stage, answers: readonly Answer[]) => Promise<readonly string[]>;
  /** Runs whatever happened. */
  readonly restore?: (stage: Stage) => Promise<void>;
}

/** The end of an attack, left for the answers to what was sent last. */
export const LAST_MS = 2000;

/** The longest that one attack may last, in milliseconds. */
export const STRIKE_MS = 15_000;

export interface Flood {
  /** How many in all. */
  readonly total: number;
  /** How many at a time. */
  readonly width: number;
  /** Spread evenly; without it, as fast as they are answered. */
  readonly perSecond?: number;
}

/** Sends the same request, or many in turn, until all are sent or the attack's time is over. */
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

/** One row for a caller without a key, and one for a caller with a key. */
export const withAndWithoutKey = (make: (keyed: boolean) => Attack): Attack[] => [make(false), make(true)];

/** The attacker's key, if the row uses one. */
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
