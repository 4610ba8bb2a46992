import { Redis } from 'ioredis';
import { digestText } from '../../../src/lib/digest.js';
import { HOUR_MS, MINUTE_MS } from '../../../src/lib/durations.js';
import { batched } from '../batched.js';
import type { RedisClient } from '../client.js';
import type { RedisLink } from '../link.js';
import { runScript, script } from '../script.js';

/**
 * The record of the buckets: for each end time, whether the bucket is complete. All these keys are in one slot. They are
 * for all sources together, because nodes of a version that names no source use the same keys during an upgrade. With
 * several sources, a name may count as shown that is shown only by another one, which is safe.
 */
const BUCKETS = 'perch:{shown}';
const bucketKey = (endMs: number | string): string => `${BUCKETS}:${endMs}`;

/**
 * The field with the time until which pages may be cached that no bucket lists, because a bucket was lost or an earlier
 * version wrote the pages.
 */
const UNKNOWN_UNTIL = 'unknown-until';

/** When names were withdrawn. */
const WITHDRAWN = `${BUCKETS}:withdrawn`;
/** Longer than the longest deadline that can be set. */
const WITHDRAWN_MS = 11 * MINUTE_MS;
const MOST_WITHDRAWN = 100_000;

/** A name goes into the bucket that ends after it expires; ends are an eighth of a lifetime apart, or half an hour. */
const LEAST_WIDTH_MS = HOUR_MS / 2;
const BUCKETS_PER_LIFETIME = 8;
/** The most by which nodes' clocks may differ. */
const SLACK_MS = 60_000;

/** About 120 MB of Redis. Beyond it, whether a name is shown is unknown until the bucket ends. */
const MOST_NAMES = 2_000_000;

const KEYS_PER_LOOK = 1000;
/** In a Redis too large for this many scans, a matching key is assumed to exist. */
const MOST_LOOKS = 50;

/** Characters of a digest that identify a name: 72 bits. */
const MARK_LENGTH = 12;

/** Earlier versions named no source. */
const PAGE_OF_ANY_SOURCE = /^perch:(?:[^:]+:)?page:/;

const nameMark = (name: string): string => digestText(name).slice(0, MARK_LENGTH);

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** Notes when names were withdrawn, so that `NOTE` can tell a node that caches them later. */
export const WITHDRAW = script(`${NOW}
for _, name in ipairs(ARGV) do redis.call('ZADD', KEYS[1], now, name) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ${WITHDRAWN_MS})
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -${MOST_WITHDRAWN + 1})
return redis.call('PEXPIRE', KEYS[1], ${WITHDRAWN_MS})
`);

/**
 * Adds the names to a bucket. A bucket that was lost (evicted, say) or is full stays marked as full until it ends.
 * Returns the names that were recently withdrawn, each followed by how many milliseconds ago; 0: there is no record of
 * buckets yet.
 */
