/** The whole service in a process of its own, over a network that the test controls. Ends with its parent. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { compose } from '../../../app/compose.js';
import { Lifecycle } from '../../../app/lifecycle.js';
import { openStores } from '../../../app/stores.js';
import { readConfig } from '../../../src/config/config.js';
import { createHostileNetwork, type Weather } from './network.js';

export interface Order {
  readonly id: number;
  readonly become?: Weather;
  readonly remove?: string;
  /** Collects garbage and measures memory, until this little is left, in MB. */
  readonly measure?: { readonly enoughMb: number };
}

export interface Done {
  readonly id: number;
  /** The memory that the process really keeps, in MB, without garbage; null if that was not requested. */
  readonly keptMb: number | null;
}

/** Memory counts as stable by these, in milliseconds and MB. */
const SWEEP_MS = 30;
const LEAST_ROUNDS = 2;
const MOST_ROUNDS = 12;
const SETTLED_MB = 0.2;

const [mount] = process.argv.slice(2);
const config = readConfig({ env: process.env, cwd: process.cwd(), terminal: false });
const lifecycle = new Lifecycle();
const stores = await openStores(lifecycle, config);
const { network, become, remove } = createHostileNetwork();
const log = pino({ level: config.log.level });
const graphql = mount === 'mercurius' ? 'mercurius' : 'yoga';
const { url } = await compose(lifecycle, config, stores, { log, network, graphql });

/** Garbage is freed in steps: closing connections still have their bodies, and buffers are swept in the background. */
async function keptMb(enoughMb: number): Promise<number> {
  let leastMb = Number.POSITIVE_INFINITY;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    globalThis.gc?.();
    await sleep(SWEEP_MS);
    const { heapUsed, external } = process.memoryUsage();
    const nowMb = (heapUsed + external) / 1024 / 1024;
    const isSettled = round >= LEAST_ROUNDS && nowMb > leastMb - SETTLED_MB;
    leastMb = Math.min(leastMb, nowMb);
    if (isSettled || leastMb <= enoughMb) break;
  }
  return leastMb;
}

process.on('disconnect', () => process.exit());
process.on('message', async (order: Order) => {
  if (order.become) become(order.become);
  if (order.remove !== undefined) remove(order.remove);
  process.send?.({ id: order.id, keptMb: order.measure ? await keptMb(order.measure.enoughMb) : null } satisfies Done);
});
process.send?.({ url });
