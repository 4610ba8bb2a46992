/** The whole service in a process of its own, over a network that does as it is told. Ends with its parent. */
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
  /** To collect the garbage, and say what is kept. */
  readonly measure?: boolean;
}

export interface Done {
  readonly id: number;
  /** What the process really keeps, in MB, garbage not counted; null when that was not asked for. */
  readonly keptMb: number | null;
}

const [mount] = process.argv.slice(2);
const config = readConfig({ env: process.env, cwd: process.cwd(), terminal: false });
const lifecycle = new Lifecycle();
const stores = await openStores(lifecycle, config);
const { network, become, remove } = createHostileNetwork();
const log = pino({ level: config.log.level });
const graphql = mount === 'mercurius' ? 'mercurius' : 'yoga';
const { url } = await compose(lifecycle, config, stores, { log, network, graphql });

function keptMb(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 / 1024;
}

process.on('disconnect', () => process.exit());
process.on('message', (order: Order) => {
  if (order.become) become(order.become);
  if (order.remove !== undefined) remove(order.remove);
  process.send?.({ id: order.id, keptMb: order.measure ? keptMb() : null } satisfies Done);
});
process.send?.({ url });