export const NOTE = script(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local withdrawn = {}
if redis.call('EXISTS', KEYS[3]) == 1 then ${NOW}
  for n = 5, #ARGV do
    local at = redis.call('ZSCORE', KEYS[3], ARGV[n])
    if at then
      table.insert(withdrawn, ARGV[n])
      table.insert(withdrawn, now - at)
    end
  end
end
local state, exists = redis.call('HGET', KEYS[1], ARGV[1]), redis.call('EXISTS', KEYS[2])
if state == 'full' then return withdrawn end
if not state then
  for _, bucket in ipairs(redis.call('HKEYS', KEYS[1])) do
    if tonumber(bucket) and tonumber(bucket) < tonumber(ARGV[2]) then redis.call('HDEL', KEYS[1], bucket) end
  end
  redis.call('HSET', KEYS[1], ARGV[1], 'whole')
elseif exists == 0 then
  redis.call('HSET', KEYS[1], ARGV[1], 'full')
  return withdrawn
end
for first = 5, #ARGV, 1000 do
  redis.call('SADD', KEYS[2], unpack(ARGV, first, math.min(first + 999, #ARGV)))
end
redis.call('PEXPIRE', KEYS[2], ARGV[3])
if redis.call('SCARD', KEYS[2]) > tonumber(ARGV[4]) then
  redis.call('UNLINK', KEYS[2])
  redis.call('HSET', KEYS[1], ARGV[1], 'full')
end
return withdrawn
`);

export interface ShownNamesOptions {
  readonly link: RedisLink;
  readonly clock: { now(): number };
  /** The longest that anything is cached. */
  readonly longestMs: number;
  readonly mostNames?: number;
}

/**
 * Which names the pages in Redis show, whichever node cached them. Kept as sets of digests by the time until which they
 * count, so that no name is lost before its page has expired. The answer is undefined while it can't be known, because
 * Redis is away, dropped a set or has too many names.
 */
export class ShownNames {
  readonly #options: ShownNamesOptions;
  readonly #note: (noting: Noting) => Promise<Noted>;
  #beginning: Promise<void> | undefined;

  constructor(options: ShownNamesOptions) {
    this.#options = options;
    const { link, mostNames = MOST_NAMES } = options;
    this.#note = batched<Noting, Noted>(link, {
      send: (redis, notings) => noteAll(redis, notings, mostNames),
      isInOneSlot: true,
      fallback: () => undefined,
    });
  }

  /**
   * Called before a page is cached in Redis, so that every cached page is listed. Returns the names that were withdrawn
   * after the read of the page began; undefined where the page must not be cached, because Redis is away.
   */
  async note(names: readonly string[], ttlMs: number, beganAt?: number): Promise<ReadonlySet<string> | undefined> {
    if (names.length === 0) return (await this.#isBegun()) ? new Set() : undefined;
    const nowMs = this.#options.clock.now();
    const widthMs = Math.max(LEAST_WIDTH_MS, Math.ceil(ttlMs / BUCKETS_PER_LIFETIME));
    const endMs = Math.ceil((nowMs + ttlMs + SLACK_MS) / widthMs) * widthMs;
    const noting: Noting = { endMs, ttlMs, nowMs, marks: names.map(nameMark) };
    let noted = await this.#note(noting);
    if (noted === 0) {
      await this.#begin();
      noted = await this.#note(noting);
    }
    if (noted === 0 || noted === undefined) return undefined;
    // Compares ages, not times: the clocks of nodes and of Redis differ.
    const readMs = beganAt === undefined ? 0 : this.#options.clock.now() - beganAt;
    const ages = new Map(noted.flatMap((mark, n) => (n % 2 === 0 ? [[mark, noted[n + 1] as number]] : [])));
    // An age is below zero if the server's clock was set back, or another server with a slower one took over.
    const ageOf = (name: string): number => Math.abs(ages.get(nameMark(name)) ?? Number.POSITIVE_INFINITY);
    return new Set(names.filter((name) => ageOf(name) < readMs));
  }

  /** For a page that shows no names: the record of the buckets must exist before anything is cached. */
  async #isBegun(): Promise<boolean> {
    const buckets = await this.#buckets();
    if (buckets !== undefined && Object.keys(buckets).length === 0) await this.#begin();
    return buckets !== undefined;
  }

  /** For each name, in order: whether a page in Redis may show it; undefined where that is unknown. */
  async has(names: readonly string[]): Promise<(boolean | undefined)[]> {
    const nothing = () => names.map(() => undefined);
    const { link, clock } = this.#options;
    const marks = names.map(nameMark);
    let [, buckets] = await Promise.all([this.#withdraw(marks), this.#buckets()]);
    if (buckets !== undefined && Object.keys(buckets).length === 0) {
      await this.#begin();
      buckets = await this.#buckets();
    }
    if (buckets === undefined) return nothing();
    const { [UNKNOWN_UNTIL]: unknownUntil, ...states } = buckets;
    const nowMs = clock.now();
    if (unknownUntil === undefined || Number(unknownUntil) > nowMs) return nothing();
    const live = Object.keys(states).filter((endMs) => Number(endMs) > nowMs);
    if (live.some((endMs) => states[endMs] !== 'whole')) return nothing();
    const found = await link.run(
      (redis) => Promise.all(live.map((endMs) => lookIn(redis, bucketKey(endMs), marks))),
      () => [undefined],
    );
    if (found.includes(undefined)) return nothing();
    return names.map((_, index) => found.some((marked) => marked?.[index] === 1));
  }

  /** Called before the look-up of which pages show the names: pages that are cached from then on find them here. */
  async #withdraw(marks: readonly string[]): Promise<void> {
    if (marks.length === 0) return;
    await this.#options.link.run<unknown>(
      (redis) => runScript(redis, WITHDRAW, [WITHDRAWN], marks),
      () => undefined,
    );
  }

  #buckets(): Promise<Record<string, string> | undefined> {
    return this.#options.link.run<Record<string, string> | undefined>(
      (redis) => redis.hgetall(BUCKETS),
      () => undefined,
    );
  }

  /** Creates the record once for all entries that find it missing at the same time. */
  #begin(): Promise<void> {
    this.#beginning ??= this.#beginNow().finally(() => {
      this.#beginning = undefined;
    });
    return this.#beginning;
  }

  /** Creates the record. Nothing is known about pages cached earlier: unless there are none, all must expire first. */
  async #beginNow(): Promise<void> {
    const { link, clock, longestMs } = this.#options;
    const isEmpty = await hasNoKeyLike(link, PAGE_OF_ANY_SOURCE);
    const untilMs = isEmpty ? 0 : clock.now() + longestMs + SLACK_MS;
    await link.run<unknown>(
      (redis) => redis.hsetnx(BUCKETS, UNKNOWN_UNTIL, untilMs),
      () => undefined,
    );
  }
}

/**
 * The result of `NOTE`: withdrawn marks, each followed by how many milliseconds ago, or 0. Undefined: Redis is away.
 */
type Noted = readonly (string | number)[] | 0 | undefined;

/** Names of one entry, for one bucket. */
interface Noting {
  readonly endMs: number;
  readonly ttlMs: number;
  readonly nowMs: number;
  readonly marks: readonly string[];
}

/**
 * Sends one command for all entries with the same bucket and lifetime. The lifetime counts, so that the number of
 * commands is the same at any time of day, even when two lifetimes end in one bucket.
 */
async function noteAll(redis: RedisClient, notings: readonly Noting[], mostNames: number): Promise<Noted[]> {
  const notingKey = ({ endMs, ttlMs }: Noting): string => `${endMs} ${ttlMs}`;
  const noteLike = async (one: Noting): Promise<Noted> => {
    const { endMs, nowMs } = one;
    const alike = notings.filter((noting) => notingKey(noting) === notingKey(one));
    const marks = new Set(alike.flatMap((noting) => noting.marks));
    const args = [endMs, nowMs, Math.ceil(endMs - nowMs + SLACK_MS), mostNames, ...marks];
    return (await runScript(redis, NOTE, [BUCKETS, bucketKey(endMs), WITHDRAWN], args)) as Noted;
  };
  const noted = new Map<string, Promise<Noted>>();
  for (const noting of notings) if (!noted.has(notingKey(noting))) noted.set(notingKey(noting), noteLike(noting));
  return Promise.all(notings.map((noting) => noted.get(notingKey(noting))));
}

/** Undefined where the bucket no longer exists. */
async function lookIn(redis: RedisClient, key: string, marks: readonly string[]): Promise<number[] | undefined> {
  const [exists, found] = await Promise.all([redis.exists(key), redis.smismember(key, ...marks)]);
  return exists === 1 ? found : undefined;
}

const masterNodes = (client: RedisClient): Redis[] => (client instanceof Redis ? [client] : client.nodes('master'));

/** True only if every server answered each scan and none has a key that matches. */
async function hasNoKeyLike(link: RedisLink, pattern: RegExp): Promise<boolean> {
  const servers = await link.run(
    async (client) => masterNodes(client).length,
    () => 0,
  );
  for (let nth = 0; nth < servers; nth += 1) {
    let cursor = '0';
    for (let looks = 0; ; looks += 1) {
      const seen = await link.run<[string, string[]] | undefined>(
        async (client) => masterNodes(client)[nth]?.scan(cursor, 'COUNT', KEYS_PER_LOOK),
        () => undefined,
      );
      if (seen === undefined || looks === MOST_LOOKS || seen[1].some((key) => pattern.test(key))) return false;
      cursor = seen[0];
      if (cursor === '0') break;
    }
  }
  return servers > 0;
}
