/** What is between the service and the world: reads can hang here. */
import type { World } from '../calls/world.js';
import { type Question, type Reply, replyOf } from './network.js';
import { signal } from './signal.js';

export class Gate {
  /** What it answers from; another one for each run. */
  world: World;
  #hanging: (() => Promise<void>) | null = null;

  constructor(world: World) {
    this.world = world;
  }

  async answer(question: Question): Promise<Reply> {
    await this.#hanging?.();
    return replyOf(this.world, question);
  }

  /** Reads hang from now on, until released; `called` resolves with the first that does. */
  hang(): { readonly called: Promise<void>; release(): void } {
    const [called, released] = [signal(), signal()];
    this.#hanging = async () => {
      called.fire();
      await released.fired;
    };
    return {
      called: called.fired,
      release: () => {
        this.#hanging = null;
        released.fire();
      },
    };
  }

  /** Answers at once again, whatever a run that failed has left. */
  reset(): void {
    this.#hanging = null;
  }
}
