import { Redis } from 'ioredis';
import { processTime } from '../../src/lib/monotonic.js';
import type { Clock, Time, Timers } from '../../src/ports/clock.js';
import { connectCluster, connectOne, isOfCluster, probe, type RedisClient } from './client.js';
import { Subscriptions } from './subscriptions.js';

export interface Log {
  info(text: string): void;
  warn(text: string): void;
}

export interface LinkState {
  readonly up: boolean;
  /** When the state last changed (Unix milliseconds). */
  readonly since: number;
  /** The latest error, also once Redis is up again. */
  readonly lastError: string | null;
}

/** The link to Redis, which may be away at any moment: nothing that uses it fails because of Redis. */
export interface RedisLink {
  /** The clock and timers of everything that waits for Redis. */
  readonly time: Time;
  /** The operation's result or, as soon as Redis is away or does not answer in time, the fallback's. */
  run<T>(operation: (redis: RedisClient) => Promise<T>, fallback: () => T | Promise<T>): Promise<T>;
  state(): LinkState;
  /** Called at each change of state. Returns an unsubscriber. */
  onChange(listener: (up: boolean) => void): () => void;
  /** Messages of a channel; any of them may be lost. Returns an unsubscriber. */
  subscribe(channel: string, listener: (message: string) => void): () => void;
  close(): Promise<void>;
}

export interface LinkOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** The longest wait for one operation. */
  readonly deadlineMs?: number;
  /** Replaces the connection to the URLs. */
  readonly connect?: () => RedisClient;
  /** The process's own by default. */
  readonly time?: Time;
}

const DEADLINE_MS = 300;
const PROBE_EVERY_MS = 500;
/** How long the start waits for Redis before it continues without it. */
const START_MS = 1000;
const COMPLAIN_EVERY_MS = 60_000;

/**
 * Rejects when the time is over, but not before a reply that has already arrived is read: a busy loop is not an outage.
 */
function withTimeout<T>(timers: Timers, ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = () => timers.after(0, () => reject(new Error(`no answer within ${ms} ms`)));
    const cancel = timers.after(ms, expire);
    work.then(resolve, reject).finally(cancel);
  });
}

const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * A reply to one command or key. Redis 6.2 replies `ERR` to a script that it stopped because of its own state, too, with
 * that state's code after a dash: `ERR Error running script (…): @user_script:1: @user_script: 1: -OOM …`.
 */
const OF_ONE_COMMAND = /^(?:WRONGTYPE|CROSSSLOT|ERR(?! Error running script .*: -[A-Z])) /;

/** Whether an error is a reply to one command or key, so that Redis itself is healthy. */
const isOfOneCommand = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ReplyError' && OF_ONE_COMMAND.test(error.message);

class Link implements RedisLink {
  readonly time: Time;
  readonly #urls: readonly string[];
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  readonly #listeners = new Set<(up: boolean) => void>();
  readonly #subscriptions = new Subscriptions();
  #client!: RedisClient;
  #isKnownKind: boolean;
  #up = false;
  #since: number;
  #lastError: string | null = null;
  #complainedAt = Number.NEGATIVE_INFINITY;
  #cancelProbe = (): void => {};
  #isClosed = false;

  constructor(urls: readonly string[], options: LinkOptions) {
    const { log, clock, deadlineMs = DEADLINE_MS, connect, time = processTime } = options;
    this.time = time;
    this.#urls = urls;
    this.#log = log;
    this.#clock = clock;
    this.#deadlineMs = deadlineMs;
    this.#since = clock.now();
    this.#isKnownKind = urls.length > 1 || connect !== undefined;
    if (connect !== undefined) this.#use(connect());
    else this.#use(urls.length > 1 ? connectCluster(urls, deadlineMs) : connectOne(urls[0] ?? '', deadlineMs));
  }

  async start(): Promise<void> {
    const { monotonic, timers } = this.time;
    const startedAt = monotonic.now();
    while (!this.#up && monotonic.now() - startedAt < START_MS) {
      await this.#probe();
      if (!this.#up) await new Promise<void>((resolve) => void timers.after(20, resolve));
    }
    if (this.#up) return;
    this.#log.warn(`Redis is unreachable (${this.#lastError}): starting without it.`);
    this.#probeLater();
  }

  async run<T>(operation: (redis: RedisClient) => Promise<T>, fallback: () => T | Promise<T>): Promise<T> {
    if (this.#up) {
      try {
        return await withTimeout(this.time.timers, this.#deadlineMs, operation(this.#client));
      } catch (error) {
        this.#fault(error);
      }
    }
    return fallback();
  }

  state(): LinkState {
    return { up: this.#up, since: this.#since, lastError: this.#lastError };
  }

  onChange(listener: (up: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  subscribe(channel: string, listener: (message: string) => void): () => void {
    return this.#subscriptions.add(channel, listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#up = false;
    this.#cancelProbe();
    this.#listeners.clear();
    this.#subscriptions.close();
    this.#client.disconnect();
  }

  #use(client: RedisClient): void {
    this.#client = client;
    // Without a listener an error would end the process; operations and the probe see it too.
    const note = (error: unknown) => {
      this.#lastError = errorMessage(error);
    };
    client.on('error', note);
    client.on('node error', note);
  }

  #fault(error: unknown): void {
    this.#lastError = errorMessage(error);
    if (!isOfOneCommand(error)) this.#turn(false);
    else if (this.#clock.now() - this.#complainedAt >= COMPLAIN_EVERY_MS) {
      this.#complainedAt = this.#clock.now();
      this.#log.warn(`Redis rejected a command, so Perch continued without it: ${this.#lastError}`);
    }
  }

  #turn(up: boolean): void {
    if (this.#up === up || this.#isClosed) return;
    const seconds = Math.round((this.#clock.now() - this.#since) / 1000);
    this.#up = up;
    this.#since = this.#clock.now();
    if (up) {
      this.#log.info(`Redis is reachable again after ${seconds} s.`);
      this.#subscriptions.renew(this.#client);
    } else {
      this.#log.warn(`Redis is unreachable (${this.#lastError}): this process continues on its own until it is back.`);
      this.#probeLater();
    }
    for (const listener of this.#listeners) listener(up);
  }

  async #probe(): Promise<void> {
    try {
      const { timers } = this.time;
      await withTimeout(timers, this.#deadlineMs, this.#knowKind());
      await withTimeout(timers, this.#deadlineMs, probe(this.#client));
      this.#turn(true);
    } catch (error) {
      this.#lastError = errorMessage(error);
    }
  }

  /** Checked once, when the server first answers. */
  async #knowKind(): Promise<void> {
    if (this.#isKnownKind || !(this.#client instanceof Redis)) return;
    const isCluster = await isOfCluster(this.#client);
    if (this.#isKnownKind || this.#isClosed) return;
    this.#isKnownKind = true;
    if (!isCluster) return;
    this.#client.disconnect();
    this.#use(connectCluster(this.#urls, this.#deadlineMs));
  }

  #probeLater(): void {
    if (this.#isClosed) return;
    this.#cancelProbe();
    this.#cancelProbe = this.time.timers.after(PROBE_EVERY_MS, async () => {
      await this.#probe();
      if (!this.#up) this.#probeLater();
    });
  }
}

/**
 * One URL is a server or, if the server says so, a node of a cluster; several are nodes of a cluster. Also starts while
 * Redis is away.
 */
export async function openRedis(urls: readonly string[], options: LinkOptions): Promise<RedisLink> {
  const link = new Link(urls, options);
  await link.start();
  return link;
}
