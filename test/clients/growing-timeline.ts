import { range } from '../kit/networks/scripted-network.js';
import { type Service, startService } from '../rules/support/service.js';

/** Starts a service with one account, whose timeline has 20 tweets and gets more by `add`. */
export async function startGrowing(): Promise<{ service: Service; add: (count: number) => string[] }> {
  const service = await startService({ fill: (net) => void net.users([1]) });
  let last = 100;
  let ids: string[] = [];
  /** Puts `count` tweets on top of the timeline, and lets its cached page expire. */
  const add = (count: number): string[] => {
    service.clock.advance(180_000);
    const added = service.net.tweets(range(count, last + 1));
    last += count;
    ids = [...added.toReversed(), ...ids];
    service.net.list('timeline', '1', ids, { pageSize: 10 });
    return added;
  };
  add(20);
  return { service, add };
}
