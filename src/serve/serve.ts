import type { GraphQLError } from 'graphql';
import { readCredential } from '../access/credential.js';
import { FAILED_KEYS_REASON } from '../access/failed-keys.js';
import { accountHolder, addressHolder, type Place } from '../access/places.js';
import { type Spending, unmeasured } from '../access/processor-time.js';
import { Account } from '../account/account.js';
import { type Thousandths, toCredits } from '../core/credits.js';
import { asServiceError, badRequest, ServiceError } from '../core/errors.js';
import { Meter, shortOf } from '../metering/meter.js';
import type { Purse } from '../metering/purses.js';
import { type Charge, Receipt } from '../metering/receipt.js';
import { settle } from '../metering/settle.js';
import type { RateDecision } from '../ports/shared.js';
import type { Caller } from '../ports/truth.js';
import { Errand } from '../read/errand.js';
import { Reads } from '../read/reads.js';
import { within } from '../read/within.js';
import { isAllHeld } from './answers.js';
import type { Answer, Call, Estimate, Outcome } from './call.js';
import { Deadline } from './deadline.js';
import { DocumentError } from './document-error.js';
import type { ServeOptions } from './options.js';
import type { Admits, Executed, Operation } from './prepare.js';

export type Serve = (call: Call) => Promise<Outcome>;

/** What is known of a call so far, whatever becomes of it. */
interface Trail {
  rate: RateDecision | null;
  policy: Outcome['policy'];
  accountId: string | null;
  operation: string | null;
  errand: Errand | null;
}

/** A call on its way. */
interface Request {
  readonly call: Call;
  readonly deadline: Deadline;
  readonly trail: Trail;
  readonly place: Place;
}

const NO_UPSTREAM: Outcome['upstream'] = { calls: 0, waitMs: 0, readMs: 0 };

/** An operation with its variables, priced. */
interface Prepared {
  readonly operation: Operation;
  readonly variables: Record<string, unknown>;
  readonly budget: Thousandths | null;
  readonly dryRun: boolean;
  readonly estimate: Estimate;
  /** Whose processor time it takes. */
  readonly spending: Spending;
}

/** The way of a request. Never rejects: whatever goes wrong is an outcome. */
export function createServe(options: ServeOptions): Serve {
  return async (call) => {
    const trail: Trail = { rate: null, policy: 'account', accountId: null, operation: null, errand: null };
    const deadline = new Deadline(options.deadlineMs, options.monotonic, call.signal);
    const close = (result: Outcome['result']): Outcome => {
      const ageSeconds = result.kind === 'answer' ? ageOf(result.fetchedAt, options.clock.now()) : undefined;
      const { errand, ...seen } = trail;
      return { requestId: call.requestId, ...seen, upstream: errand?.upstream ?? NO_UPSTREAM, ageSeconds, result };
    };
    const place = options.places.open();
    try {
      const caller = await deadline.within(identify(options, call, place));
      trail.policy = caller && !call.isGreeting ? 'account' : 'public';
      trail.accountId = caller?.accountId ?? null;
      const holder = caller ? accountHolder(caller.accountId) : addressHolder(call.address);
      const busy = place.countFor(holder);
      const rate = await deadline.within(admit(options, call, caller));
      trail.rate = rate;
      if (!rate.allowed) throw tooFast(rate);
      // Refused for its share, it counts against its rate all the same (L4).
      if (busy) throw busy;
      const opened = options.processor.open(holder);
      const spending = call.interface === 'graphql' ? opened : unmeasured(opened);
      await options.processor.turn(call.signal);
      const admits: Admits = (keyless) => {
        if (caller || keyless) return;
        // A 401 quotes the rate that a new account starts on, and no bucket (L6).
        Object.assign(trail, { rate: null, policy: 'account' });
        throw new ServiceError('missing_key', noKey(call));
      };
      const prepared = { ...spending.measured(() => prepare(options, call, admits)), spending };
      trail.operation = prepared.operation.name;
      const run = () =>
        !caller || prepared.operation.keyless || prepared.dryRun
          ? deadline.within(unpaid(options, prepared, caller, call))
          : paid(options, prepared, caller, { call, deadline, trail, place });
      return close(await options.tracing.span('operation', attributesOf(prepared, call), run));
    } catch (error) {
      const failure = asServiceError(error);
      // Too many failed keys count against the address, not against an account (A8).
      if (failure.detail.reason === FAILED_KEYS_REASON) trail.policy = 'public';
      return close({ kind: 'refusal', failure, ...(error instanceof DocumentError && { errors: error.errors }) });
    } finally {
      deadline.end();
      place.leave();
    }
  };
}

