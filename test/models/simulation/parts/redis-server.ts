/** A Redis server in memory, with only the commands and scripts that `adapters/redis` sends. */
import { ACQUIRE, ANNOUNCE, RELEASE, RENEW } from '../../../../adapters/redis/flight-lock.js';
import { BEAT } from '../../../../adapters/redis/nodes.js';
import { RESERVE } from '../../../../adapters/redis/pace.js';
import { TAKE } from '../../../../adapters/redis/rate-limiter.js';
import type { Script } from '../../../../adapters/redis/script.js';
import { HEADER_BYTES } from '../../../../adapters/redis/stored-entry.js';
import { READ_HEADERS, WRITE } from '../../../../adapters/redis/stored-values.js';
import { NOTE, WITHDRAW } from '../../../../adapters/redis/tombstones/shown-names.js';
import { APPEND, START } from '../../../../adapters/redis/tombstones/tombstone-stream.js';
import { HOUR_MS, MINUTE_MS } from '../../../../src/lib/durations.js';
import type { Clock } from '../../../../src/ports/clock.js';

type Value = string | Map<string, string> | Set<string> | Map<string, number>;

interface Entry {
  value: Value;
  untilMs: number;
}

type Args = readonly (string | number)[];
type Run = (server: RedisServer, keys: readonly string[], args: Args) => unknown;

const numberOf = (arg: unknown): number => Number(arg);
const textOf = (arg: unknown): string => String(arg ?? '');

export class RedisServer {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  /** The stream of tombstones: the id and text of each entry. */
  readonly #stream: [id: string, fields: string[]][] = [];
  #streamed = 0;
  /** Called with each published message. */
  publish: (channel: string, message: string) => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Unix milliseconds by the server's own clock. */
  now(): number {
    return this.#clock.now();
  }

  /** Runs one command. Throws for a command that no part of Perch sends. */
  command(name: string, args: Args): unknown {
    const key = textOf(args[0]);
    switch (name) {
      case 'evalsha':
        return this.#script(key, args);
      case 'mget':
        return args.map((one) => this.get(textOf(one)) ?? null);
      case 'set':
        return this.set(key, textOf(args[1]), args[2] === 'PX' ? numberOf(args[3]) : Number.POSITIVE_INFINITY);
      case 'unlink':
        return args.filter((one) => this.#entries.delete(textOf(one))).length;
      case 'hgetall':
        return Object.fromEntries(this.hash(key) ?? []);
      case 'hsetnx':
        return this.#setField(key, textOf(args[1]), textOf(args[2]));
      case 'exists':
        return Number(this.read(key) !== undefined);
      case 'smismember':
        return args.slice(1).map((member) => Number(this.members(key)?.has(textOf(member)) ?? false));
      case 'zrem':
        return Number((this.read(key) as Map<string, number> | undefined)?.delete(textOf(args[1])) ?? false);
      case 'xrange':
        return this.#range(textOf(args[1]), numberOf(args[4]));
      case 'scan':
        return ['0', [...this.#entries.keys()].filter((one) => this.read(one) !== undefined)];
      default:
        throw new Error(`ERR unknown command ${name}`);
    }
  }

  /** Everything is lost, as when a server without a disk restarts. */
  empty(): void {
    this.#entries.clear();
    this.#stream.length = 0;
  }

  read(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.untilMs > this.now()) return entry?.value;
    this.#entries.delete(key);
    return undefined;
  }

  get(key: string): string | undefined {
    const value = this.read(key);
    return typeof value === 'string' ? value : undefined;
  }

  set(key: string, value: Value, px: number): 'OK' {
    this.#entries.set(key, { value, untilMs: this.now() + px });
    return 'OK';
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  expire(key: string, px: number): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.untilMs = this.now() + px;
  }

  /** Changes a text and keeps its lifetime. */
  change(key: string, text: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.value = text;
  }

  hash = (key: string): Map<string, string> | undefined => this.read(key) as Map<string, string> | undefined;
  members = (key: string): Set<string> | undefined => this.read(key) as Set<string> | undefined;

  append(fields: string[]): void {
    this.#streamed += 1;
    this.#stream.push([`${Math.floor(this.now())}-${String(this.#streamed).padStart(6, '0')}`, fields]);
  }

  #script(sha: string, args: Args): unknown {
    const run = SCRIPTS.get(sha);
    if (run === undefined) throw new Error('NOSCRIPT');
    const end = 2 + numberOf(args[1]);
    return run(this, args.slice(2, end).map(textOf), args.slice(end));
  }

  #setField(key: string, field: string, value: string): number {
    const hash = this.hash(key);
    if (hash?.has(field)) return 0;
    if (hash === undefined) this.set(key, new Map([[field, value]]), Number.POSITIVE_INFINITY);
    else hash.set(field, value);
    return 1;
  }

  /** The entries after an id, given as `(id`. */
  #range(from: string, count: number): [string, string[]][] {
    if (this.#stream.length === 0) return [];
    const [ms = 0, nth = 0] = from.slice(1).split('-').map(Number);
    const isAfter = ([id]: readonly [string, string[]]): boolean => {
      const [ownMs = 0, ownNth = 0] = id.split('-').map(Number);
      return ownMs > ms || (ownMs === ms && ownNth > nth);
    };
    return this.#stream.filter(isAfter).slice(0, count);
  }
}

/** The caller's own clock in tests; otherwise the server's. */
const nowOf = (server: RedisServer, own: unknown): number => (own === '' ? server.now() : numberOf(own));

