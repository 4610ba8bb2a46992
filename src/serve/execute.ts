import type { GraphQLError } from 'graphql';
import type { WorkSlot } from '../access/work-slots.js';
import { Account } from '../account/account.js';
import type { Executed, Operation } from '../documents/prepare.js';
import { OWN_SUBSCRIPTIONS } from '../domain/costs.js';
import type { Thousandths } from '../domain/credits.js';
import { asServiceError, badRequest, ServiceError } from '../domain/errors.js';
import { abortable } from '../lib/abort.js';
import { andThen, concluded, type Soon } from '../lib/soon.js';
import { Meter, shortageError } from '../metering/meter.js';
import { itemsOfList, PaidItems } from '../metering/paid-items.js';
import { type Charge, Receipt } from '../metering/receipt.js';
import { post, type Settlement, settle } from '../metering/settle.js';
import { type SpendingLimit, unlimited } from '../metering/spending-limit.js';
import type { Caller } from '../ports/accounts.js';
import type { CallerWatches } from '../ports/watches.js';
import { CallContext } from '../read/call-context.js';
import { Reads } from '../read/reads.js';
import { type Basis, isAllCached } from './answer-cache.js';
import type { Answer, Call } from './call.js';
import type { Deadline } from './deadline.js';
import type { Serving } from './options.js';
import type { Prepared, Request } from './request.js';
import type { Side } from './side.js';

/** Answers introspection and estimates: no spending limit is opened, and nothing is read or charged. */
export async function unpaid(options: Serving, prepared: Prepared, caller: Caller | null, call: Call): Promise<Answer> {
  const { operation, estimate } = prepared;
  const nothing = { operation: operation.name, charge: new Receipt().fold(), fetchedAt: undefined };
  const balance = caller && (await options.ledger.balance(caller)).balance;
  if (prepared.dryRun) return { kind: 'answer', ...nothing, data: null, errors: [], balance, estimate };
  const { data = null, errors = [], dataText }: Executed = await run(prepared, call, null);
  return { kind: 'answer', ...nothing, data, errors, balance, ...(dataText !== undefined && { dataText }) };
}

/** An answer to be paid for, and the cached values that its reuse depends on; null if it cannot be reused. */
interface Made {
  readonly answer: Omit<Answer, 'balance'>;
  readonly basis: Basis | null;
}

/** Steps 4 to 6: finds a kept answer or makes one, within what the caller can spend, and settles its charge. */
export function paid(options: Serving, prepared: Prepared, caller: Caller, request: Request): Soon<Answer> {
  const { call, deadline } = request;
  const { operation, side } = prepared;
  const key =
    operation.impersonal && !call.run && !call.follow?.notBefore && !call.follow?.mayBePaid
      ? answerKey(call, prepared)
      : null;
  const found = key === null ? undefined : deadline.race(side.answerCache.find(key));
  return andThen(found, (kept) =>
    andThen(
      kept && paidAtOnce(options, prepared, caller, request, kept),
      (answer) => answer ?? paidFromBalance(options, prepared, caller, request, { key, wasKept: kept !== undefined }),
    ),
  );
}

/**
 * Charges the kept answer without reading the balance first: its price is exact, and the ledger decides. Undefined if
 * the balance may not cover it or the ledger refuses; the caller then has to read the balance to decide what to answer.
 */
function paidAtOnce(
  options: Serving,
  { operation, budget, sharedBudget, side }: Prepared,
  caller: Caller,
  request: Request,
  kept: Answer,
): Soon<Answer | undefined> {
  const { amount } = kept.charge;
  const limit = options.walletCache.openAtPrice(caller, amount, budget ?? Number.POSITIVE_INFINITY, sharedBudget);
  if (limit === undefined) return undefined;
  return concluded(
    () => {
      if (request.call.signal.aborted) throw request.call.signal.reason;
      limit.take(amount);
      const at = toSettlement({ options, request, caller, limit, side, name: receiptName(options, caller, operation) });
      return options.tracing.span('ledger post', {}, () => post(at, kept.charge));
    },
    (posted) => {
      limit.close();
      if (!posted.ok) {
        // The same call goes on, and may spend this after all.
        sharedBudget?.plan(-amount);
        return undefined;
      }
      side.spent(caller.accountId);
      side.costs?.delivered(costName(operation), kept.charge);
      return { ...kept, balance: posted.balance };
    },
    (error) => {
      limit.close();
      throw error;
    },
  );
}

