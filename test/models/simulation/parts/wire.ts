import type { Chance } from '../../../../demo/random.js';
import type { Clock, Timers } from '../../../../src/ports/clock.js';
import type { Trace } from './trace.js';

/** A process. When it dies, everything on its way to it is lost. */
export interface Host {
  readonly name: string;
  isAlive: boolean;
}

/** The other end of a wire, and its condition. */
export interface Station {
  readonly name: string;
  /** The least and the most milliseconds that a message takes each way. */
  readonly delayMs: readonly [number, number];
  /** Whether messages of one host, and the answers, arrive in the order they were sent, as on one connection. */
  readonly isOrdered: boolean;
  /** How many of a thousand messages are lost on the way there, and of a thousand answers on the way back. */
  lost: { there: number; back: number };
  /** How many of a thousand answers are slow, and the least and most milliseconds that takes. */
  slow: { perMille: number; ms: readonly [number, number] };
  isDown: boolean;
  /** The errors of a message to a station that is down, and of a lost connection. */
  readonly refused: () => Error;
  readonly broken: () => Error;
}

export interface WireOptions {
  readonly scheduler: Clock & Timers;
  readonly chance: Chance;
  readonly trace: Trace;
}

/** The arrival of a connection's last message, each way. */
interface Last {
  there: number;
  back: number;
}

/** Every call from a host to a station goes through here. The seed decides its fate. */
export class Wire {
  readonly #options: WireOptions;
  /** The arrival of the last message on each ordered connection. */
  readonly #lastAtMs = new Map<Host, Map<Station, Last>>();
  /** Called with the host before each of its messages or answers moves. */
  onMove: (host: Host) => void = () => {};

  constructor(options: WireOptions) {
    this.#options = options;
  }

  /** `effect` happens at the station at a single moment, once or never. */
  call<T>(host: Host, station: Station, what: string, effect: () => T | Promise<T>): Promise<T> {
    const { chance, trace } = this.#options;
    const label = `${host.name} ${station.name} ${what}`;
    return new Promise<T>((resolve, reject) => {
      const fail = (error: Error): void => {
        trace.add(label, `failed: ${error.message}`);
        reject(error);
      };
      const succeed = (value: T): void => {
        trace.add(label);
        resolve(value);
      };
      const back = (end: () => void): void => {
        const isLost = chance.int(1000) < station.lost.back;
        this.#move(host, station, 'back', isLost ? () => fail(station.broken()) : end);
      };
      this.#move(host, station, 'there', () => {
        if (station.isDown) return this.#move(host, station, 'back', () => fail(station.refused()));
        if (chance.int(1000) < station.lost.there) {
          return this.#move(host, station, 'back', () => fail(station.broken()));
        }
        trace.add(`${station.name} for ${label}`);
        let done: T | Promise<T>;
        try {
          done = effect();
        } catch (error) {
          return back(() => fail(error as Error));
        }
        if (!(done instanceof Promise)) return back(() => succeed(done as T));
        done.then(
          (value) => back(() => succeed(value)),
          (error: Error) => back(() => fail(error)),
        );
      });
    });
  }

  #move(host: Host, station: Station, way: 'there' | 'back', then: () => void): void {
    const { scheduler, chance } = this.#options;
    this.onMove(host);
    if (!host.isAlive && way === 'there') return;
    const nowMs = scheduler.now();
    let atMs = nowMs + chance.between(...station.delayMs);
    if (way === 'back' && chance.int(1000) < station.slow.perMille) atMs += chance.between(...station.slow.ms);
    if (station.isOrdered) {
      const last = this.#lastOf(host, station);
      atMs = Math.max(atMs, last[way]);
      last[way] = atMs;
    }
    scheduler.after(atMs - nowMs, () => {
      // What a process sent before its death still arrives.
      if (way === 'back' && !host.isAlive) return;
      then();
    });
  }

  #lastOf(host: Host, station: Station): Last {
    const ofHost = this.#lastAtMs.get(host) ?? new Map<Station, Last>();
    const last = ofHost.get(station) ?? { there: 0, back: 0 };
    this.#lastAtMs.set(host, ofHost.set(station, last));
    return last;
  }
}
