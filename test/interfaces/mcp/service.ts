import type { ComposeOptions } from '../../../app/compose.js';
import { createScriptedNetwork, type ScriptedNetwork } from '../../kit/networks/scripted-network.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { type ManualClock, manualClock } from '../../kit/time/manual-clock.js';
import { fill } from '../../rules/support/rows.js';

export interface McpService {
  readonly perch: TestPerch;
  readonly net: ScriptedNetwork;
  readonly clock: ManualClock;
  /** The address of `/mcp`. */
  readonly url: URL;
  close(): Promise<void>;
}

/** A Perch whose network has an answer for every read; its clock stands still. */
export async function startMcp({ graphql = 'yoga' }: Pick<ComposeOptions, 'graphql'> = {}): Promise<McpService> {
  const clock = manualClock();
  const net = createScriptedNetwork();
  fill(net);
  const perch = await startPerch({ clock, network: net.network, graphql });
  return { perch, net, clock, url: new URL(`${perch.url}/mcp`), close: () => perch.close() };
}
