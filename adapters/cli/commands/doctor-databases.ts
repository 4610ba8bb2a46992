import type { Config } from '../../../src/config/config.js';
import { hostsOf } from '../../../src/lib/database-address.js';
import type { HostState } from '../../postgres/host-states.js';
import { newestSchema, schemaOf } from '../../postgres/migrate.js';
import type { Replica } from '../../postgres/replica.js';
import type { Sql } from '../../postgres/sql.js';

/** What one check of `perch doctor` found. */
export interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Each host of an address with several: a fail-over needs the others, and one primary. */
export async function checkHosts({ databaseUrl, corpusUrl }: Config): Promise<CheckResult[]> {
  return [
    ...(await describeHosts('Hosts', databaseUrl, unwaited)),
    ...(await describeHosts('Corpus hosts', corpusUrl)),
  ];
}

async function describeHosts(
  name: string,
  url: string | null,
  more: (states: readonly HostState[]) => string[] = () => [],
): Promise<CheckResult[]> {
  if (url === null || hostsOf(url).length === 1) return [];
  const { hostStates } = await import('../../postgres/host-states.js');
  const states = await hostStates(url);
  const primaries = states.filter(({ role }) => role === 'primary').length;
  const why = [
    ...(primaries === 0 ? ['none of them is a primary'] : []),
    ...(primaries > 1 ? [`${primaries} primaries: stop all but the right one`] : []),
    ...more(states),
  ];
  const named = states.map(({ host, role, why: fault }) => `${host} ${role}${fault ? ` (${fault})` : ''}`).join(', ');
  const ok = primaries === 1 && states.every(({ role }) => role !== 'unreachable');
  return [{ name, ok, detail: [named, ...why].join('; ') }];
}

const unwaited = (states: readonly HostState[]): string[] =>
  states.some(({ role, isSynchronous }) => role === 'primary' && isSynchronous === false)
    ? ['commits wait for no standby, so a fail-over loses the last of them']
    : [];

/** The server that the corpus is read from at this moment. */
export async function describeCorpus(sql: Sql): Promise<CheckResult> {
  const { version, isStandby } = await schemaOf(sql);
  const [row] = await sql<{ server: string }[]>`select current_setting('server_version') as server`;
  const ok = version === newestSchema();
  const schema = ok ? `schema ${version}` : `schema ${version ?? 'missing'}, not ${newestSchema()}`;
  const role = isStandby ? 'a replica' : 'the primary';
  return { name: 'Corpus', ok, detail: `Postgres ${row?.server}, at CORPUS_DATABASE_URL, ${role}; ${schema}` };
}

/** Whether history can be read from its replica, and what it is behind. */
export async function describeReplica(replica: Replica): Promise<CheckResult> {
  const { why, asOf } = await replica.look(REPLICA_WAIT_MS);
  if (asOf === null)
    return { name: 'History', ok: false, detail: `read at DATABASE_URL, as its replica cannot be used: ${why}` };
  const detail = `from the replica at HISTORY_DATABASE_URL, whose newest commit is of ${asOf.toISOString()}`;
  return { name: 'History', ok: true, detail };
}

const REPLICA_WAIT_MS = 10_000;
