import type { ExecutionResult, GraphQLError } from 'graphql';
import type { CredentialHeaders, KeyHash } from '../access/credential.js';
import type { Thousandths } from '../domain/credits.js';
import type { ServiceError } from '../domain/errors.js';
import type { LazySignal } from '../lib/abort.js';
import type { Charge } from '../metering/receipt.js';
import type { SharedBudget } from '../metering/spending-limit.js';
import type { Caller } from '../ports/accounts.js';
import type { RateDecision } from '../ports/rate-limiter.js';
import type { UpstreamUsage } from '../read/call-context.js';
import type { FollowCall, Followed } from '../read/newer.js';
import type { Rendered } from './rendered.js';

/** Which operation to run: a persisted one, by name or by the SHA-256 of its text, or a text that the caller wrote. */
export type Document =
  | { readonly name: string }
  | { readonly sha256: string; readonly text?: string }
  | { readonly text: string; readonly operationName?: string | null };

/** The parameters of an operation, checked and converted by the interface. */
export interface Params {
  readonly variables: Record<string, unknown>;
  /** The caller's own budget. */
  readonly budget: Thousandths | null;
  /** What this call and others that run at the same time may spend together. */
  readonly sharedBudget?: SharedBudget;
  /** Price the call and read nothing. */
  readonly estimate: boolean;
  /** Warnings for the caller, sent along with the answer. */
  readonly warnings?: readonly string[];
}

/** The document to execute, and the name of the operation in it; null if it has only one. */
export interface OperationText {
  readonly text: string;
  readonly operationName: string | null;
  /** Identifies the operation: a SHA-256 of its text and the chosen operation name. */
  readonly id: string;
  /** Whether it may be compiled rather than interpreted every time. */
  readonly mayCompile: boolean;
}

/** Executes an operation that has already been checked and priced. */
export type Run = (
  operation: OperationText,
  context: object | null,
  variables: Record<string, unknown>,
) => Promise<ExecutionResult>;

/** One request, from any interface. */
export interface Call {
  readonly requestId: string;
  /** A key's hash if the service itself makes the call: it takes nothing from the account's rate limit. */
  readonly credential: CredentialHeaders | KeyHash;
  /** The caller's address, for the `public` policy. */
  readonly address: string;
  /** `failure`: why it cannot be determined. Thrown at step 3, like any other fault of the document. */
  readonly document: Document | { readonly failure: ServiceError };
  /** Called once, when the caller is admitted and the operation is known. May throw a ServiceError. */
  readonly parse: () => Params;
  /** Distinguishes renderings of the same data by different interfaces. */
  readonly interface: 'rest' | 'graphql' | 'mcp';
  /** Renders the part of an answer that does not depend on the call; it is kept if the answer can be sent again. */
  readonly render?: ((answer: Answer) => Rendered) | undefined;
  /** Whether a call without a key is allowed if its operation turns out to be introspection. */
  readonly mayBeKeyless?: boolean;
  /** An earlier rate decision for this caller, by `enter` or a stream's first call, used instead of asking again. */
  readonly admitted?: RateDecision | undefined;
  /** Called once the call is admitted, before anything is read, with its account and rate. May throw a ServiceError. */
  readonly onAdmitted?: ((accountId: string, qps: number) => void) | undefined;
  /** Set if the operation is a subscription: the list it follows. This call is then one of many. */
  readonly follow?: FollowCall | undefined;
  /** `false`: the interface follows no subscriptions. */
  readonly hasStreams?: boolean;
  /** A message of the protocol itself: it reads nothing and does not count against the account's rate limit. */
  readonly isHandshake?: boolean;
  /** Whether only queries are allowed, as with GET (G1). */
  readonly queriesOnly?: boolean;
  /** If any field fails, the whole call fails and nothing is charged (section 7). */
  readonly allOrNothing?: boolean;
  /**
   * Executes the operation in place of the engine, for another GraphQL server with its own hooks. The operation then
   * runs every time and no answer is kept, because a hook may depend on the caller. Operations that contain only
   * introspection stay with the engine, because their result is the same for every caller.
   */
  readonly run?: Run;
  /** Aborted when the caller disconnects. */
  readonly signal: LazySignal;
}

export interface Estimate {
  readonly maxItems: number;
  readonly maxAmount: Thousandths;
  /** Why the same call would be refused before anything is read; null if it would not be. */
  readonly refused: ServiceError | null;
}

/** The outcome of a call. `rate` is the rate limiter's decision, null if it made none: no key, or an invalid one. */
export interface Outcome {
  readonly requestId: string;
  readonly policy: 'account' | 'public';
  readonly rate: RateDecision | null;
  /** Whole seconds since the oldest part was read; undefined if nothing came from the network. */
  readonly ageSeconds: number | undefined;
  readonly result: Answer | Refusal;
  readonly warnings: readonly string[];
  /** For the log and the metrics: account, key, the key's mode and the operation, as far as they were determined. */
  readonly accountId: string | null;
  readonly keyId: string | null;
  readonly mode: Caller['mode'] | null;
  readonly operation: string | null;
  readonly upstream: UpstreamUsage;
}

export interface Answer {
  readonly kind: 'answer';
  readonly operation: string;
  readonly data: NonNullable<ExecutionResult['data']> | null;
  /** Failures of single fields (G5); those fields are null and free. */
  readonly errors: readonly GraphQLError[];
  readonly charge: Charge;
  /** The wallet's balance after this call, from the call's own ledger row; null for keyless answers. */
  readonly balance: Thousandths | null;
  /** When the oldest part was read, Unix milliseconds; undefined if nothing came from the network. */
  readonly fetchedAt: number | undefined;
  readonly estimate?: Estimate;
  /** The data as JSON, if it was made once for all callers (introspection); sent unchanged. */
  readonly dataText?: string;
  /** The result of `Call.render`; sent unchanged. */
  readonly rendered?: Rendered;
  /** What a subscription's call found in the list that it follows. */
  readonly followed?: Followed;
}

export interface Refusal {
  readonly kind: 'refusal';
  readonly failure: ServiceError;
  /** For GraphQL: the errors of the parser or validator. */
  readonly errors?: readonly GraphQLError[];
}
