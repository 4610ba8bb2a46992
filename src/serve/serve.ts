import { isAllowedFrom, wrongAddress } from '../access/address.js';
import { readCredential } from '../access/credential.js';
import { FAILED_KEYS_REASON } from '../access/failed-keys.js';
import { type ProcessorBudget, unmeasured } from '../access/processor-time.js';
import { accountHolder, addressHolder, type WorkSlot } from '../access/work-slots.js';
import { DocumentError } from '../documents/document-error.js';
import type { AssertAdmitted } from '../documents/prepare.js';
import { type Thousandths, toCredits } from '../domain/credits.js';
import { asServiceError, badRequest, ServiceError } from '../domain/errors.js';
import { counted } from '../domain/figures.js';
import type { Scope } from '../domain/lists.js';
import { notServed } from '../domain/served-lists.js';
import { backgroundTimers, SharedTimer } from '../lib/monotonic.js';
import { andThen, concluded, type Soon } from '../lib/soon.js';
import type { Caller } from '../ports/accounts.js';
import type { RateDecision } from '../ports/rate-limiter.js';
import type { Answer, Call, Estimate, Outcome, Refusal } from './call.js';
import { Deadline } from './deadline.js';
import { paid, unpaid } from './execute.js';
import type { ServeOptions, Serving } from './options.js';
import type { CallRecord, Prepared, Request } from './request.js';
import { chooseSide, type Side } from './side.js';

export interface Serve {
  (call: Call): Soon<Outcome>;
  /**
   * Does only the first step, before the request is read, so that callers without a valid key cannot cause unlimited
   * parsing (L13). Returns the refusal for an invalid key, or for a caller without a key (`mayBeKeyless`) who called
   * too often, and with `takesRate` also for an account that did; otherwise the value to pass as `admitted` with the
   * call. Never rejects.
   */
  readonly enter: (call: EnteringCall) => Promise<Entered>;
}

export interface EnteringCall
  extends Pick<Call, 'requestId' | 'credential' | 'address' | 'signal' | 'interface' | 'mayBeKeyless'> {
  /** Whether a call with a key is counted already here. */
  readonly takesRate?: boolean;
}

export type Entered = { readonly refused: Outcome } | { readonly admitted: RateDecision | undefined };

const NO_UPSTREAM: Outcome['upstream'] = { calls: 0, waitMs: 0, readMs: 0 };

/** Serves a call, step by step. Never rejects: a failure is an outcome. */
export function createServe(given: ServeOptions): Serve {
  const timer = new SharedTimer({ monotonic: given.monotonic, timers: given.timers ?? backgroundTimers });
  const options: Serving = { ...given, timer };
  const serve = (call: Call): Soon<Outcome> => {
    const deadline = new Deadline(options.deadlineMs, options.monotonic, call.signal, timer);
    const slot = options.slots.open();
    const request: Request = { call, deadline, slot, record: newCallRecord(nameOf(call)) };
    const end = (result: Outcome['result']): Outcome => {
      deadline.end();
      slot.release();
      return toOutcome(options, request, result);
    };
    return concluded<Answer, Outcome>(
      () => answer(options, request),
      end,
      (error) => end(toRefusal(error, request.record)),
    );
  };
  return Object.assign(serve, { enter: (call: EnteringCall) => enter(options, call) });
}

/** The steps of a call. Each continues synchronously if it has what it needs, and waits only if it does not. */
function answer(options: Serving, request: Request): Soon<Answer> {
  const { call, deadline, slot } = request;
  const caller = knownCaller(options, call) ?? deadline.race(identify(options, call, slot));
  return andThen(caller, (caller) =>
    andThen(admit(options, request, caller), (opened) =>
      andThen(chooseSide(options.sides, caller, deadline), (side) => {
        const prepared = prepare(options, request, caller, side, opened);
        return options.tracing.span('operation', spanAttributes(prepared, call), () =>
          !caller || prepared.operation.keyless || prepared.dryRun
            ? deadline.race(unpaid(options, prepared, caller, call))
            : paid(options, prepared, caller, request),
        );
      }),
    ),
  );
}

async function enter(options: Serving, call: EnteringCall): Promise<Entered> {
  const record = newCallRecord(null);
  const deadline = new Deadline(options.deadlineMs, options.monotonic, call.signal, options.timer);
  const slot = options.slots.open();
  try {
    const caller = knownCaller(options, call) ?? (await deadline.race(identify(options, call, slot)));
    if (caller !== null) {
      if (isElsewhere(caller, call)) await refuseElsewhere(options, { call, deadline, record });
      if (!call.takesRate) return { admitted: undefined };
      const { accountId, keyId, mode } = caller;
      Object.assign(record, { accountId, keyId, mode });
    }
    record.policy = caller ? 'account' : 'public';
    const { admit } = options;
    record.rate = await deadline.race(caller ? admit.admit(caller) : admit.admitPublic(call.address));
    if (!record.rate.allowed) throw tooFast(record.rate);
    return { admitted: record.rate };
  } catch (error) {
    return { refused: toOutcome(options, { call, record }, toRefusal(error, record)) };
  } finally {
    deadline.end();
    slot.release();
  }
}