/** Each script of the adapters, doing what its Lua does. */
const RUNS: readonly (readonly [Script, Run])[] = [
  [READ_HEADERS, (server, keys) => keys.map((key) => (server.get(key) ?? '').slice(0, HEADER_BYTES))],
  [
    WRITE,
    (server, keys, args) => {
      for (const [n, key] of keys.entries()) {
        const px = numberOf(args[2 * n + 1]);
        if (px === 0) server.delete(key);
        else server.set(key, textOf(args[2 * n]), px);
      }
      return 'OK';
    },
  ],
  [
    ACQUIRE,
    (server, keys, args) =>
      keys.map((key, n) => {
        const [token, held] = [textOf(args[n]), server.get(key)];
        if (held === undefined) server.set(key, token, 3000);
        else server.change(key, `${held}+`);
        return (held ?? token).slice(0, token.length);
      }),
  ],
  [
    RENEW,
    (server, keys, args) => {
      for (const [n, key] of keys.entries()) if (server.get(key)?.startsWith(textOf(args[n]))) server.expire(key, 3000);
      return 'OK';
    },
  ],
  [
    RELEASE,
    (server, keys, args) =>
      keys.map((key, n) => {
        const isOwn = server.get(key) === textOf(args[n]);
        if (isOwn) server.delete(key);
        return Number(isOwn);
      }),
  ],
  [
    ANNOUNCE,
    (server, [lock = '', result = ''], [token, text, channel]) => {
      if (!server.get(lock)?.startsWith(textOf(token))) return 0;
      server.set(result, textOf(text), 10_000);
      server.delete(lock);
      server.publish(textOf(channel), textOf(token));
      return 1;
    },
  ],
  [
    RESERVE,
    (server, [key = ''], [interval, own]) => {
      const now = nowOf(server, own);
      const [next, last] = (server.get(key) ?? '').split(' ').map(Number);
      let at = now - 10;
      if (next !== undefined && last !== undefined) at = Math.max(at, next - Math.max(0, last - now));
      const after = at + numberOf(interval);
      server.set(key, `${after} ${now}`, own === '' ? Math.max(1, Math.ceil(after - now + 10)) : HOUR_MS);
      return String(Math.max(0, at - now));
    },
  ],
  [
    TAKE,
    (server, keys, args) =>
      keys.map((key, n) => {
        const [limit, token] = [numberOf(args[3 * n]), numberOf(args[3 * n + 1])];
        const own = args[3 * n + 2];
        const now = Math.floor(nowOf(server, own));
        const full = limit * token;
        const [units, at] = (server.get(key) ?? '').split(' ').map(Number);
        const before =
          units === undefined || at === undefined ? full : Math.min(full, units + Math.max(0, now - at) * limit);
        const isAllowed = before >= token;
        const after = isAllowed ? before - token : before;
        server.set(key, `${after} ${now}`, own === '' ? Math.max(1, Math.ceil((full - after) / limit)) : HOUR_MS);
        return [Number(isAllowed), after];
      }),
  ],
  [
    BEAT,
    (server, [key = ''], [id, goneAfterMs]) => {
      const beats = (server.read(key) as Map<string, number> | undefined) ?? new Map<string, number>();
      beats.set(textOf(id), server.now());
      for (const [other, atMs] of beats) if (atMs <= server.now() - numberOf(goneAfterMs)) beats.delete(other);
      server.set(key, beats, 2 * numberOf(goneAfterMs));
      return beats.size;
    },
  ],
  [
    NOTE,
    (server, [buckets = '', bucket = '', gone = ''], [end, nowMs, px, most, ...names]) => {
      const states = server.hash(buckets);
      if (states === undefined) return 0;
      const times = server.read(gone) as Map<string, number> | undefined;
      const withdrawn = names.map(textOf).flatMap((name) => {
        const atMs = times?.get(name);
        return atMs === undefined ? [] : [name, Math.floor(server.now()) - atMs];
      });
      const state = states.get(textOf(end));
      if (state === 'full') return withdrawn;
      if (state === undefined) {
        for (const other of states.keys()) if (Number(other) < numberOf(nowMs)) states.delete(other);
        states.set(textOf(end), 'whole');
      } else if (server.members(bucket) === undefined) {
        states.set(textOf(end), 'full');
        return withdrawn;
      }
      const marks = new Set([...(server.members(bucket) ?? []), ...names.map(textOf)]);
      server.set(bucket, marks, numberOf(px));
      if (marks.size > numberOf(most)) {
        server.delete(bucket);
        states.set(textOf(end), 'full');
      }
      return withdrawn;
    },
  ],
  [
    WITHDRAW,
    (server, [key = ''], names) => {
      const times = (server.read(key) as Map<string, number> | undefined) ?? new Map<string, number>();
      const nowMs = Math.floor(server.now());
      for (const name of names) times.set(textOf(name), nowMs);
      for (const [name, atMs] of times) if (atMs <= nowMs - MINUTE_MS) times.delete(name);
      server.set(key, times, MINUTE_MS);
      return 1;
    },
  ],
  [
    APPEND,
    (server, _keys, [, text, of, channel]) => {
      server.append(['t', textOf(text), 's', textOf(of)]);
      server.publish(textOf(channel), '');
      return 1;
    },
  ],
  [START, (server, _keys, [sinceMs]) => `${Math.max(0, Math.floor(server.now()) - numberOf(sinceMs))}-0`],
];

const SCRIPTS: ReadonlyMap<string, Run> = new Map(RUNS.map(([{ sha }, run]) => [sha, run]));
