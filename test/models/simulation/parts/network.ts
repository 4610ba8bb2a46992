import type { Network, ReadContext } from '../../../../src/ports/network.js';
import { createScriptedNetwork, type ScriptedNetwork } from '../../../kit/networks/scripted-network.js';
import type { Host, Station } from './wire.js';
import type { World } from './world.js';

/** The subjects of the lists. */
export const FOLLOWED = '1';
export const AUTHOR = '2';

export interface SimulatedNetwork {
  readonly script: ScriptedNetwork;
  readonly station: Station;
  readonly pace: Network['pace'];
  /** Ids of the followers of `FOLLOWED`, and of the tweets of `AUTHOR`, as each list began. */
  readonly followers: readonly string[];
  readonly tweets: readonly string[];
  /** How long the network holds a page after making it, in milliseconds. */
  pageLateMs: number;
}

export interface NetworkShape {
  readonly followers: number;
  readonly tweets: number;
  readonly pageSize: number;
  readonly pace: Network['pace'];
}

const numbers = (count: number, first: number): number[] => Array.from({ length: count }, (_, nth) => first + nth);

export function openNetwork(shape: NetworkShape, station: Station): SimulatedNetwork {
  const script = createScriptedNetwork({ batchSize: { users: 10, tweets: 10 } });
  script.users([Number(FOLLOWED), Number(AUTHOR)]);
  const followers = script.users(numbers(shape.followers, 100));
  const tweets = script.tweets(numbers(shape.tweets, 1_000), { authorId: AUTHOR }).reverse();
  const { pageSize } = shape;
  script.list('followers', FOLLOWED, followers, { pageSize });
  for (const subject of [FOLLOWED, AUTHOR]) script.list('following', subject, followers, { pageSize });
  script.list('timeline', AUTHOR, tweets, { pageSize });
  return { script, station, pace: shape.pace, followers, tweets, pageLateMs: 0 };
}

/** The network as one process reaches it. Each call is logged with its start and end. */
export function connectNetwork(world: World, host: Host): Network {
  const { network, wire, scheduler, reads, deletions } = world;
  const inner = network.script.network;
  const call = async <T>(
    family: 'fast' | 'slow',
    of: readonly string[],
    { signal }: ReadContext,
    effect: () => Promise<T>,
  ): Promise<T> => {
    const read = { host, family, of, atMs: scheduler.now(), endedAtMs: Number.POSITIVE_INFINITY };
    reads.push(read);
    const end = (): void => {
      read.endedAtMs = Math.min(read.endedAtMs, scheduler.now());
    };
    signal.addEventListener('abort', end, { once: true });
    world.onDeath(host, end);
    try {
      return await wire.call(host, network.station, of.join(), effect);
    } finally {
      end();
    }
  };
  return {
    ...inner,
    pace: network.pace,
    users: (refs, context) => {
      const names = refs.map((ref) => ('id' in ref ? `user ${ref.id}` : `user @${ref.handle}`));
      return call('fast', names, context, () => inner.users(refs, context));
    },
    async tweets(ids, context) {
      const names = ids.map((id) => `tweet ${id}`);
      const found = await call('fast', names, context, () => inner.tweets(ids, context));
      for (const [nth, one] of found.entries()) {
        if ('ok' in one || one.fail.code !== 'not_found') continue;
        deletions.push({ id: ids[nth] as string, host, learnedAtMs: scheduler.now() });
      }
      return found;
    },
    page(list, token, context) {
      const family = list.kind === 'timeline' ? 'fast' : 'slow';
      return call(family, [`${list.kind} ${list.subject} ${token ?? ''}`], context, async () => {
        const page = await inner.page(list, token, context);
        if (network.pageLateMs > 0) await scheduler.wait(network.pageLateMs);
        return page;
      });
    },
  };
}
