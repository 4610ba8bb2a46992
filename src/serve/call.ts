import type { ExecutionResult, GraphQLError } from 'graphql';
import type { CredentialHeaders } from '../access/credential.js';
import type { Thousandths } from '../core/credits.js';
import type { ServiceError } from '../core/errors.js';
import type { Charge } from '../metering/receipt.js';
import type { RateDecision } from '../ports/rate-limiter.js';
import type { UpstreamUsage } from '../read/call-context.js';
import type { Rendered } from './rendered.js';

/** Which operation: a persisted one by name or by its text's SHA-256, or a text of the caller's own. */
export type Document =
  | { readonly name: string }
  | { readonly sha256: string; readonly text?: string }
  | { readonly text: string; readonly operationName?: string | null };

/** What an operation is asked with: checked and converted by the interface. */
export interface Params {
  readonly variables: Record<string, unknown>;
  /** The caller's own budget (M26). */
  readonly budget: Thousandths | null;
  /** Price the call and read nothing (M26). */
  readonly estimate: boolean;
  /** What to tell the caller beside the answer (P3). */
  readonly warnings?: readonly string[];
}

/** What is to be executed: a document, and which of its operations; null where it has one. */
export interface OperationText {
  readonly text: string;
  readonly operationName: string | null;
  /** Tells it from every other operation: the SHA-256 of what was asked for. */
  readonly id: string;
  /** Small enough to be compiled, rather than interpreted every time. */
  readonly mayCompile: boolean;
}

/** Executes an operation that is checked and priced already. */
export type Run = (
  operation: OperationText,
  context: object | null,
  variables: Record<string, unknown>,
) => Promise<ExecutionResult>;

/** One request of any interface. */
export interface Call {
  readonly requestId: string;
  readonly credential: CredentialHeaders;
  /** The caller's address, for the `public` policy. */
  readonly address: string;
  /** Or why it cannot be told: thrown when its turn comes. */
  readonly document: Document | { readonly failure: ServiceError };
  /** Called once, when the caller is admitted and the operation known (S7). May throw a ServiceError. */
  readonly parse: () => Params;
  /** Distinguishes renderings of the same data by different interfaces. */
  readonly interface: 'rest' | 'graphql' | 'mcp';
  /** What of an answer does not depend on the call: kept, where the answer can be given again. */
  readonly render?: (answer: Answer) => Rendered;
  /** Whether a call without a key may pass when its operation turns out to be introspection (G2). */
  readonly mayBeKeyless?: boolean;
  /** A message of a protocol's own: it reads nothing, and is no request of the account's limit (A19). */
  readonly isHandshake?: boolean;
  /** Only queries are allowed: a GET (G1). */
  readonly queriesOnly?: boolean;
  /** The answer is whole or there is none: where a field fails nothing is charged (section 7). */
  readonly allOrNothing?: boolean;
  /**
   * Executes the operation instead of the engine itself: another GraphQL server with hooks of its own. Then it runs every time,
   * for a hook may look at the caller, and no answer is kept. Introspection alone is the engine's: it is the same for everybody.
   */
  readonly run?: Run;
  /** Fires when the caller is gone (M18). */
  readonly signal: AbortSignal;
}

export interface Estimate {
  readonly maxItems: number;
  readonly maxAmount: Thousandths;
}

/** What became of a call. `rate` is what its bucket said, null when none was asked: no key, or a bad one. */
export interface Outcome {
  readonly requestId: string;
  readonly policy: 'account' | 'public';
  readonly rate: RateDecision | null;
  /** Whole seconds since the oldest part was read (M11); undefined where nothing came from the network. */
  readonly ageSeconds: number | undefined;
  readonly result: Answer | Refusal;
  readonly warnings: readonly string[];
  /** For the log and the metrics: whose call it was, and of which operation, as far as it came. */
  readonly accountId: string | null;
  readonly operation: string | null;
  readonly upstream: UpstreamUsage;
}

export interface Answer {
  readonly kind: 'answer';
  readonly operation: string;
  readonly data: NonNullable<ExecutionResult['data']> | null;
  /** Failures of single fields (G5); their fields are null and free. */
  readonly errors: readonly GraphQLError[];
  readonly charge: Charge;
  /** The wallet after this call, from its own ledger row (M16); null for keyless answers. */
  readonly balance: Thousandths | null;
  /** Unix milliseconds of the oldest part, undefined where nothing came from the network (T16). */
  readonly fetchedAt: number | undefined;
  readonly estimate?: Estimate;
  /** The data as JSON, where it was made once for all callers (introspection): sent as it is. */
  readonly dataText?: string;
  /** What `Call.render` made of it: sent as it is. */
  readonly rendered?: Rendered;
}

export interface Refusal {
  readonly kind: 'refusal';
  readonly failure: ServiceError;
  /** For GraphQL: what a parser or validator said. */
  readonly errors?: readonly GraphQLError[];
}
