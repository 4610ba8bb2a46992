import type { ProcessorBudget } from '../access/processor-time.js';
import type { BoundedMap } from '../lib/bounded-map.js';
import { bytesOf } from '../lib/bytes-of.js';
import { digestText, shortName } from '../lib/digest.js';
import { Memories } from '../lib/memories.js';
import { exactJson } from '../lib/text.js';
import type { WorstCase } from './planner.js';
import type { Operation } from './prepare.js';
import type { Checks } from './rules.js';
import { checkSize } from './variables.js';

/** The variables of one call of an operation, and everything that follows from them alone. */
export interface Priced {
  /** With defaults applied. */
  readonly variables: Record<string, unknown>;
  /** The most that the call can cost. */
  readonly worst: WorstCase;
  /** Identifies the operation with these variables, however they were written. */
  readonly id: string;
}

/** The members of an operation that are needed here. */
type Pricing = Pick<Operation, 'id' | 'coerce' | 'worst'>;

/** Most characters of the variables as JSON. Longer ones seldom repeat, and would displace many others. */
const LONGEST = 8192;

/** Memory of the objects around the variables. Measured, rounded up. */
const PRICED_BYTES = 400;

/**
 * Variables that were checked and priced before: the same ones pass the same checks at the same price, and checking
 * them takes longer than looking them up.
 */
export class PricedVariables {
  readonly #priced: BoundedMap<Priced>;
  /**
   * By identity: a repeated request passes the same object, which is never changed. An entry lives as long as it does.
   */
  readonly #sent = new WeakMap<object, { readonly operation: Pricing; readonly priced: Priced }>();
  /** The checks of the network that the calls read. */
  readonly checks: Checks;

  constructor(checks: Checks, memories = new Memories()) {
    this.checks = checks;
    this.#priced = memories.map('priced_variables', {
      weigh: ({ variables }) => PRICED_BYTES + bytesOf(variables),
    });
  }

  /**
   * Throws `bad_request` or `DocumentError` if the variables are invalid. `measured` runs the work on variables that are
   * not known yet.
   */
  of(operation: Pricing, sent: Record<string, unknown>, measured: ProcessorBudget['measured']): Priced {
    const before = this.#sent.get(sent);
    if (before !== undefined && before.operation === operation) return before.priced;
    const priced = this.#find(operation, sent, measured);
    this.#sent.set(sent, { operation, priced });
    return priced;
  }

  #find(operation: Pricing, sent: Record<string, unknown>, measured: ProcessorBudget['measured']): Priced {
    // Bounds the depth and the time of the next line.
    checkSize(sent);
    const text = exactJson(sent);
    if (text === undefined || text.length > LONGEST) return measured(() => this.#price(operation, sent));
    const key = shortName(`${operation.id} ${text}`);
    const known = this.#priced.get(key);
    if (known) return known;
    const made = measured(() => this.#price(operation, sent));
    this.#priced.set(key, made);
    return made;
  }

  #price(operation: Pricing, sent: Record<string, unknown>): Priced {
    const variables = Object.freeze(operation.coerce(sent));
    const id = digestText(`${operation.id} ${JSON.stringify(variables)}`);
    return { variables, worst: operation.worst(variables, this.checks), id };
  }
}
