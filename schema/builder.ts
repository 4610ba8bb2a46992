import SchemaBuilder from '@pothos/core';
import type { Account } from '../src/account/account.js';
import type { CallerBilling } from '../src/billing/billing.js';
import { toCredits } from '../src/domain/credits.js';
import type { ArgRule, Price } from '../src/domain/fields.js';
import type { ListKind } from '../src/domain/lists.js';
import type { Tweet, User } from '../src/domain/model.js';
import { UNITS, type Unit } from '../src/domain/prices.js';
import type { CallerWatches } from '../src/ports/watches.js';
import type { FollowCall } from '../src/read/newer.js';
import type { Reads } from '../src/read/reads.js';

/** The context of resolvers: the reads of this operation, the caller's account, its billing and its watches. */
export interface Context {
  readonly reads: Reads;
  readonly account: Account;
  readonly billing: CallerBilling;
  readonly watches: CallerWatches;
  /** The list that the operation follows, if it is a subscription. */
  readonly follow?: FollowCall;
}

export const builder = new SchemaBuilder<{
  Context: Context;
  DefaultFieldNullability: true;
  Scalars: {
    ID: { Input: string; Output: string };
    Count: { Input: number; Output: number };
    Credits: { Input: number; Output: number };
    DateTime: { Input: string; Output: string };
  };
}>({});

/** Declared before their fields, because users have tweets and tweets have users. */
export const UserRef = builder.objectRef<User>('User');
export const TweetRef = builder.objectRef<Tweet>('Tweet');

/**
 * `price` as field extensions, which the planner reads and the SDL printer prints as a directive. `list`: the list that
 * the field reads, if any.
 */
export function priced(price: Price, list?: ListKind): { extensions: Record<string, unknown> } {
  const { unit, items } = price;
  return {
    extensions: { price, list, directives: { price: { credits: toCredits(UNITS[unit].price), per: unit, items } } },
  };
}

/** An argument's rule, as extensions of the argument. */
export const rule = (argRule: ArgRule): { extensions: { rule: ArgRule } } => ({ extensions: { rule: argRule } });

/** The sentence that ends every priced description, so that a price is stated in one place only. */
export const costs = (unit: Unit, { isStream = false } = {}): string => {
  const full = toCredits(UNITS[unit].price);
  const [rates, empty] = isStream ? ['', 'Waiting is free.'] : [', double with `fresh`', 'Empty results are free.'];
  return `Costs ${full} per item: half if cached (\`hit\`)${rates}. ${empty}`;
};
