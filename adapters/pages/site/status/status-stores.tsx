import { figure } from '../../../../src/domain/figures.js';
import type { Health, StatusModel } from './status-model.js';
import { Fact, Time } from './status-parts.js';

type Model = Pick<StatusModel, 'database' | 'redis' | 'processes'>;

const healthOf = ({ database, redis }: Model): Health =>
  database.ok ? (redis.state === 'away' ? 'degraded' : 'ok') : 'down';

const BADGES: Record<Health, string> = { ok: 'Working', degraded: 'Degraded', down: 'Down' };

const Redis = ({ state, since }: StatusModel['redis']) => {
  if (since === null) return <>not used: this process has its own cache</>;
  if (state === 'up') {
    return (
      <>
        reachable since <Time at={since} />
      </>
    );
  }
  return (
    <>
      unreachable since <Time at={since} />: each process uses its own cache and its share of the pace
    </>
  );
};

/** The stores with permanent data, and those whose data may be lost. */
export const Stores = (model: Model) => {
  const health = healthOf(model);
  return (
    <li>
      <h2>
        Stores <span class={`badge ${health}`}>{BADGES[health]}</span>
      </h2>
      <p>Accounts, the ledger and the cache</p>
      <dl class="facts">
        <Fact name="Database" wide>
          {model.database.ok ? 'Accounts and the ledger are reachable.' : 'Accounts and the ledger are unreachable.'}
        </Fact>
        <Fact name="Redis" wide>
          <Redis {...model.redis} />
        </Fact>
        {model.processes === null ? null : <Fact name="Processes">{figure(model.processes)}</Fact>}
      </dl>
    </li>
  );
};
