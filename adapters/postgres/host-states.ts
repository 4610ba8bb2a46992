import { addressOf, hostsOf } from '../../src/lib/database-address.js';
import { connect } from './sql.js';

export interface HostState {
  readonly host: string;
  readonly role: 'primary' | 'standby' | 'unreachable';
  /** For a primary: whether a commit waits until a standby has it. */
  readonly isSynchronous?: boolean;
  /** For an unreachable host: the error. */
  readonly why?: string;
}

/** The current state of each host in a database address. */
export const hostStates = (address: string): Promise<HostState[]> =>
  Promise.all(hostsOf(address).map((host) => stateOf(host, addressOf(address, host))));

async function stateOf(host: string, url: string): Promise<HostState> {
  const sql = connect({ url }, { max: 1 });
  try {
    const [row] = await sql<[{ isStandby: boolean; isSynchronous: boolean }]>`
      select pg_is_in_recovery() as "isStandby",
        current_setting('synchronous_standby_names') <> '' and current_setting('synchronous_commit') <> 'off'
          as "isSynchronous"`;
    return row.isStandby ? { host, role: 'standby' } : { host, role: 'primary', isSynchronous: row.isSynchronous };
  } catch (error) {
    const { message, code } = error as { message: string; code?: string };
    return { host, role: 'unreachable', why: message || String(code) };
  } finally {
    await sql.end({ timeout: 0 });
  }
}
