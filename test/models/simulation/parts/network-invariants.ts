import type { ReadLog, World } from './world.js';

/** The network's kind of read for each operation. */
const OPERATIONS: Readonly<Record<string, string>> = {
  followers: 'followers',
  'follower-ids': 'followers',
  'user-tweets': 'timeline',
  tweet: 'tweet',
};

/**
 * At no moment do two processes, or two reads of one process, read the same from the network. Fresh reads are exempt.
 */
export function oneFlight({ reads, faults, calls }: World): string[] {
  if (faults.has('redis')) return [];
  const isFresh = (kind: string): boolean =>
    calls.some(({ variables, operation }) => variables.fresh === true && OPERATIONS[operation] === kind);
  const wrong: string[] = [];
  const last = new Map<string, ReadLog>();
  for (const read of reads) {
    for (const what of read.of) {
      if (isFresh(what.slice(0, what.indexOf(' ')))) continue;
      const before = last.get(what);
      if (before !== undefined && before.endedAtMs > read.atMs) {
        wrong.push(`${read.host.name} reads ${what} while ${before.host.name} does`);
      }
      last.set(what, read);
    }
  }
  return wrong;
}

/** How late an answer of Redis can be while it has no fault, in milliseconds. */
const LATE_MS = 10;

/** In any period, all processes together begin at most as many upstream calls as the pace of a family allows. */
export function onePace({ reads, faults, network }: World): string[] {
  if (faults.has('redis')) return [];
  return (['fast', 'slow'] as const).flatMap((family) => {
    const perSecond = network.pace[family];
    if (perSecond === null) return [];
    const times = reads.filter((read) => read.family === family).map(({ atMs }) => atMs);
    const wrong: string[] = [];
    for (const [first, fromMs] of times.entries()) {
      for (let last = first + 1; last < times.length; last += 1) {
        const ms = (times[last] as number) - fromMs;
        const most = 1 + ((ms + 10 + LATE_MS) * perSecond) / 1000;
        if (last - first + 1 > most + 1e-6)
          wrong.push(`${last - first + 1} ${family} calls in ${ms} ms at ${perSecond} per second`);
      }
    }
    return wrong.slice(0, 3);
  });
}