/** No name of a caller's own: it could be anything. */
const attributesOf = ({ operation }: Prepared, call: Call) => ({
  'perch.interface': call.interface,
  'perch.operation': operation.isOurs ? operation.name : 'ad hoc',
});

/**
 * Step 1: whose key it is; null for a call without one that may turn out to be introspection (G2). While the store is asked it
 * counts for the account that the key was last known to be of, or for its address: many customers may share one.
 */
async function identify(options: ServeOptions, call: Call, place: Place): Promise<Caller | null> {
  const { xApiKey, authorization } = call.credential;
  if (call.mayBeKeyless && xApiKey === undefined && authorization === undefined) return null;
  return options.identify.identify(readCredential(call.credential), call.address, (accountId) => {
    const busy = place.countFor(accountId === null ? addressHolder(call.address) : accountHolder(accountId));
    if (busy) throw busy;
  });
}

/** Step 2: whether the rate allows it. */
function admit({ admit }: ServeOptions, call: Call, caller: Caller | null): Promise<RateDecision> {
  if (caller === null) return admit.admitPublic(call.address);
  return call.isGreeting ? admit.admitGreeting(caller) : admit.admit(caller);
}

/**
 * Step 3: the operation, its variables and what it can cost at most. Everything of the caller's is checked here; `admits` is asked
 * before anything is done but parsing.
 */
function prepare(options: ServeOptions, call: Call, admits: Admits): Omit<Prepared, 'spending'> {
  const operation = options.documents.find(call.document(), admits);
  if (call.queriesOnly && operation.kind !== 'query') {
    throw new ServiceError('bad_request', 'Only queries can be sent with GET: use POST.', { status: 405 });
  }
  const variables = operation.coerce(call.variables());
  const worst = operation.worst(variables);
  const budget = call.budget();
  const dryRun = call.estimate();
  if (budget === null && !dryRun && worst.amount > options.ceiling) {
    throw badRequest(
      `This operation can cost up to ${toCredits(worst.amount)} credits, over the ceiling of ${toCredits(options.ceiling)}. Ask for fewer items, or allow it with max_credits (or X-Max-Credits).`,
      'max_credits',
    );
  }
  return { operation, variables, budget, dryRun, estimate: { maxItems: worst.items, maxAmount: worst.amount } };
}

/** Introspection, and the price of a call before anything is read (M26): nothing is opened, read or charged. */
async function unpaid(options: ServeOptions, prepared: Prepared, caller: Caller | null, call: Call): Promise<Answer> {
  const { operation, estimate } = prepared;
  const nothing = { operation: operation.name, charge: new Receipt().fold(), fetchedAt: undefined };
  const balance = caller && (await options.ledger.balance(caller.walletId, caller.keyId)).balance;
  if (prepared.dryRun) return { kind: 'answer', ...nothing, data: null, errors: [], balance, estimate };
  const { data = null, errors = [], dataText }: Executed = await run(prepared, call, null);
  return { kind: 'answer', ...nothing, data, errors, balance, ...(dataText !== undefined && { dataText }) };
}

/** Steps 4 to 6: the meter is opened, the operation run, and its receipt settled. */
async function paid(options: ServeOptions, prepared: Prepared, caller: Caller, request: Request): Promise<Answer> {
  const { call, deadline, trail, place } = request;
  const { operation, budget, estimate, spending } = prepared;
  const opening = options.purses.open(caller, estimate.maxAmount, budget ?? Number.POSITIVE_INFINITY);
  const purse = await deadline.within(opening);
  try {
    if (operation.priced && purse.left <= 0) throw shortOf(purse.shortage, 'This is a paid read', purse.left);
    const settlement = { options, request, caller, purse, name: nameOf(options, caller, operation) };
    const key = operation.impersonal && !call.run ? keyOf(call, prepared) : null;
    const known = key === null ? undefined : await deadline.within(options.answers.find(key));
    if (known && purse.left >= known.charge.amount) {
      call.signal.throwIfAborted();
      purse.take(known.charge.amount);
      return { ...known, balance: await post(settlement, known.charge) };
    }
    const meter = new Meter(purse, estimate.maxAmount, operation.ranks);
    const errand = errandOf(options, caller, deadline, place);
    trail.errand = errand;
    const context = contextOf(settlement, spending, meter, errand);
    const { data = null, errors = [] } = await execute(prepared, call, context, errand);
    // Not one field of it, but the call is refused: it would come back for the rest.
    if (errand.refusal !== undefined) throw errand.refusal;
    if (call.allOrNothing && errors[0]) throw failureOf(errors[0]);
    // Whoever is gone by now pays nothing; from here on the answer is paid (M18).
    call.signal.throwIfAborted();
    const charge = meter.receipt.fold('page', operation.fieldPaths);
    const balance = await post(settlement, charge);
    const { fetchedAt, dependencies } = meter.receipt;
    const answer: Answer = { kind: 'answer', operation: operation.name, data, errors, charge, balance, fetchedAt };
    if (key === null || dependencies === null || errors.length > 0 || !isAllHeld(charge)) return answer;
    const { render } = call;
    return spending.measured(() => {
      const kept = render ? { ...answer, data: null, rendered: render(answer) } : answer;
      options.answers.keep(key, kept, dependencies);
      return kept;
    });
  } finally {
    purse.close();
  }
}

