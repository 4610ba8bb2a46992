import { figure } from '../../../../src/domain/figures.js';
import { document } from '../../kit/layout.js';
import { History } from './status-history.js';
import type { FamilyStatus, Health, HistoryModel, StatusModel } from './status-model.js';
import { Fact, TimeText } from './status-parts.js';
import { SessionsTable } from './status-sessions.js';

type Model = Pick<StatusModel, 'database' | 'redis' | 'processes'>;

const overallHealth = ({ database, redis }: Model): Health =>
  database.ok ? (redis.state === 'away' ? 'degraded' : 'ok') : 'down';

const Redis = ({ state, since }: StatusModel['redis']) => {
  if (since === null) return <>not used: this process has its own cache</>;
  if (state === 'up') {
    return (
      <>
        reachable since <TimeText at={since} />
      </>
    );
  }
  return (
    <>
      unreachable since <TimeText at={since} />: each process uses its own cache and its share of the pace
    </>
  );
};

/** The stores with permanent data, and those whose data may be lost. */
const Stores = (model: Model) => {
  const health = overallHealth(model);
  return (
    <li>
      <h2>
        Stores <span class={`badge ${health}`}>{WORDS[health].badge}</span>
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

/** What this configuration can and cannot read from the network, in the network's own messages. */
const Findings = ({ network, networkFindings }: StatusModel) =>
  networkFindings.length === 0 ? null : (
    <li>
      <h2>What can be read from {network}</h2>
      {networkFindings.map(({ ok, what }) => (
        <p key={what}>
          <span class={`badge ${ok ? 'ok' : 'degraded'}`}>{ok ? 'Yes' : 'No'}</span> {what}
        </p>
      ))}
    </li>
  );

const WORDS: Record<Health, { page: string; badge: string }> = {
  ok: { page: 'All systems operational', badge: 'Working' },
  degraded: { page: 'Some reads are slow or failing', badge: 'Degraded' },
  down: { page: 'Reads are failing', badge: 'Down' },
};

/** Where only Redis is away, nothing fails because of it. */
const pageWords = ({ status, families, redis }: StatusModel): string =>
  status === 'degraded' && redis.state === 'away' && families.every(({ state }) => state === 'ok')
    ? 'Reads work, some more slowly'
    : WORDS[status].page;

const FAMILIES: Record<FamilyStatus['name'], { title: string; reads: string }> = {
  fast: { title: 'Fast reads', reads: 'Profiles, tweets and timelines' },
  slow: { title: 'Slow reads', reads: 'Search, threads, replies, quotes, retweeters, followers and following' },
};

const percent = (share: number): string => `${figure(Math.round(share * 1000) / 10)}%`;

const Incident = ({ at, code, message }: NonNullable<FamilyStatus['lastIncident']>) => (
  <>
    <TimeText at={at} />: {message}{' '}
    <a href={`/problems/${code}`}>
      <code>{code}</code>
    </a>
  </>
);

const Family = (family: FamilyStatus) => (
  <li>
    <h2>
      {FAMILIES[family.name].title} <span class={`badge ${family.state}`}>{WORDS[family.state].badge}</span>
    </h2>
    <p>{FAMILIES[family.name].reads}</p>
    <dl class="facts">
      <Fact name="Queue wait">{figure(Math.round(family.queueWaitMs))} ms</Fact>
      <Fact name="Queue length">{figure(family.queueLength)}</Fact>
      <Fact name="Cache hit rate">{family.cacheHitRate === null ? 'no reads yet' : percent(family.cacheHitRate)}</Fact>
      <Fact name="Upstream calls">{figure(family.upstreamCalls)}</Fact>
      <Fact name="Failed calls">{figure(family.failures)}</Fact>
      <Fact name="Refused (too late, or over their share)">{figure(family.refused)}</Fact>
      <Fact name="Last incident" wide>
        {family.lastIncident === null ? 'none since the start' : <Incident {...family.lastIncident} />}
      </Fact>
    </dl>
  </li>
);

/** `GET /status` for a browser. */
export const statusPage = (model: StatusModel, history: HistoryModel | null): string =>
  document(
    {
      title: `${pageWords(model)} · Perch status`,
      description: 'The current state of this Perch server and the network it reads.',
      here: '/status',
    },
    <div class="wrap page">
      <p class="eyebrow">Status</p>
      <h1 class={`state ${model.status}`}>{pageWords(model)}</h1>
      <p class="lead">
        Version {model.version} on the {model.network} network, up since <TimeText at={model.startedAt} />. Failed
        requests are never charged.
      </p>
      {model.draining ? <p class="lead">This process is shutting down and finishing its last requests.</p> : null}
      <ul class="cards two">
        {model.families.map((family) => (
          <Family key={family.name} {...family} />
        ))}
        <SessionsTable sessions={model.sessions} />
        <Findings {...model} />
        <Stores {...model} />
      </ul>
      <History history={history} />
    </div>,
  );
