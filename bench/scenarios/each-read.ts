import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { QUERY } from '../contestants/graphql.js';
import { handleOf } from '../data/rows.js';
import { wordOf } from '../data/texts.js';
import { type Line, median, type Section, spread } from '../figures.js';
import type { Service } from '../processes/perch.js';
import type { RedisServer } from '../processes/redis.js';
import type { Furnished, Workbench } from '../workbench.js';
import type { CostMeter, Costs } from './costs.js';
import { sendRequest } from './send-request.js';

interface Kind {
  readonly name: string;
  /** A read of this kind that no other round requests. */
  readonly at: (index: number) => { readonly path: string; readonly body?: string };
}

/** The number of reads of each kind, all of different things. */
const TIMES = 12;
/** Longer than a node trusts its own copies. */
const PAST_NEAR_MS = 2200;

/** How the reads run: one by one, and again once the process no longer trusts its own copies. */
const AT_ONCE = ['cold', 'cached in Redis', 'cached in the process'] as const;
const PAST_NEAR = 'cached, after 2 s';

/** Kinds with separate users, so that none caches for another. */
const KINDS: readonly Kind[] = [
  { name: 'a profile', at: (index) => ({ path: `/v1/users/${handleOf(401 + index)}` }) },
  {
    name: 'a batch of 100 profiles',
    at: (index) => ({
      path: `/v1/users/batch?handles=${Array.from({ length: 100 }, (_, n) => handleOf(500 + index * 100 + n))}`,
    }),
  },
  {
    name: 'a search page of 20',
    at: (index) => ({ path: `/v1/tweets/search?q=${wordOf(30 + index)}&product=Latest&count=20` }),
  },
  {
    name: 'GraphQL: a profile and its newest tweets',
    at: (index) => ({
      path: '/graphql',
      body: JSON.stringify({ query: QUERY, variables: { handle: handleOf(440 + index) } }),
    }),
  },
];

interface Seen {
  /** Commands as sent, by name, without commands inside scripts and the regular ones of the node. */
  readonly commands: Readonly<Record<string, number>>;
  readonly costs: Costs;
  readonly ms: number;
}

interface Shared {
  readonly perch: Service;
  readonly redis: RedisServer;
}

/** What one read sends to Redis and writes to Postgres, uncached and cached in three ways. One read at a time. */
export async function costOfEachRead(
  bench: Workbench,
  home: Furnished,
  meter: CostMeter,
  shared: Shared,
): Promise<Section> {
  const lines: Line[] = [];
  const notes: string[] = [];
  const monitor = await shared.redis.client.monitor();
  try {
    for (const { name, at } of KINDS) {
      bench.say(`I  ${name}, one at a time`);
      const ways: Record<string, Seen[]> = Object.fromEntries([...AT_ONCE, PAST_NEAR].map((way) => [way, []]));
      const reads = Array.from({ length: TIMES }, (_, index) => at(index));
      for (const read of reads) {
        for (const way of AT_ONCE) ways[way]?.push(await readOnce(home, meter, shared, monitor, read));
      }
      await sleep(PAST_NEAR_MS);
      for (const read of reads) ways[PAST_NEAR]?.push(await readOnce(home, meter, shared, monitor, read));
      for (const [way, seen] of Object.entries(ways)) {
        lines.push({
          name: `${name}, ${way}`,
          unit: 'commands to Redis',
          value: spread(seen.map(({ commands }) => Object.values(commands).reduce((sum, count) => sum + count, 0))),
        });
        notes.push(`${name}, ${way}: ${noteOf(seen)}`);
      }
    }
  } finally {
    monitor.disconnect();
  }
  return { letter: 'I', title: 'one process, Redis: each read by itself, nothing else asked meanwhile', lines, notes };
}

async function readOnce(
  home: Furnished,
  meter: CostMeter,
  { perch, redis }: Shared,
  monitor: Redis,
  { path, body }: ReturnType<Kind['at']>,
): Promise<Seen> {
  const commands: Record<string, number> = {};
  const mark = `bench ${path} ${performance.now()}`;
  let finish = (): void => {};
  const isOver = new Promise<void>((resolve) => (finish = resolve));
  const listen = (_time: string, words: readonly string[], source: string): void => {
    const [name = ''] = words;
    if (words[1] === mark) finish();
    if (words[1] === mark || source === 'lua' || isOfTheNode(words)) return;
    commands[name.toLowerCase()] = (commands[name.toLowerCase()] ?? 0) + 1;
  };
  const { result, costs } = await meter.of({ pid: perch.pid, redis }, async () => {
    monitor.on('monitor', listen);
    const begin = performance.now();
    await sendRequest(perch.url + path, { key: home.key, ...(body !== undefined && { body }) });
    const ms = performance.now() - begin;
    await redis.client.echo(mark);
    await isOver;
    monitor.off('monitor', listen);
    return ms;
  });
  return { commands, costs, ms: result };
}

/** Commands that every node sends once a second, independent of requests. */
const isOfTheNode = (words: readonly string[]): boolean =>
  words[0]?.toLowerCase() === 'info' || words.includes('perch:nodes') || words.includes('perch:tombstones');

function noteOf(seen: readonly Seen[]): string {
  const names = [...new Set(seen.flatMap(({ commands }) => Object.keys(commands)))].sort();
  const each = names.map((name) => `${name} ${median(seen.map(({ commands }) => commands[name] ?? 0))}`);
  const of = (value: (one: Seen) => number): string => median(seen.map(value)).toFixed(0);
  return [
    each.join(', '),
    `${of(({ costs }) => costs.walBytes)} bytes of WAL`,
    `${of(({ costs }) => costs.entries)} ledger row`,
    `${of(({ ms }) => ms)} ms`,
  ].join('; ');
}
