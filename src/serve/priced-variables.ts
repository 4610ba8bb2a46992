import type { ProcessorBudget } from '../access/processor-time.js';
import type { BoundedMap } from '../core/bounded-map.js';
import { bytesOf } from '../core/bytes-of.js';
import { digestOf, shortName } from '../core/digest.js';
import { Memories } from '../core/memories.js';
import type { WorstCase } from './planner.js';
import type { Operation } from './prepare.js';
import { checkSize } from './variables.js';

/** The variables of one call of an operation, and what follows from them alone. */
export interface Priced {
  /** With defaults applied. */
  readonly variables: Record<string, unknown>;
  /** The most that the call can cost. */
  readonly worst: WorstCase;
  /** Identifies the operation with these variables, whichever way they were written. */
  readonly id: string;
}

/** Memory of the objects around the variables. Measured, rounded up. */
const PRICED_BYTES = 400;

/**
 * Variables that were checked and priced before: the same ones pass the same checks at the same price, and checking
 * them takes longer than looking them up.
 */
export class PricedVariables {
  readonly #priced: BoundedMap<Priced>;

  constructor(memories = new Memories()) {
    this.#priced = memories.map('priced_variables', {
      weigh: ({ variables }) => PRICED_BYTES + bytesOf(variables),
    });
  }

  /**
   * Throws `bad_request` or `DocumentError` if the variables are invalid. `measured` runs the work on variables that are
   * not known yet.
   */
  of(
    operation: Pick<Operation, 'id' | 'coerce' | 'worst'>,
    sent: Record<string, unknown>,
    measured: ProcessorBudget['measured'],
  ): Priced {
    // Bounds the depth and the time of the next line.
    checkSize(sent);
    const key = shortName(`${operation.id} ${JSON.stringify(sent)}`);
    const known = this.#priced.get(key);
    if (known) return known;
    return measured(() => {
      const variables = Object.freeze(operation.coerce(sent));
      const worst = operation.worst(variables);
      const priced = { variables, worst, id: digestOf(`${operation.id} ${JSON.stringify(variables)}`) };
      this.#priced.set(key, priced);
      return priced;
    });
  }
}
