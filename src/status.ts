import type { Sql } from '../adapters/postgres/sql.js';
import type { ErrorCode } from './core/errors.js';
import type { Family } from './core/model.js';
import { VERSION } from './core/version.js';
import type { Clock, Network } from './ports.js';
import type { Pool } from './read/pool/pool.js';

export interface StatusOptions {
  readonly network: Network;
  readonly pool: Pool;
  readonly sql: Sql;
  readonly clock: Clock;
  readonly startedAt: number;
}

const FAMILIES: readonly Family[] = ['fast', 'slow'];
const DATABASE_WAIT_MS = 1000;

/** The state of the service, asked anew each time (H10). */
export function createStatus(options: StatusOptions) {
  const { network, pool, sql, startedAt } = options;
  return async () => {
    const ok = await databaseAnswers(sql);
    const health = pool.health();
    const families = FAMILIES.map((name) => {
      const { failing, lastIncident, held, read, waitMs } = health.families[name];
      return {
        name,
        state: failing ? ('degraded' as const) : ('ok' as const),
        queueWaitMs: Math.round(waitMs),
        lastIncident: lastIncident && {
          at: new Date(lastIncident.at).toISOString(),
          code: lastIncident.code as ErrorCode,
          message: lastIncident.message,
        },
        cacheHitRate: held + read === 0 ? null : held / (held + read),
      };
    });
    const degraded = families.some((family) => family.state !== 'ok');
    return {
      status: ok ? (degraded ? ('degraded' as const) : ('ok' as const)) : ('down' as const),
      network: network.name,
      database: { ok },
      families,
      startedAt: new Date(startedAt).toISOString(),
      version: VERSION,
    };
  };
}

async function databaseAnswers(sql: Sql): Promise<boolean> {
  const late = new Promise<false>((resolve) => setTimeout(resolve, DATABASE_WAIT_MS, false).unref());
  const answer = sql`select 1`.then(
    () => true,
    () => false,
  );
  return Promise.race([answer, late]);
}