/** Makes an answer within what the caller can spend. The balance is read first, unless it is known to be ample. */
async function paidFromBalance(
  options: Serving,
  prepared: Prepared,
  caller: Caller,
  request: Request,
  { key, wasKept }: { readonly key: string | null; readonly wasKept: boolean },
): Promise<Answer> {
  const { call, deadline } = request;
  const { operation, budget, sharedBudget, estimate, side } = prepared;
  const paidItems = await findPaid(options, caller, request);
  const open = () =>
    options.walletCache.open(caller, estimate.maxAmount, budget ?? Number.POSITIVE_INFINITY, sharedBudget);
  const limit = paidItems ? unlimited() : await deadline.race(open());
  try {
    if (estimate.maxAmount > 0 && limit.left <= 0)
      throw shortageError(limit.shortage, 'This is a paid read', limit.left);
    const name = receiptName(options, caller, operation);
    const kept = wasKept ? await find(side, key, limit, deadline) : undefined;
    const made = kept ?? (await make(options, prepared, caller, { limit, paidItems }, request));
    // A caller who has disconnected by now pays nothing; from here on the answer is charged (M18).
    if (call.signal.aborted) throw call.signal.reason;
    if (paidItems !== null) {
      const { balance } = await options.ledger.balance(caller);
      const { charge } = made.answer;
      const lines = charge.lines.map((line) => ({ ...line, unitPrice: 0 }));
      return { ...made.answer, charge: { ...charge, amount: 0, lines }, balance };
    }
    const balance = await charge({ options, request, caller, limit, side, name }, made.answer.charge);
    if (operation.priced) side.costs?.delivered(costName(operation), made.answer.charge);
    return keep(call, prepared, key, { ...made, answer: { ...made.answer, balance } });
  } finally {
    limit.close();
  }
}

/**
 * What was already paid for under the id of this request, although the answer may have been lost; null if nothing was.
 * The new answer contains no more than that.
 */
async function findPaid(
  { ledger }: Serving,
  { accountId }: Caller,
  { call, deadline }: Request,
): Promise<PaidItems | null> {
  if (!call.follow?.mayBePaid) return null;
  const paid = await deadline.race(ledger.receipt(accountId, call.requestId));
  if (paid === undefined) return null;
  const { amount, at, lines } = paid;
  call.follow.paid = { amount, items: itemsOfList(lines), atMs: Date.parse(at) };
  return new PaidItems(lines);
}

/** A kept answer to the same call, if all of it is still cached and the spending limit allows it. */
async function find(
  { answerCache }: Side,
  key: string | null,
  limit: SpendingLimit,
  deadline: Deadline,
): Promise<Made | undefined> {
  const known = key === null ? undefined : await deadline.race(answerCache.find(key));
  if (!known || limit.left < known.charge.amount) return undefined;
  limit.take(known.charge.amount);
  return { answer: known, basis: null };
}

async function make(
  options: Serving,
  prepared: Prepared,
  caller: Caller,
  { limit, paidItems }: { readonly limit: SpendingLimit; readonly paidItems: PaidItems | null },
  { call, deadline, record, slot }: Request,
): Promise<Made> {
  const { operation, estimate, side } = prepared;
  const meter = new Meter(limit, estimate.maxAmount, operation.ranks, options.timers, paidItems);
  const callContext = createCallContext(options, prepared, caller, deadline, slot);
  record.callContext = callContext;
  const context = createContext(options, prepared, caller, call, { meter, callContext });
  const tombstonesVersion = side.sources.tombstones.version;
  const { data = null, errors = [] } = await execute(prepared, call, context, callContext);
  // Refuses the whole call, not one field: otherwise the caller would call again for the rest.
  if (callContext.refusal !== undefined) throw callContext.refusal;
  const { follow } = call;
  const followed = follow?.followed;
  if ((call.allOrNothing || (follow && !followed)) && errors[0]) throw fieldFailure(errors[0]);
  if (follow && !followed) throw badRequest('This subscription follows nothing: its field is skipped.', 'query');
  const charge = meter.receipt.fold('page', operation.fieldPaths);
  const { fetchedAt, dependencies } = meter.receipt;
  const read = { operation: operation.name, data, errors, charge, fetchedAt };
  const answer = { kind: 'answer', ...read, ...(followed && { followed }) } as const;
  if (errors.length > 0 || dependencies === null || !isAllCached(charge)) return { answer, basis: null };
  return { answer, basis: { dependencies, tombstonesVersion } };
}

