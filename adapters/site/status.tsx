/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import { document } from './layout.js';
import { figure } from './parts.js';
import type { FamilyStatus, Health, StatusModel } from './status-model.js';

const WORDS: Record<Health, { page: string; badge: string }> = {
  ok: { page: 'Everything works', badge: 'Working' },
  degraded: { page: 'Some reads are slow or fail', badge: 'Degraded' },
  down: { page: 'Reads fail at the moment', badge: 'Down' },
};

const FAMILIES: Record<FamilyStatus['name'], { title: string; reads: string }> = {
  fast: { title: 'Fast reads', reads: 'Profiles, tweets and timelines' },
  slow: { title: 'Slow reads', reads: 'Search, threads, replies, quotes, retweeters, followers and following' },
};

const Badge = ({ state }: { state: Health }) => <span class={`badge ${state}`}>{WORDS[state].badge}</span>;

/** To the second: what a person compares with a clock. */
const Time = ({ at }: { at: string }) => (
  <time dateTime={at}>{at.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')}</time>
);

const Family = ({ name, state, queueWaitMs, lastIncident, cacheHitRate }: FamilyStatus) => (
  <li>
    <h2>
      {FAMILIES[name].title} <Badge state={state} />
    </h2>
    <p>{FAMILIES[name].reads}</p>
    <dl class="facts">
      <div>
        <dt>Wait for a turn</dt>
        <dd>{figure(Math.round(queueWaitMs))} ms</dd>
      </div>
      <div>
        <dt>Held already</dt>
        <dd>{cacheHitRate === null ? 'no reads yet' : `${figure(Math.round(cacheHitRate * 1000) / 10)} %`}</dd>
      </div>
      <div class="wide">
        <dt>Last incident</dt>
        <dd>
          {lastIncident === null ? (
            'none since the start'
          ) : (
            <>
              <Time at={lastIncident.at} />: {lastIncident.message}{' '}
              <a href={`/problems/${lastIncident.code}`}>
                <code>{lastIncident.code}</code>
              </a>
            </>
          )}
        </dd>
      </div>
    </dl>
  </li>
);

/** `GET /status` for a browser. */
export const statusPage = (model: StatusModel): string =>
  document(
    {
      title: `${WORDS[model.status].page} · Perch status`,
      description: 'How the reads of this Perch are doing right now.',
      here: '/status',
    },
    <div class="wrap page">
      <p class="eyebrow">Status</p>
      <h1 class={`state ${model.status}`}>{WORDS[model.status].page}</h1>
      <p class="lead">
        Version {model.version} on the {model.network} network, up since <Time at={model.startedAt} />. What fails is
        never charged.
      </p>
      <ul class="cards two">
        {model.families.map((family) => (
          <Family key={family.name} {...family} />
        ))}
        <li>
          <h2>
            Database <Badge state={model.database.ok ? 'ok' : 'down'} />
          </h2>
          <p>{model.database.ok ? 'Accounts and the ledger answer.' : 'Accounts and the ledger do not answer.'}</p>
        </li>
      </ul>
    </div>,
  );
