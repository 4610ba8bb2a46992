import type { ComposeOptions } from '../../app/compose.js';
import { fill } from '../parity/rows.js';
import { type ManualClock, manualClock } from '../support/manual-clock.js';
import { startPerch, type TestPerch } from '../support/perch.js';
import { createScriptedNetwork, type ScriptedNetwork } from '../support/scripted-network.js';

export interface McpService {
  readonly perch: TestPerch;
  readonly net: ScriptedNetwork;
  readonly clock: ManualClock;
  /** Of `/mcp`. */
  readonly url: URL;
  close(): Promise<void>;
}

/** A Perch whose network has something for every read to answer; its clock stands still. */
export async function startMcp({ graphql = 'yoga' }: Pick<ComposeOptions, 'graphql'> = {}): Promise<McpService> {
  const clock = manualClock();
  const net = createScriptedNetwork();
  fill(net);
  const perch = await startPerch({ clock, network: net.network, graphql });
  return { perch, net, clock, url: new URL(`${perch.url}/mcp`), close: () => perch.close() };
}
