import type { Sale } from '../../../src/ports/sales.js';
import type { Payer } from '../../engine/ports/suites/ledger.suite.js';

/** An account whose owner has the same id, with an uncapped and a capped key, both of which have paid for something. */
export interface PayingCustomer extends Payer {
  readonly hash: Buffer;
  readonly email: string;
  readonly capped: Payer;
  /** The request id of a debit. */
  readonly paid: string;
  /** The test account, which is in another partition, with a key. */
  readonly test: { readonly accountId: string; readonly keyId: string; readonly hash: Buffer };
  readonly grant: { readonly grantId: string; readonly keyHash: Buffer; readonly refreshHash: Buffer };
  readonly sale: Sale;
  readonly alertId: string;
}

/** Prepares a call, and returns it. */
export type PortCall = (customer: PayingCustomer) => Promise<() => Promise<unknown>>;

type Ways = PlainCall | PreparedCall;
type PlainCall = (customer: PayingCustomer) => Promise<unknown>;
interface PreparedCall {
  readonly prepare: PortCall;
}

/** Calls of each method of a port: one, or several by name. */
export type PortCalls<Port> = { readonly [Method in keyof Port]: Ways | Readonly<Record<string, Ways>> };

/** A call that needs something made first. Making it is not part of the call. */
export const after = <Made>(
  make: (customer: PayingCustomer) => Promise<Made>,
  call: (made: Made, customer: PayingCustomer) => Promise<unknown>,
): PreparedCall => ({
  async prepare(customer) {
    const made = await make(customer);
    return () => call(made, customer);
  },
});

const isWay = (calls: Ways | Readonly<Record<string, Ways>>): calls is Ways =>
  typeof calls === 'function' || typeof calls.prepare === 'function';

/** All calls of some ports, by name. */
export const namedCalls = (
  ports: Readonly<Record<string, PortCalls<Record<string, unknown>>>>,
): [name: string, call: PortCall][] =>
  Object.entries(ports).flatMap(([port, methods]) =>
    Object.entries<Ways | Readonly<Record<string, Ways>>>(methods).flatMap(([method, calls]) =>
      Object.entries<Ways>(isWay(calls) ? { '': calls } : calls).map(([how, way]): [string, PortCall] => [
        `${port}.${method}${how === '' ? '' : `, ${how}`}`,
        typeof way === 'function' ? async (customer) => () => way(customer) : way.prepare,
      ]),
    ),
  );
