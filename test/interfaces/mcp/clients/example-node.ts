import { mountTransport } from '../../../../adapters/mcp/transport.js';
import { createScriptedNetwork } from '../../../kit/networks/scripted-network.js';
import { startPerch } from '../../../kit/perch.js';
import { type ManualClock, manualClock } from '../../../kit/time/manual-clock.js';
import { exampleServers } from './example-server.js';

export interface ExampleNode {
  /** The address of `/mcp`. */
  readonly url: URL;
  /** A working key. */
  readonly key: string;
  readonly clock: ManualClock;
  close(): Promise<void>;
}

/**
 * The tools, resources and prompts that the conformance suite needs, over this service's own transport and key check.
 */
export async function startExample(): Promise<ExampleNode> {
  const clock = manualClock();
  const { network } = createScriptedNetwork();
  const perch = await startPerch({
    clock,
    network,
    interfaces: (app, { serve }) =>
      mountTransport(app, { serve, operationOf: () => null, open: async () => exampleServers() }),
  });
  const { key } = await perch.account({ credits: 0, qps: 0 });
  return { url: new URL('/mcp', perch.url), key, clock, close: () => perch.close() };
}