/** The path or the tool names the operation of a call that is refused early. In GraphQL, a body does, which may be unread. */
const nameOf = ({ interface: through, document }: Call): string | null =>
  through !== 'graphql' && 'name' in document ? document.name : null;

const newCallRecord = (operation: string | null): CallRecord => ({
  rate: null,
  policy: 'account',
  accountId: null,
  keyId: null,
  mode: null,
  operation,
  warnings: [],
  callContext: null,
});

function toOutcome(
  { clock }: ServeOptions,
  { call, record }: { readonly call: Pick<Call, 'requestId'>; readonly record: CallRecord },
  result: Outcome['result'],
): Outcome {
  const ageSeconds = result.kind === 'answer' ? secondsSince(result.fetchedAt, clock.now()) : undefined;
  const { rate, policy, accountId, keyId, mode, operation, warnings, callContext } = record;
  const upstream = callContext?.upstream ?? NO_UPSTREAM;
  return {
    requestId: call.requestId,
    rate,
    policy,
    accountId,
    keyId,
    mode,
    operation,
    warnings,
    upstream,
    ageSeconds,
    result,
  };
}

function toRefusal(error: unknown, record: CallRecord): Refusal {
  const failure = asServiceError(error);
  // Too many failed keys count against the address, not against an account.
  if (failure.detail.reason === FAILED_KEYS_REASON) record.policy = 'public';
  return { kind: 'refusal', failure, ...(error instanceof DocumentError && { errors: error.errors }) };
}

/** Leaves out names chosen by callers: they could be anything. */
const spanAttributes = ({ operation }: Prepared, call: Call) => ({
  'perch.interface': call.interface,
  'perch.operation': operation.isPersisted ? operation.name : 'ad hoc',
});

const hasKey = (credential: Call['credential']): boolean =>
  'keyHash' in credential || credential.xApiKey !== undefined || credential.authorization !== undefined;

/** Step 1 if it needs no wait: the account of a recently looked-up key. */
function knownCaller({ identify }: ServeOptions, { credential }: EnteringCall): Caller | undefined {
  return hasKey(credential) ? identify.known(readCredential(credential)) : undefined;
}

/**
 * Step 1: identifies the key's account; null for a call without a key that may turn out to be introspection. During the
 * lookup the call counts for the account that the key was last known to belong to, because many customers may share one
 * address; it counts for the address only if no account is known.
 */
async function identify(options: ServeOptions, call: EnteringCall, slot: WorkSlot): Promise<Caller | null> {
  if (call.mayBeKeyless && !hasKey(call.credential)) return null;
  return options.identify.identify(readCredential(call.credential), call.address, (accountId) => {
    const busy = slot.countFor(accountId === null ? addressHolder(call.address) : accountHolder(accountId));
    if (busy) throw busy;
  });
}

/** Step 2: checks the holder's share of requests in flight and the rate, then waits for its turn on the processor. */
function admit(
  options: ServeOptions,
  { call, deadline, record, slot }: Request,
  caller: Caller | null,
): Soon<ProcessorBudget> {
  record.policy = caller && !call.isHandshake ? 'account' : 'public';
  record.accountId = caller?.accountId ?? null;
  record.keyId = caller?.keyId ?? null;
  if (caller !== null && isElsewhere(caller, call)) return refuseElsewhere(options, { call, deadline, record });
  record.mode = caller?.mode ?? null;
  const holder = caller ? accountHolder(caller.accountId) : addressHolder(call.address);
  const busy = slot.countFor(holder);
  return andThen(deadline.race(admitCall(options, call, caller)), (rate) => {
    record.rate = rate;
    if (!rate.allowed) throw tooFast(rate);
    // A request that is refused because its holder has its share still counts against the rate.
    if (busy) throw busy;
    if (caller) call.onAdmitted?.(caller.accountId, rate.limit);
    const opened = options.processor.open(holder);
    const processorBudget = call.interface === 'graphql' ? opened : unmeasured(opened);
    return andThen(options.processor.turn(call.signal), () => processorBudget);
  });
}

/** Whether the key may not be used from the call's address. Never so for calls that the service itself makes. */
const isElsewhere = ({ allowedFrom }: Caller, { address, credential }: EnteringCall): boolean =>
  allowedFrom !== null && !('keyHash' in credential) && !isAllowedFrom(allowedFrom, address);

/** A stolen key must not use up its account's rate, so the call is limited by its address, as if it had no key. */
function refuseElsewhere(
  { admit }: ServeOptions,
  { call, deadline, record }: Pick<Request, 'deadline' | 'record'> & { readonly call: EnteringCall },
): Soon<never> {
  record.policy = 'public';
  return andThen(deadline.race(admit.admitPublic(call.address)), (rate) => {
    record.rate = rate;
    throw rate.allowed ? wrongAddress(call.address) : tooFast(rate);
  });
}

function admitCall({ admit }: ServeOptions, call: Call, caller: Caller | null): Soon<RateDecision> {
  if (call.admitted) return call.admitted;
  if (caller === null) return admit.admitPublic(call.address);
  if ('keyHash' in call.credential) return letIn(caller);
  return call.isHandshake ? admit.admitHandshake(caller) : admit.admit(caller);
}

