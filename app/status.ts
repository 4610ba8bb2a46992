import type { Health, StatusModel } from '../adapters/pages/site/status/status-model.js';
import type { Sql } from '../adapters/postgres/sql.js';
import { familyOfList, isListKind } from '../src/domain/lists.js';
import type { Family } from '../src/domain/model.js';
import { VERSION } from '../src/domain/version.js';
import { backgroundTimers, withTimeout } from '../src/lib/monotonic.js';
import type { Clock } from '../src/ports/clock.js';
import type { Network, NetworkReport } from '../src/ports/network.js';
import type { FamilyHealth, PoolHealth } from '../src/read/pool/health.js';
import type { Pool } from '../src/read/pool/pool.js';
import type { SessionHealth } from '../src/read/pool/session.js';
import type { Shared } from './shared.js';

export interface StatusOptions {
  readonly network: Network;
  readonly pool: Pool;
  readonly databaseAnswers: () => Promise<boolean>;
  readonly clock: Clock;
  readonly startedAt: number;
  /** Null if no Redis is used. */
  readonly redis?: Shared['redis'];
  /** The findings of the network's own check at the start, once that is complete. */
  readonly findings?: () => NetworkReport['findings'];
  /** Whether this process was asked to stop. */
  readonly draining?: () => boolean;
}

export const FAMILIES: readonly Family[] = ['fast', 'slow'];
const DATABASE_WAIT_MS = 1000;

/** The state of the service, determined on each request (H10). */
export function createStatus(options: StatusOptions): () => Promise<StatusModel> {
  const { network, pool, startedAt, redis = null, findings = () => [], draining = () => false } = options;
  return async () => {
    const ok = await options.databaseAnswers();
    const health = pool.health();
    const shared = redis?.() ?? null;
    const families = FAMILIES.map((name) => familyStatus(name, health));
    return {
      status: ok ? overall(families, shared?.up ?? true) : 'down',
      network: network.name,
      database: { ok },
      redis: shared
        ? { state: shared.up ? 'up' : 'away', since: isoTime(shared.since) }
        : { state: 'not used', since: null },
      processes: shared?.nodes ?? null,
      families,
      sessions: health.sessions.map(({ name, state, closed }) => ({
        name,
        state,
        closed: closed.map(({ kind, why, untilMs }) => ({ kind, why, until: isoTime(untilMs) })),
      })),
      networkFindings: findings(),
      draining: draining(),
      startedAt: isoTime(startedAt),
      version: VERSION,
    };
  };
}

/** Whether no read of the family is possible. */
export const isDown = (name: Family, { families, sessions }: PoolHealth): boolean =>
  familyState(name, families[name], sessions) === 'down';

const isoTime = (ms: number): string => new Date(ms).toISOString();

function overall(families: StatusModel['families'], isRedisUp: boolean): Health {
  if (families.every(({ state }) => state === 'down')) return 'down';
  return isRedisUp && families.every(({ state }) => state === 'ok') ? 'ok' : 'degraded';
}

function familyStatus(name: Family, { families, sessions }: PoolHealth): StatusModel['families'][number] {
  const family = families[name];
  const { lastIncident, cacheHits, read } = family;
  return {
    name,
    state: familyState(name, family, sessions),
    queueWaitMs: Math.round(family.waitMs),
    queueLength: family.waiting,
    upstreamCalls: family.upstreamCalls,
    failures: family.failures,
    unreadable: family.unreadable,
    refused: family.refused,
    lastIncident: lastIncident && { ...lastIncident, at: isoTime(lastIncident.at) },
    cacheHitRate: cacheHits + read === 0 ? null : cacheHits / (cacheHits + read),
  };
}

/**
 * Down if no session can be used; degraded if one rests, if some kind is failing or is closed to all sessions, or if
 * the last call failed.
 */
function familyState(name: Family, { failing }: FamilyHealth, sessions: readonly SessionHealth[]): Health {
  const isShut = (session: SessionHealth): boolean => isShutFor(name, session);
  if (sessions.every(isShut)) return 'down';
  const closings = sessions.flatMap(({ closed }) => closed.filter(({ kind }) => familyOfKind(kind) === name));
  const resting = sessions.some(isShut) || closings.some(({ why }) => why !== 'refused');
  const closedToAll = closings.some(({ kind }) =>
    sessions.every((session) => isShut(session) || session.closed.some((closed) => closed.kind === kind)),
  );
  return failing || resting || closedToAll ? 'degraded' : 'ok';
}

/** Whether the whole session rests, or everything tried with it fails, including this family's reads. */
const isShutFor = (name: Family, { state, closed }: SessionHealth): boolean =>
  state === 'resting' || (state === 'failing' && closed.some(({ kind }) => familyOfKind(kind) === name));

/**
 * The family of a session's kind of read: objects by id, a list, or a product of the search (`search:Top`). Null for
 * `*`, which stands for all kinds: the whole session then rests.
 */
function familyOfKind(kind: string): Family | null {
  if (kind === 'users' || kind === 'tweets') return 'fast';
  const [list = ''] = kind.split(':');
  return isListKind(list) ? familyOfList(list) : null;
}

/**
 * Whether the database answers within a second. Callers share the query in flight: anyone may ask, and while the
 * database hangs each query would keep a place in the pool.
 */
export function createDatabaseCheck(sql: Sql): () => Promise<boolean> {
  let query: Promise<boolean> | undefined;
  const ask = (): Promise<boolean> =>
    sql`select 1`
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        query = undefined;
      });
  return async () => {
    query ??= ask();
    return (await withTimeout(DATABASE_WAIT_MS, query, backgroundTimers)) === true;
  };
}