/** The same operation with the same variables, rendered by the same interface. */
const keyOf = (call: Call, { operation, variables }: Prepared): string =>
  `${call.interface} ${operation.id} ${JSON.stringify(variables)}`;

/** What the ledger calls it (M30): ours by their names, and a caller's own as far as there may be one more. */
const nameOf = ({ names }: ServeOptions, { accountId }: Caller, { isOurs, priced, kind, name }: Operation) =>
  isOurs || !priced || name === kind ? name : names.keep(accountId, name);

/** Whose charge it is, and until when. */
interface Due {
  readonly options: ServeOptions;
  readonly request: Request;
  readonly caller: Caller;
  readonly purse: Purse;
  /** What the ledger calls the operation. */
  readonly name: string | Promise<string>;
}

async function post({ options, request, caller, purse, name }: Due, charge: Charge): Promise<Thousandths> {
  const { ledger, monotonic, tracing, spent } = options;
  const { call, deadline } = request;
  const { requestId } = call;
  const { atMs: deadlineAtMs, gone } = deadline;
  const at = { ledger, monotonic, caller, purse, requestId, operation: name, deadlineAtMs, gone };
  if (charge.amount === 0) return deadline.within(settle(at, charge));
  const balance = await tracing.span('ledger post', {}, () => settle(at, charge));
  spent(caller.accountId);
  return balance;
}

/** Until the caller is gone, or the deadline (S13). */
const errandOf = (options: ServeOptions, { accountId }: Caller, { signal, atMs }: Deadline, place: Place): Errand =>
  new Errand({
    accountId,
    signal,
    deadlineAtMs: atMs,
    mark: options.tracing.here(),
    beforeNetwork: () => place.waitForNetwork(),
  });

/** Processor time of a value of a free list until it is sent, in milliseconds: less than was seen on a slow machine. */
const VALUE_MS = 0.002;

/** What resolvers are given. */
const contextOf = ({ options, request, caller }: Due, spending: Spending, meter: Meter, errand: Errand) => ({
  reads: new Reads(options.sources, meter, errand),
  account: new Account({
    ledger: options.ledger,
    clock: options.clock,
    caller,
    signal: errand.signal,
    completing: (values) => spending.spend(values * VALUE_MS),
  }),
  billing: options.billing.desk(caller, request.call.address),
});

const run = ({ operation, variables, spending }: Prepared, call: Call, context: ReturnType<typeof contextOf> | null) =>
  spending.measured(() =>
    call.run && !operation.keyless ? call.run(operation, context, variables) : operation.run(context, variables),
  );

async function execute(prepared: Prepared, call: Call, context: ReturnType<typeof contextOf>, errand: Errand) {
  try {
    return await within(errand.signal, run(prepared, call, context));
  } catch (error) {
    if (!errand.signal.aborted) throw error;
    throw new ServiceError('upstream_error', 'The network did not answer in time. Nothing was charged.', {
      cause: error,
    });
  }
}

const ageOf = (fetchedAt: number | undefined, now: number): number | undefined =>
  fetchedAt === undefined ? undefined : Math.max(0, Math.floor((now - fetchedAt) / 1000));

function tooFast(rate: RateDecision): ServiceError {
  const message = `More than ${rate.limit} requests a second. Try again in ${rate.retryAfterSeconds} s; nothing was charged.`;
  return new ServiceError('rate_limited', message, { retryAfter: rate.retryAfterSeconds });
}

const noKey = (call: Call): string =>
  `Reads need a key: send it as x-api-key, or as Authorization: Bearer.${call.credential.hasQueryKey ? ' A key in the query string is not accepted: rotate it.' : ''}`;

/** What a field failed with, as the engine knows it: what a resolver did not throw is a fault of ours. */
export const failureOf = (error: GraphQLError): ServiceError => asServiceError(error.originalError ?? error);
