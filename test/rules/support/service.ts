import type { Customers } from '../../kit/customers.js';
import { customersOf } from '../../kit/customers.js';
import { createScriptedNetwork, type ScriptedNetwork } from '../../kit/networks/scripted-network.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { type ManualClock, manualClock } from '../../kit/time/manual-clock.js';

export interface Service extends Customers {
  readonly perch: TestPerch;
  readonly clock: ManualClock;
  readonly net: ScriptedNetwork;
  close(): Promise<void>;
}

export interface ServiceOptions {
  readonly env?: Record<string, string>;
  readonly network?: Parameters<typeof createScriptedNetwork>[0];
  /** Fills the network before the service starts. */
  readonly fill?: (net: ScriptedNetwork) => void;
}

/** A Perch over a scripted network, with a clock that only the test moves. */
export async function startService({ env = {}, network = {}, fill }: ServiceOptions = {}): Promise<Service> {
  const clock = manualClock();
  const net = createScriptedNetwork(network);
  fill?.(net);
  const perch = await startPerch({ clock, env, network: net.network });
  const customers = customersOf(perch);
  return {
    ...customers,
    perch,
    clock,
    net,
    async close() {
      await customers.settle();
      await perch.close();
    },
  };
}
