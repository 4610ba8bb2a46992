import { randomUUID } from 'node:crypto';
import { fromPlain, type PlainFailure, plainFailure, ServiceError } from '../../src/domain/errors.js';
import { repeat } from '../../src/lib/poll.js';
import type { SingleFlight } from '../../src/ports/cache.js';
import type { Time } from '../../src/ports/clock.js';
import { FlightLocks, LANDED_CHANNEL, type Leading, LOCK_MS } from './flight-lock.js';
import type { RedisLink } from './link.js';

/** The first checks come soon, since a message may come before the subscription does; later ones in case it is lost. */
const LOOK_MS = [20, 50, 100, 250] as const;

/** The longest that waiters wait for a leader, and that it renews its lock: far beyond the deadline of any read. */
const LONGEST_MS = 120_000;

/** Leaders that a caller waits for in a row before it reads for itself. */
const LEADERS = 10;

/** The result of a read. */
type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** The stored form: an outcome, or a note that it was not stored. */
type Written =
  | { readonly value: unknown }
  | { readonly failure: PlainFailure }
  | { readonly message: string }
  | { readonly untold: true };

const LARGEST_BYTES = 8 * 1024 * 1024;

const UNTOLD = JSON.stringify({ untold: true } satisfies Written);

function toFailed(error: unknown): Written {
  if (!(error instanceof ServiceError)) {
    return { message: error instanceof Error ? error.message : String(error) };
  }
  return { failure: plainFailure(error) };
}

/** The stored form of an outcome. A value that is not JSON, or too large to pass around, is not stored. */
function writeOutcome(outcome: Outcome): string {
  if ('value' in outcome && outcome.value === undefined) return UNTOLD;
  try {
    const text = JSON.stringify('value' in outcome ? outcome : toFailed(outcome.error));
    return Buffer.byteLength(text) > LARGEST_BYTES ? UNTOLD : text;
  } catch {
    return UNTOLD;
  }
}

/** Undefined: the outcome was not stored. */
function readOutcome(text: string): Outcome | undefined {
  const written = JSON.parse(text) as Written;
  if ('value' in written) return written;
  if ('untold' in written) return undefined;
  return { error: 'failure' in written ? fromPlain(written.failure) : new Error(written.message) };
}

interface Shared {
  readonly outcome: Outcome;
  readonly led: boolean;
}

const settle = async (read: () => Promise<unknown>): Promise<Outcome> => {
  try {
    return { value: await read() };
  } catch (error) {
    return { error };
  }
};

/** Renews a flight's lock until it is stopped, or until any read should long be over. */
function keepRenewing({ monotonic, timers }: Time, locks: FlightLocks, flight: Leading): () => void {
  const untilMs = monotonic.now() + LONGEST_MS;
  const stop = repeat(timers, LOCK_MS / 3, () => {
    if (monotonic.now() > untilMs) stop();
    else void locks.renew(flight);
  });
  return stop;
}

export interface RedisSingleFlightOptions {
  readonly link: RedisLink;
  /** What is read (see `RedisStoresOptions`). */
  readonly source: string;
  /** This process's own flights: of all callers that join a flight in this process, one uses Redis. */
  readonly local: SingleFlight;
}

/** One read at a time per key across all nodes; while Redis is away, one on each node. */
export function createRedisSingleFlight({ link, source, local }: RedisSingleFlightOptions): SingleFlight {
  const { time } = link;
  const notifier = new Notifier(link, LANDED_CHANNEL);
  const locks = new FlightLocks(link);

  async function lead(flight: Leading, read: () => Promise<unknown>): Promise<Shared> {
    const stopRenewing = keepRenewing(time, locks, flight);
    const outcome = await settle(read);
    stopRenewing();
    await locks.land(flight, () => writeOutcome(outcome));
    return { outcome, led: true };
  }

  /** The outcome of the leader's read. `gone`: the leader never finished; undefined: the outcome cannot be known. */
  async function follow(flight: Leading): Promise<Outcome | 'gone' | undefined> {
    const untilMs = time.monotonic.now() + LONGEST_MS;
    for (let looks = 0; time.monotonic.now() < untilMs; looks += 1) {
      await notifier.wait(flight.token, LOOK_MS[Math.min(looks, LOOK_MS.length - 1)] ?? 0);
      const seen = await locks.look(flight);
      if (seen === undefined) return undefined;
      if (seen.result !== null) return readOutcome(seen.result);
      if (!seen.leads) return 'gone';
    }
    return undefined;
  }

  async function share(key: string, read: () => Promise<unknown>): Promise<Shared> {
    const token = randomUUID();
    for (let leaders = 0; leaders < LEADERS; leaders += 1) {
      const leader = await locks.acquire({ source, key, token });
      if (leader === token) return lead({ source, key, token }, read);
      const outcome = leader === undefined ? undefined : await follow({ source, key, token: leader });
      if (outcome === undefined) break;
      if (outcome !== 'gone') return { outcome, led: false };
    }
    return { outcome: await settle(read), led: true };
  }

  return {
    async join<T>(key: string, read: () => Promise<T>) {
      const { value: shared, led } = await local.join(key, () => share(key, read));
      if ('error' in shared.outcome) throw shared.outcome.error;
      return { value: shared.outcome.value as T, led: led && shared.led };
    },
  };
}

/** Wakes the waiters for a message on a channel when it comes, or after a limited time, since it may be lost. */
class Notifier {
  readonly #link: RedisLink;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(link: RedisLink, channel: string) {
    this.#link = link;
    link.subscribe(channel, (word) => {
      for (const wake of this.#waiting.get(word) ?? []) wake();
    });
  }

  wait(word: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(word) ?? new Set();
      this.#waiting.set(word, waiting);
      const wake = () => {
        cancel();
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(word);
        resolve();
      };
      const cancel = this.#link.time.timers.after(ms, wake);
      waiting.add(wake);
    });
  }
}
