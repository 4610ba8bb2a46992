import { pino } from 'pino';
import type { ComposeOptions } from '../../../app/compose.js';
import { type Client, createClient } from '../../kit/client.js';
import { createScriptedNetwork, range, type ScriptedNetwork } from '../../kit/networks/scripted-network.js';
import { startPerch, type TestAccount, type TestPerch } from '../../kit/perch.js';

export interface Watched {
  readonly perch: TestPerch;
  readonly net: ScriptedNetwork;
  readonly account: TestAccount;
  readonly client: Client;
  /** All log lines, of every level. */
  readonly log: { readonly lines: string[] };
}

/** A Perch over a scripted network of ten users, with an account and a readable log. */
export async function startWatched(
  options: Partial<ComposeOptions> & { env?: Record<string, string> } = {},
): Promise<Watched> {
  const net = createScriptedNetwork();
  net.users(range(10));
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
  const perch = await startPerch({ network: net.network, log, ...options });
  const account = await perch.account();
  return { perch, net, account, client: createClient(perch.url, account.key), log: { lines } };
}
