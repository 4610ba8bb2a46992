import type { Clock, Timers } from '../../../../src/ports/clock.js';

interface Due {
  readonly atMs: number;
  readonly nth: number;
  readonly then: () => void;
  cancelled: boolean;
}

/** How many steps run in one turn of the event loop, which takes longer than most steps. */
const STEPS_IN_TURN = 64;

/**
 * Time that moves from one event to the next. Events of the same moment happen in the order in which they were planned;
 * all that an event sets off (promises, `process.nextTick`) happens before the next event.
 */
export class Scheduler implements Clock, Timers {
  #nowMs = 0;
  #planned = 0;
  /** A heap: each event is due no later than the two at twice its index. */
  readonly #due: Due[] = [];

  now = (): number => this.#nowMs;

  after = (ms: number, then: () => void): (() => void) => {
    const due: Due = { atMs: this.#nowMs + Math.max(0, ms), nth: this.#planned++, then, cancelled: false };
    this.#push(due);
    return () => {
      due.cancelled = true;
    };
  };

  wait = (ms: number): Promise<void> => new Promise((resolve) => void this.after(ms, resolve));

  /** Runs until `isDone`, or until nothing is planned. Returns the number of events. Throws at `mostEvents`. */
  run(isDone: () => boolean, mostEvents: number): Promise<number> {
    let [events, isOver] = [0, false];
    const step = (): void => {
      const next = isDone() ? undefined : this.#next();
      if (next === undefined) {
        isOver = true;
        return;
      }
      events += 1;
      if (events > mostEvents) throw new Error(`still busy after ${mostEvents} events, at ${this.#nowMs} ms`);
      this.#nowMs = next.atMs;
      next.then();
    };
    return new Promise((resolve, reject) => {
      const turn = (nth: number): void => {
        if (isOver) return;
        try {
          step();
        } catch (error) {
          isOver = true;
          reject(error);
        }
        if (isOver) resolve(events);
        else if (nth === STEPS_IN_TURN) planTurn();
      };
      // Node runs all promises and ticks between two of these callbacks, although they are in the same turn.
      const planTurn = (): void => {
        for (let nth = 1; nth <= STEPS_IN_TURN; nth += 1) setImmediate(turn, nth);
      };
      planTurn();
    });
  }

  /** Takes the first event that was not cancelled. */
  #next(): Due | undefined {
    for (;;) {
      const next = this.#pop();
      if (next?.cancelled !== true) return next;
    }
  }

  #push(due: Due): void {
    const heap = this.#due;
    let at = heap.push(due) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as Due;
      if (isBefore(above, due)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = due;
  }

  #pop(): Due | undefined {
    const heap = this.#due;
    const [first] = heap;
    const last = heap.pop();
    if (last === undefined || first === last) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Due, heap[child] as Due)) child += 1;
      if (isBefore(last, heap[child] as Due)) break;
      heap[at] = heap[child] as Due;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

const isBefore = (one: Due, other: Due): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.nth < other.nth);
