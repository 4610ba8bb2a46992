import DataLoader from 'dataloader';
import { Redis } from 'ioredis';
import type { RedisClient } from './client.js';
import type { RedisLink } from './link.js';

/** Most inputs of one command: Redis runs no other meanwhile. */
const MOST_AT_ONCE = 256;

export interface BatchOperation<In, Out> {
  /** One command for all inputs, with the results in their order. The keys of one input are in one slot. */
  readonly send: (redis: RedisClient, inputs: readonly In[]) => Promise<readonly Out[]>;
  /** The keys of all inputs are in one slot, so that a cluster is sent one command, too. */
  readonly isInOneSlot?: boolean;
  /** The result for an input as soon as Redis is away. */
  readonly fallback: (input: In) => Out | Promise<Out>;
}

/**
 * An operation on one input. All that is asked for in the same turn of the event loop, for whichever request, is one
 * command. A command to a cluster has keys of one slot only: there it is one for each input, pipelined by node.
 */
export function batched<In, Out>(
  link: RedisLink,
  { send, fallback, isInOneSlot = false }: BatchOperation<In, Out>,
): (input: In) => Promise<Out> {
  const sendAll = async (redis: RedisClient, inputs: readonly In[]): Promise<readonly Out[]> =>
    redis instanceof Redis || isInOneSlot
      ? send(redis, inputs)
      : (await Promise.all(inputs.map((input) => send(redis, [input])))).flat();
  const loader = new DataLoader<In, Out>(
    (inputs) =>
      link.run<readonly Out[]>(
        (redis) => sendAll(redis, inputs),
        () => Promise.all(inputs.map(fallback)),
      ),
    { cache: false, maxBatchSize: MOST_AT_ONCE, batchScheduleFn: (dispatch) => link.time.timers.after(0, dispatch) },
  );
  return (input) => loader.load(input);
}