/** The answer as it is sent, kept for reuse if it can be. */
function keep(
  { render }: Call,
  { processorBudget, side }: Prepared,
  key: string | null,
  { answer, basis }: { readonly answer: Answer } & Pick<Made, 'basis'>,
): Answer {
  if (key === null || basis === null) return answer;
  return processorBudget.measured(() => {
    const kept = render ? { ...answer, data: null, rendered: render(answer) } : answer;
    side.answerCache.store(key, kept, basis);
    return kept;
  });
}

/** The same operation with the same variables, rendered by the same interface. */
const answerKey = (call: Call, { id }: Prepared): string =>
  `${call.interface} ${id}${call.follow ? ` ${call.follow.since}` : ''}`;

/**
 * The operation's name in the ledger: persisted operations keep theirs, and a caller's own is kept while the
 * account has room for another.
 */
const receiptName = ({ names }: Serving, { accountId }: Caller, { isPersisted, priced, kind, name }: Operation) =>
  isPersisted || !priced || name === kind ? name : names.keep(accountId, name);

/**
 * The operation's name in the sums of costs. Names chosen by callers are not used: they may equal a persisted one's.
 */
function costName({ isPersisted, kind, name }: Operation): string {
  if (isPersisted) return name;
  return kind === 'subscription' ? OWN_SUBSCRIPTIONS : '';
}

/** What posting a charge needs. */
interface Due {
  readonly options: Serving;
  readonly request: Request;
  readonly caller: Caller;
  readonly limit: SpendingLimit;
  readonly side: Side;
  /** The operation's name in the ledger. */
  readonly name: string | Promise<string>;
}

async function charge(due: Due, owed: Charge): Promise<Thousandths> {
  const { options, request, caller, side } = due;
  const at = toSettlement(due);
  if (owed.amount === 0) return request.deadline.race(settle(at, owed));
  const balance = await options.tracing.span('ledger post', {}, () => settle(at, owed));
  side.spent(caller.accountId);
  return balance;
}

const toSettlement = ({ options, request, caller, limit, name }: Due): Settlement => ({
  ledger: options.ledger,
  monotonic: options.monotonic,
  timer: options.timer,
  caller,
  limit,
  requestId: request.call.requestId,
  operation: name,
  deadlineAtMs: request.deadline.atMs,
  signal: request.deadline,
});

/** Aborted when the caller disconnects, or at the deadline. */
const createCallContext = (
  options: Serving,
  { operation, side }: Prepared,
  { accountId }: Caller,
  { signal, atMs }: Deadline,
  slot: WorkSlot,
): CallContext =>
  new CallContext({
    accountId,
    signal,
    deadlineAtMs: atMs,
    mark: options.tracing.here(),
    spending: side.costs?.spendingOf(costName(operation)),
    slot,
  });

/**
 * Processor time to complete and send one value of a free list, in milliseconds: less than was measured on a slow
 * machine.
 */
const VALUE_MS = 0.002;

/** The context passed to resolvers. */
const createContext = (
  options: Serving,
  { processorBudget, side }: Prepared,
  caller: Caller,
  { address, follow }: Call,
  { meter, callContext }: { meter: Meter; callContext: CallContext },
) => {
  let watches: CallerWatches | undefined;
  return {
    reads: new Reads(side.sources, meter, callContext),
    account: new Account({
      ledger: options.ledger,
      clock: options.clock,
      caller,
      signal: callContext.signal,
      completing: (values) => processorBudget.spend(values * VALUE_MS),
    }),
    billing: options.billing.forCaller(caller, address),
    // Created only when used, because few operations are about watches.
    get watches() {
      watches ??= options.watches.forCaller(caller, address, () => callContext.signal);
      return watches;
    },
    follow,
  };
};

const run = (
  { operation, variables, processorBudget }: Prepared,
  call: Call,
  context: ReturnType<typeof createContext> | null,
) =>
  processorBudget.measured(() =>
    call.run && !operation.keyless ? call.run(operation, context, variables) : operation.run(context, variables),
  );

async function execute(
  prepared: Prepared,
  call: Call,
  context: ReturnType<typeof createContext>,
  callContext: CallContext,
) {
  try {
    return await abortable(callContext.signal, run(prepared, call, context));
  } catch (error) {
    if (!callContext.signal.aborted) throw error;
    throw new ServiceError('upstream_error', 'The network did not respond in time. Nothing was charged.', {
      cause: error,
    });
  }
}

/** A field's failure as a ServiceError; an error that no resolver threw becomes `internal`. */
export const fieldFailure = (error: GraphQLError): ServiceError => asServiceError(error.originalError ?? error);
