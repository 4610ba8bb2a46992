import { z } from 'zod';
import type { ExportPage } from './client.js';
import type { ExportState } from './state.js';

export interface Measured {
  /** The list's name on the command line. */
  readonly list: string;
  /** Its subject, as typed. */
  readonly subject: string;
  /** Items; null: the whole list. */
  readonly limit: number | null;
  /** Thousandths. */
  readonly maxSpent: number;
}

const tweetShape = z.object({ author: z.object({ id: z.string(), handle: z.string(), tweets: z.int().min(0) }) });

/**
 * How far an export has come: in items if their number is known, otherwise in credits spent of those allowed. Each
 * tweet of a timeline carries its author's profile with the number of tweets; for other lists only a charged read would
 * tell their size.
 */
export class Measure {
  readonly #of: Measured;
  #size: number | null = null;

  constructor(of: Measured) {
    this.#of = of;
  }

  /** Takes the size of the list from the items of a page, if they contain it. */
  see(items: ExportPage['data']): void {
    if (this.#of.list !== 'tweets' || this.#size !== null) return;
    for (const item of items) {
      const { data } = tweetShape.safeParse(item);
      if (data && this.#isSubject(data.author)) this.#size = data.author.tweets;
    }
  }

  of({ items, spent, isComplete }: ExportState): { done: number; total: number } {
    const { limit, maxSpent } = this.#of;
    const size = Math.min(limit ?? Number.POSITIVE_INFINITY, this.#size ?? Number.POSITIVE_INFINITY);
    if (!Number.isFinite(size)) return { done: isComplete ? maxSpent : spent, total: maxSpent };
    return { done: isComplete ? size : items, total: size };
  }

  #isSubject({ id, handle }: { id: string; handle: string }): boolean {
    const subject = this.#of.subject.replace(/^@/, '').toLowerCase();
    return id === subject || handle.toLowerCase() === subject;
  }
}
