import type { Chance } from '../../adapters/networks/corpus/demo/random.js';
import type { Clock, Timers } from '../../src/ports/clock.js';
import type { Trace } from './trace.js';

/** A process: what is on its way to it when it dies never arrives. */
export interface Host {
  readonly name: string;
  isAlive: boolean;
}

/** What is at the other end of a wire, and how it does. */
export interface Station {
  readonly name: string;
  /** Milliseconds that a message takes there or back: the least, and the most. */
  readonly delayMs: readonly [number, number];
  /** Messages of one host arrive in the order they were sent, and so do the answers: one connection. */
  readonly isOrdered: boolean;
  /** How many of a thousand messages are lost on the way there, and how many answers on the way back. */
  lost: { there: number; back: number };
  /** How many of a thousand answers take long, and how long: the least and the most. */
  slow: { perMille: number; ms: readonly [number, number] };
  isDown: boolean;
  /** The error of a message that met a station that is down, and that of a lost connection. */
  readonly refused: () => Error;
  readonly broken: () => Error;
}

export interface WireOptions {
  readonly scheduler: Clock & Timers;
  readonly chance: Chance;
  readonly trace: Trace;
}

/** Every call from a host to a station goes through here: the seed decides what becomes of it. */
export class Wire {
  readonly #options: WireOptions;
  /** When the last message of an ordered connection arrives, by host and station. */
  readonly #lastAtMs = new Map<string, number>();
  /** Called with each host whose message or answer moves, before it does. */
  onMove: (host: Host) => void = () => {};

  constructor(options: WireOptions) {
    this.#options = options;
  }

  /** `effect` happens at the station, at one moment, once or not at all. */
  call<T>(host: Host, station: Station, what: string, effect: () => T | Promise<T>): Promise<T> {
    const { chance, trace } = this.#options;
    const label = `${host.name} ${station.name} ${what}`;
    return new Promise<T>((resolve, reject) => {
      const fail = (error: Error): void => {
        trace.add(label, `failed: ${error.message}`);
        reject(error);
      };
      this.#move(host, station, 'there', async () => {
        if (station.isDown) return this.#move(host, station, 'back', () => fail(station.refused()));
        if (chance.int(1000) < station.lost.there) {
          return this.#move(host, station, 'back', () => fail(station.broken()));
        }
        trace.add(`${station.name} for ${label}`);
        const done = await Promise.resolve()
          .then(effect)
          .then(
            (value) => () => {
              trace.add(label);
              resolve(value);
            },
            (error: Error) => () => fail(error),
          );
        const isLost = chance.int(1000) < station.lost.back;
        this.#move(host, station, 'back', isLost ? () => fail(station.broken()) : done);
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
      const line = `${host.name} ${station.name} ${way}`;
      atMs = Math.max(atMs, this.#lastAtMs.get(line) ?? 0);
      this.#lastAtMs.set(line, atMs);
    }
    scheduler.after(atMs - nowMs, () => {
      // What a dead process has sent before still arrives.
      if (way === 'back' && !host.isAlive) return;
      then();
    });
  }
}
