import type { GraphQLError } from 'graphql';
import type { Place } from '../access/places.js';
import { Account } from '../account/account.js';
import type { Thousandths } from '../core/credits.js';
import { asServiceError, ServiceError } from '../core/errors.js';
import { Meter, shortOf } from '../metering/meter.js';
import type { Purse } from '../metering/purses.js';
import { type Charge, type Dependency, Receipt } from '../metering/receipt.js';
import { settle } from '../metering/settle.js';
import type { Caller } from '../ports/truth.js';
import { Errand } from '../read/errand.js';
import { Reads } from '../read/reads.js';
import { within } from '../read/within.js';
import { isAllHeld } from './answers.js';
import type { Answer, Call } from './call.js';
import type { Deadline } from './deadline.js';
import type { ServeOptions } from './options.js';
import type { Executed, Operation } from './prepare.js';
import type { Prepared, Request } from './request.js';

/** Introspection, and the price of a call before anything is read (M26): nothing is opened, read or charged. */
export async function unpaid(
  options: ServeOptions,
  prepared: Prepared,
  caller: Caller | null,
  call: Call,
): Promise<Answer> {
  const { operation, estimate } = prepared;
  const nothing = { operation: operation.name, charge: new Receipt().fold(), fetchedAt: undefined };
  const balance = caller && (await options.ledger.balance(caller.walletId, caller.keyId)).balance;
  if (prepared.dryRun) return { kind: 'answer', ...nothing, data: null, errors: [], balance, estimate };
  const { data = null, errors = [], dataText }: Executed = await run(prepared, call, null);
  return { kind: 'answer', ...nothing, data, errors, balance, ...(dataText !== undefined && { dataText }) };
}

/** What is to be paid for, and how it can be given again: null where it cannot. */
interface Made {
  readonly answer: Omit<Answer, 'balance'>;
  readonly dependencies: readonly Dependency[] | null;
}

/** Steps 4 to 6: the purse is opened, the answer found or made, and its charge settled. */
export async function paid(
  options: ServeOptions,
  prepared: Prepared,
  caller: Caller,
  request: Request,
): Promise<Answer> {
  const { call, deadline } = request;
  const { operation, budget, estimate } = prepared;
  const opening = options.purses.open(caller, estimate.maxAmount, budget ?? Number.POSITIVE_INFINITY);
  const purse = await deadline.within(opening);
  try {
    if (operation.priced && purse.left <= 0) throw shortOf(purse.shortage, 'This is a paid read', purse.left);
    const name = nameOf(options, caller, operation);
    const key = operation.impersonal && !call.run ? keyOf(call, prepared) : null;
    const made = (await find(options, key, purse, deadline)) ?? (await make(options, prepared, caller, purse, request));
    // Whoever is gone by now pays nothing; from here on the answer is paid (M18).
    call.signal.throwIfAborted();
    const balance = await post({ options, request, caller, purse, name }, made.answer.charge);
    return keep(options, call, prepared, key, { ...made, answer: { ...made.answer, balance } });
  } finally {
    purse.close();
  }
}

/** The answer that a call like it was given, if all of it is still held and the purse has as much. */
async function find(
  { answers }: ServeOptions,
  key: string | null,
  purse: Purse,
  deadline: Deadline,
): Promise<Made | undefined> {
  const known = key === null ? undefined : await deadline.within(answers.find(key));
  if (!known || purse.left < known.charge.amount) return undefined;
  purse.take(known.charge.amount);
  return { answer: known, dependencies: null };
}

async function make(
  options: ServeOptions,
  prepared: Prepared,
  caller: Caller,
  purse: Purse,
  { call, deadline, trail, place }: Request,
): Promise<Made> {
  const { operation, estimate } = prepared;
  const meter = new Meter(purse, estimate.maxAmount, operation.ranks);
  const errand = errandOf(options, caller, deadline, place);
  trail.errand = errand;
  const context = contextOf(options, caller, call, meter, errand);
  const { data = null, errors = [] } = await execute(prepared, call, context, errand);
  // Not one field of it, but the call is refused: it would come back for the rest.
  if (errand.refusal !== undefined) throw errand.refusal;
  if (call.allOrNothing && errors[0]) throw failureOf(errors[0]);
  const charge = meter.receipt.fold('page', operation.fieldPaths);
  const { fetchedAt, dependencies } = meter.receipt;
  const answer = { kind: 'answer', operation: operation.name, data, errors, charge, fetchedAt } as const;
  return { answer, dependencies: errors.length > 0 || !isAllHeld(charge) ? null : dependencies };
}

/** The answer as it is given, and kept to be given again where it can be. */
function keep(
  { answers }: ServeOptions,
  { render }: Call,
  { spending }: Prepared,
  key: string | null,
  { answer, dependencies }: { readonly answer: Answer } & Pick<Made, 'dependencies'>,
): Answer {
  if (key === null || dependencies === null) return answer;
  return spending.measured(() => {
    const kept = render ? { ...answer, data: null, rendered: render(answer) } : answer;
    answers.keep(key, kept, dependencies);
    return kept;
  });
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

/** What resolvers are given. */
const contextOf = (options: ServeOptions, caller: Caller, { address }: Call, meter: Meter, errand: Errand) => ({
  reads: new Reads(options.sources, meter, errand),
  account: new Account(options.ledger, options.clock, caller, errand.signal),
  billing: options.billing.desk(caller, address),
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

/** What a field failed with, as the engine knows it: what a resolver did not throw is a fault of ours. */
export const failureOf = (error: GraphQLError): ServiceError => asServiceError(error.originalError ?? error);
