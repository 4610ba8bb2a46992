import type { Config } from '../../../src/config/config.js';
import { counted, figure } from '../../../src/domain/figures.js';
import { hostsOf } from '../../../src/lib/database-address.js';
import type { HostState } from '../../postgres/host-states.js';
import { newestSchema, schemaOf } from '../../postgres/migrate.js';
import type { Replica } from '../../postgres/replica.js';
import type { Sql, Target } from '../../postgres/sql.js';

/** The result of one check of `perch doctor`. */
export interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/**
 * Checks addresses that name several hosts: all must be reachable for a fail-over, and exactly one must be a primary.
 */
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
    ? ['commits do not wait for a standby, so a fail-over loses the latest ones']
    : [];

/** Describes a database that Citus distributes: its workers, what each holds, and which tables are not distributed. */
export async function checkShards({ databaseUrl: url }: Config): Promise<CheckResult[]> {
  const name = 'Shards';
  const undistributed = { name, ok: true, detail: 'one server: the database is not distributed' };
  if (url === null) return [undistributed];
  const { connect } = await import('../../postgres/sql.js');
  const { isDistributed, leftOut, readWorkers } = await import('../../postgres/shards/shards.js');
  const sql = connect({ url }, { max: 1, name: 'perch doctor' });
  try {
    if (!(await isDistributed(sql))) return [undistributed];
    const workers = await readWorkers(sql);
    const left = await leftOut(sql);
    const all = workers.reduce((sum, { bytes }) => sum + bytes, 0);
    const most = Math.max(...workers.map(({ bytes }) => bytes));
    const skew = all === 0 ? 1 : (most * workers.length) / all;
    const spread = `${counted(workers.length, 'worker')}; the fullest holds ${figure(Math.round(skew * 10) / 10)} times the average`;
    const missing = `not distributed: ${left.join(', ')}. Stop all nodes, then run perch database distribute`;
    return [
      { name, ok: left.length === 0, detail: left.length === 0 ? spread : `${spread}; ${missing}` },
      ...(await Promise.all(
        workers.map(async ({ name: worker, answers, shards, bytes }) => {
          const why = answers ? await whyThrough(sql, { url }, worker) : 'does not answer';
          const size = answers ? `, ${figure(Math.ceil(bytes / 2 ** 20))} MB` : '';
          return {
            ...{ name: 'Worker', ok: answers },
            detail: `${worker}, ${counted(shards, 'shard')}${size}${why === null ? '' : `; ${why}`}`,
          };
        }),
      )),
    ];
  } catch (error) {
    return [{ name, ok: false, detail: error instanceof Error ? error.message || error.name : String(error) }];
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Why this machine sends a worker's charges through the coordinator; null if it sends them directly. */
async function whyThrough(sql: Sql, coordinator: Target, worker: string): Promise<string | null> {
  const { connect } = await import('../../postgres/sql.js');
  const { serverAt, whyUnusable } = await import('../../postgres/shards/shard-servers.js');
  const itself = connect(serverAt(coordinator, worker), { max: 1, name: 'perch doctor' });
  try {
    const why = await whyUnusable(sql, itself, worker);
    return why && `charges go through the coordinator, because this machine cannot use the worker: ${why}`;
  } finally {
    await itself.end({ timeout: 1 });
  }
}

/** The server that the corpus is currently read from. */
export async function describeCorpus(sql: Sql): Promise<CheckResult> {
  const { version, isStandby } = await schemaOf(sql);
  const [row] = await sql<{ server: string }[]>`select current_setting('server_version') as server`;
  const ok = version === newestSchema();
  const schema = ok ? `schema ${version}` : `schema ${version ?? 'missing'}, not ${newestSchema()}`;
  const role = isStandby ? 'a replica' : 'the primary';
  return { name: 'Corpus', ok, detail: `Postgres ${row?.server}, at CORPUS_DATABASE_URL, ${role}; ${schema}` };
}

/** Whether history can be read from its replica, and whether the replica is current. */
export async function describeReplica(replica: Pick<Replica, 'look' | 'isBehind'>): Promise<CheckResult> {
  const { why, asOf } = await replica.look(REPLICA_WAIT_MS);
  if (asOf === null)
    return { name: 'History', ok: false, detail: `read at DATABASE_URL, because its replica cannot be used: ${why}` };
  const detail = `from the replica at HISTORY_DATABASE_URL, whose newest commit is from ${asOf.toISOString()}`;
  // While the service is stopped, nothing is committed.
  if (Date.now() - asOf.getTime() <= STALE_MS || !(await replica.isBehind()))
    return { name: 'History', ok: true, detail };
  const advice = 'look at its disk, its longest query and its connection to the primary';
  return { name: 'History', ok: false, detail: `${detail}, although the primary has newer ones: ${advice}` };
}

const REPLICA_WAIT_MS = 10_000;
/** As long as for the alert PerchReplicaIsBehind. */
const STALE_MS = 300_000;
