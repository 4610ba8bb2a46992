import type { ComposeOptions } from '../../../app/compose.js';
import { createScriptedNetwork, range, type ScriptedNetwork } from '../../kit/networks/scripted-network.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { activity } from '../../kit/postgres/database.js';
import { type ManualClock, manualClock } from '../../kit/time/manual-clock.js';
import { withinSeconds } from '../../kit/time/within-seconds.js';

export interface Service {
  readonly net: ScriptedNetwork;
  readonly perch: TestPerch;
  readonly clock: ManualClock;
  close(): Promise<void>;
}

/** Newest first: tweets 200 to 101 of user 1, each of which quotes the tweet whose id is a hundred lower. */
export const TIMELINE = range(100, 101).reverse().map(String);

export type Mount = NonNullable<ComposeOptions['graphql']>;

/** What runs GraphQL. Every test of one also runs with the other. */
export const MOUNTS: readonly Mount[] = ['yoga', 'mercurius'];

/** A Perch over a small scripted network, with a clock that stands still. `close` checks the ledger. */
export async function startService(
  env: Record<string, string> = {},
  graphql: Mount = 'yoga',
  options: Partial<ComposeOptions> = {},
): Promise<Service> {
  const clock = manualClock();
  const net = createScriptedNetwork();
  net.users(range(60));
  net.tweets(range(100), { authorId: '2' });
  for (const id of range(100, 101)) net.tweet({ id: String(id), authorId: '1', quotedId: String(id - 100) });
  net.list('timeline', '1', TIMELINE, { pageSize: 100 });
  net.list('timeline', '2', range(100).reverse().map(String), { pageSize: 100 });
  net.list('followers', '1', range(50, 2).map(String));
  net.list('replies', '200', ['90', '91', '92']);
  const perch = await startPerch({ clock, network: net.network, env, graphql, ...options });
  return {
    net,
    perch,
    clock,
    async close() {
      const { faults } = await withinSeconds(30, perch.ledger.check(), () => activity(perch.database.target));
      await perch.close();
      if (faults.length > 0) throw new Error(`The ledger is wrong: ${JSON.stringify(faults)}`);
    },
  };
}
