import DataLoader from 'dataloader';
import { Redis } from 'ioredis';
import type { RedisClient } from './client.js';
import type { RedisLink } from './link.js';

/** The most inputs of one command: Redis runs no other command meanwhile. */
const MOST_AT_ONCE = 256;

export interface BatchOperation<In, Out> {
  /** One command for all inputs, with the results in their order. The keys of one input are in one slot. */
  readonly send: (redis: RedisClient, inputs: readonly In[]) => Promise<readonly Out[]>;
  /** Whether the keys of all inputs are in one slot, so that one command is enough for a cluster, too. */
  readonly isInOneSlot?: boolean;
  /** The result for an input as soon as Redis is away. */
  readonly fallback: (input: In) => Out | Promise<Out>;
}

/**
 * An operation on one input. All inputs of the same turn of the event loop, from any request, are sent as one command.
 * A command to a cluster may only have keys of one slot: there each input gets its own command, pipelined by node.
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
