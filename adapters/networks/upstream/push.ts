import { z } from 'zod';
import type { ListRef } from '../../../src/domain/lists.js';
import { backgroundTimers, monotonic } from '../../../src/lib/monotonic.js';
import type { Clock } from '../../../src/ports/clock.js';
import type { Push, PushListener, PushLog, PushState } from '../../../src/ports/network.js';
import { PushSocket, type SocketOptions, type SocketTimes } from './push-socket.js';
import { problemIn } from './readable.js';

/** What one message says. */
export type PushMessage =
  /** Something new in the list of this name, made at this time, Unix milliseconds. */
  | { readonly name: string; readonly madeAt: number }
  /** The message does not concern lists. */
  | 'nothing'
  /** The server refuses to announce anything on this connection. */
  | 'refused';

/** JSON, parsed. */
export const jsonText = z.string().transform((text, { addIssue }): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    addIssue({ code: 'custom', message: 'is no JSON' });
    return z.NEVER;
  }
});

/** How one network announces what is new, over a WebSocket. */
export interface PushProtocol {
  readonly address: SocketOptions['address'];
  /** The name of a list in messages; null: the network does not announce what is new in it. */
  nameOf(list: ListRef): string | null;
  /** The message that names all followed lists. Left out where the network announces everything anyway. */
  wanted?(names: readonly string[]): string;
  readonly message: z.ZodType<PushMessage>;
  /** Whether the server announces everything that is new in a list once it has read the list's name. */
  readonly isComplete: boolean;
}

/** The most lists of one connection. Lists beyond that are only read. */
const MOST_LISTS = 10_000;
/** The least time between two messages that name the lists, milliseconds. */
const NAME_EVERY_MS = 1_000;
/** Messages that cannot be read are logged together, at most once in this time, milliseconds. */
const LOG_EVERY_MS = 60_000;

export interface PushOptions {
  readonly protocol: PushProtocol;
  readonly log: PushLog;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly random?: () => number;
  readonly times?: SocketTimes;
}

interface FollowedList {
  readonly listener: PushListener;
  /** Which message first named it on this connection; null: none yet. */
  namedIn: number | null;
  isComplete: boolean;
}

/** A network's lists over one WebSocket, which is open while any of them is followed. */
export class PushedLists implements Push {
  readonly #options: PushOptions;
  readonly #socket: PushSocket;
  readonly #lists = new Map<string, FollowedList>();
  #isClosed = false;
  /** How often the lists were named. */
  #named = 0;
  #cancelNaming: (() => void) | null = null;
  #unread = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;
  readonly #counts = { announced: 0, unreadable: 0 };

  constructor(options: PushOptions) {
    this.#options = options;
    const { protocol, log, userAgent, clock, random = Math.random, times } = options;
    this.#socket = new PushSocket({
      address: (lostAt) => protocol.address(lostAt),
      ...{ userAgent, clock, random, times },
      onConnection: (isConnected, reason) => log.onConnection(isConnected, reason),
      onOpen: () => this.#name(),
      onText: (text) => this.#receive(text),
      onPong: (text) => this.#confirm(Number(text)),
      onLost: () => this.#lose(),
    });
  }

  get state(): PushState {
    return { isConnected: this.#socket.isConnected, lists: this.#lists.size, ...this.#counts };
  }

  follow(list: ListRef, listener: PushListener): (() => void) | undefined {
    const name = this.#options.protocol.nameOf(list);
    if (this.#isClosed || name === null || this.#lists.has(name) || this.#lists.size >= MOST_LISTS) return undefined;
    const followed = { listener, namedIn: null, isComplete: false };
    this.#lists.set(name, followed);
    this.#socket.need();
    this.#nameSoon();
    return () => {
      if (this.#lists.get(name) !== followed) return;
      this.#lists.delete(name);
      this.#nameSoon();
      if (this.#lists.size === 0) this.#socket.spare();
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.close();
  }

  #nameSoon(): void {
    this.#cancelNaming ??= backgroundTimers.after(NAME_EVERY_MS, () => this.#name());
  }

  /** Names all lists followed now, and sends a ping, whose answer shows that the server has read the names. */
  #name(): void {
    this.#cancelNaming?.();
    this.#cancelNaming = null;
    const { wanted } = this.#options.protocol;
    // The server takes an empty list of names to mean every account.
    if (wanted === undefined || this.#lists.size === 0 || !this.#socket.isConnected) return;
    if (!this.#socket.send(wanted([...this.#lists.keys()]), String(this.#named + 1))) {
      this.#nameSoon();
      return;
    }
    this.#named += 1;
    for (const list of this.#lists.values()) list.namedIn ??= this.#named;
  }

  #confirm(named: number): void {
    if (!this.#options.protocol.isComplete || !(named <= this.#named)) return;
    for (const list of [...this.#lists.values()]) {
      if (list.isComplete || list.namedIn === null || list.namedIn > named) continue;
      list.isComplete = true;
      list.listener.onComplete(true);
    }
  }

  #lose(): void {
    for (const list of [...this.#lists.values()]) {
      list.namedIn = null;
      if (!list.isComplete) continue;
      list.isComplete = false;
      list.listener.onComplete(false);
    }
  }

  #receive(text: string): void {
    const { data: said, error } = this.#options.protocol.message.safeParse(text);
    if (error !== undefined) this.#countUnreadable(problemIn(error));
    else if (said === 'refused') this.#socket.drop('the server refused to announce new items');
    else if (said !== 'nothing') this.#announce(said);
  }

  #announce({ name, madeAt }: Exclude<PushMessage, string>): void {
    const list = this.#lists.get(name);
    if (list === undefined) return;
    this.#counts.announced += 1;
    list.listener.onNew(madeAt);
  }

  #countUnreadable(problem: string): void {
    this.#counts.unreadable += 1;
    this.#unread += 1;
    if (monotonic.now() - this.#loggedAt < LOG_EVERY_MS) return;
    this.#options.log.onUnreadable(this.#unread, problem);
    this.#loggedAt = monotonic.now();
    this.#unread = 0;
  }
}
