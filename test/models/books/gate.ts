/** Stands between the service and its network; reads can hang here. */
import type { World } from '../calls/world.js';
import { type Question, type Reply, replyOf } from './network.js';
import { signal } from './signal.js';

export class Gate {
  /** The world that it answers from; each run has its own. */
  world: World;
  #hanging: (() => Promise<void>) | null = null;

  constructor(world: World) {
    this.world = world;
  }

  async answer(question: Question): Promise<Reply> {
    await this.#hanging?.();
    return replyOf(this.world, question);
  }

  /** Makes reads hang until released; `called` resolves when the first one does. */
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

  /** Answers at once again, whatever state a failed run left. */
  reset(): void {
    this.#hanging = null;
  }
}