/** The decision of a full bucket, for calls that take nothing from the account's. */
const letIn = ({ qps }: Caller): RateDecision => ({
  allowed: true,
  limit: qps,
  remaining: qps,
  resetSeconds: 0,
  retryAfterSeconds: 0,
});

/**
 * Step 3: determines what is asked for, and checks all input from the caller. Whether the call needs a key is checked
 * first, right after parsing.
 */
function prepare(
  options: ServeOptions,
  request: Request,
  caller: Caller | null,
  side: Side,
  processorBudget: ProcessorBudget,
): Prepared {
  const { call, record } = request;
  const assertAdmitted: AssertAdmitted = (keyless) => {
    if (caller || keyless) return;
    // A 401 states the rate of a new account, and the state of no bucket.
    Object.assign(record, { rate: null, policy: 'account' });
    throw new ServiceError('missing_key', noKey(call));
  };
  const { params, operation, variables, id, estimate } = priced(
    options,
    request,
    side,
    assertAdmitted,
    processorBudget,
  );
  const beyond = caller?.scopes && [...operation.scopes].find((scope) => !caller.scopes?.includes(scope));
  if (beyond) throw notInScope(beyond, caller.scopes ?? []);
  record.warnings = params.warnings ?? [];
  const { budget, sharedBudget, estimate: dryRun } = params;
  return { operation, variables, id, budget, sharedBudget, dryRun, estimate, side, processorBudget };
}

/**
 * The operation, its variables and the most it can cost. Work not cached yet is charged to the caller's processor time.
 */
function priced(
  options: ServeOptions,
  { call, record }: Request,
  { pricedVariables }: Side,
  assertAdmitted: AssertAdmitted,
  { measured }: ProcessorBudget,
) {
  if ('failure' in call.document) throw call.document.failure;
  const operation = options.documents.find(call.document, assertAdmitted, measured);
  record.operation = operation.name;
  if (call.queriesOnly && !call.follow && operation.kind !== 'query') {
    throw new ServiceError('bad_request', 'Only queries can be sent with GET; use POST.', { status: 405 });
  }
  const params = call.parse();
  // The estimate of a subscription needs no stream.
  const isFollowed = call.follow !== undefined || (operation.kind === 'subscription' && params.estimate);
  if ((operation.kind === 'subscription') !== isFollowed) throw notAsStream(operation.kind, call.hasStreams);
  const { variables, worst, id } = pricedVariables.of(operation, params.variables, measured);
  const isOver = params.budget === null && worst.amount > options.defaultBudget;
  const tooMuch = isOver ? overDefault(worst.amount, options.defaultBudget) : null;
  if (tooMuch && !params.estimate) throw tooMuch;
  if (worst.notServed !== null) throw notServed(worst.notServed);
  const refused = params.estimate ? (tooMuch ?? worst.refused()) : null;
  const estimate: Estimate = { maxItems: worst.items, maxAmount: worst.amount, refused };
  return { params, operation, variables, id, estimate };
}

const overDefault = (amount: Thousandths, defaultBudget: Thousandths): ServiceError =>
  badRequest(
    `This operation can cost up to ${toCredits(amount)} credits, over the default budget of ${toCredits(defaultBudget)}. Request fewer items, or set a higher budget with max_credits (or X-Max-Credits).`,
    'max_credits',
  );

/** `reason` of the refusal to follow an operation that is not a subscription. */
export const NOT_FOLLOWED = 'not_a_subscription';

const notAsStream = (kind: string, hasStreams = true): ServiceError =>
  kind === 'subscription'
    ? badRequest(
        hasStreams
          ? 'A subscription is answered as a stream: send Accept: text/event-stream.'
          : 'Subscriptions are not followed at this address, only at the service itself. Read the list with since instead.',
      )
    : new ServiceError('bad_request', `Only a subscription can be followed; this is a ${kind}.`, {
        reason: NOT_FOLLOWED,
      });

const secondsSince = (fetchedAt: number | undefined, now: number): number | undefined =>
  fetchedAt === undefined ? undefined : Math.max(0, Math.floor((now - fetchedAt) / 1000));

const notInScope = (scope: Scope, scopes: readonly Scope[]): ServiceError =>
  new ServiceError(
    'access_denied',
    `This key may not read ${scope}: it is limited to ${scopes.join(', ')}. Nothing was charged.`,
    { reason: 'scope' },
  );

function tooFast(rate: RateDecision): ServiceError {
  const message = `More than ${counted(rate.limit, 'request')} per second. Try again in ${rate.retryAfterSeconds} s; nothing was charged.`;
  return new ServiceError('rate_limited', message, { retryAfter: rate.retryAfterSeconds });
}

const noKey = (call: Call): string =>
  `Reads need a key: send it as x-api-key, or as Authorization: Bearer.${'hasQueryKey' in call.credential && call.credential.hasQueryKey ? ' A key in the query string is not accepted: rotate it.' : ''}`;
