import { figure } from '../../../../src/domain/figures.js';
import { document, type Publisher } from '../../kit/layout.js';
import { FAMILY_NAMES, History, STATUS_FEED } from './status-history.js';
import type { FamilyStatus, Health, HistoryModel, StatusModel } from './status-model.js';
import { Fact, TimeText } from './status-parts.js';

const WORDS: Record<Health, { page: string; badge: string }> = {
  ok: { page: 'All systems operational', badge: 'Working' },
  degraded: { page: 'Some reads are slow or failing', badge: 'Degraded' },
  down: { page: 'Reads are failing', badge: 'Down' },
};

/** If only Redis is away, reads do not fail, so the page says so. */
const pageWords = ({ status, families, redis }: StatusModel): string =>
  status === 'degraded' && redis.state === 'away' && families.every(({ state }) => state === 'ok')
    ? 'Reads work, some more slowly'
    : WORDS[status].page;

const percent = (share: number): string => `${figure(Math.round(share * 1000) / 10)}%`;

const Incident = ({ at, code, message }: NonNullable<FamilyStatus['lastIncident']>) => (
  <>
    <TimeText at={at} />: {message}{' '}
    <a href={`/problems/${code}`}>
      <code>{code}</code>
    </a>
  </>
);

const READS: Record<FamilyStatus['name'], string> = {
  fast: 'One by one, in batches, and a user’s tweets',
  slow: 'Search, threads, replies, quotes, retweeters, followers and following',
};

const Family = (family: FamilyStatus) => (
  <li>
    <h2>
      {FAMILY_NAMES[family.name]} <span class={`badge ${family.state}`}>{WORDS[family.state].badge}</span>
    </h2>
    <p>{READS[family.name]}</p>
    <dl class="facts">
      <Fact name="Queue wait of a read that is not cached">{figure(Math.round(family.queueWaitMs))} ms</Fact>
      <Fact name="Look-ups found in the cache">
        {family.cacheHitRate === null ? 'no reads yet' : percent(family.cacheHitRate)}
      </Fact>
      <Fact name="Last failure" wide>
        {family.lastIncident === null ? 'none since the start' : <Incident {...family.lastIncident} />}
      </Fact>
    </dl>
  </li>
);

/** The parts of the service that every call needs, whatever it reads. */
const Service = ({ database, redis, startedAt, version }: StatusModel) => {
  const health = database.ok ? (redis.state === 'away' ? 'degraded' : 'ok') : 'down';
  return (
    <li>
      <h2>
        Keys, balances and charges <span class={`badge ${health}`}>{WORDS[health].badge}</span>
      </h2>
      <p>
        {database.ok
          ? 'Keys are checked and reads are charged as usual.'
          : 'No key can be checked: reads fail, and cost nothing.'}
      </p>
      <dl class="facts">
        {redis.state === 'away' && redis.since !== null ? (
          <Fact name="Shared cache" wide>
            unreachable since <TimeText at={redis.since} />: less is cached, and some reads are slower
          </Fact>
        ) : null}
        <Fact name="Version">{version}</Fact>
        <Fact name="Up since">
          <TimeText at={startedAt} />
        </Fact>
      </dl>
    </li>
  );
};

/** `search:Top` is the search with the product Top. */
const kindWords = (kind: string): string => (kind === '*' ? 'everything' : kind.replace(':', ' '));

/** What none of the service's network sessions can read now, and until when. */
const Closed = ({ network, sessions }: StatusModel) => {
  const [first, ...others] = sessions;
  const isClosed = ({ closed }: StatusModel['sessions'][number], kind: string): boolean =>
    closed.some((each) => each.kind === kind || each.kind === '*');
  const closed = (first?.closed ?? []).filter(({ kind }) => others.every((session) => isClosed(session, kind)));
  return closed.length === 0 ? null : (
    <li>
      <h2>
        Closed by the network <span class="badge degraded">Limited</span>
      </h2>
      <p>{network} does not answer these reads for now. They fail and cost nothing.</p>
      <dl class="facts">
        {closed.map(({ kind, until }) => (
          <Fact key={kind} name={kindWords(kind)} wide>
            until <TimeText at={until} />
          </Fact>
        ))}
      </dl>
    </li>
  );
};

/** Says what the figures promise and what they do not. */
const Promised = ({ terms }: Pick<Publisher, 'terms'>) => (
  <section>
    <h2 id="promised">What is promised</h2>
    <p>
      {terms === null ? (
        'No availability is promised. What was measured is above.'
      ) : (
        <>
          This page shows what was measured. It promises no availability beyond what <a href={terms}>the terms</a> say.
        </>
      )}
    </p>
  </section>
);

const Subscribe = ({ baseUrl }: { baseUrl: string }) => (
  <section>
    <h2 id="feed">Get notified of incidents</h2>
    <p>
      <a href={STATUS_FEED}>The Atom feed</a> has an entry for each incident, which is updated while it lasts. Any feed
      reader can follow it:
    </p>
    <ul>
      <li>
        In Slack: <code>/feed subscribe {`${baseUrl}${STATUS_FEED}`}</code>
      </li>
      <li>
        By mail, with rss2email: <code>r2e add perch {`${baseUrl}${STATUS_FEED}`} you@example.org</code>
      </li>
    </ul>
  </section>
);

/** `GET /status` for a browser. Details that only concern the operator are on the operator's pages. */
export const statusPage = (
  model: StatusModel,
  history: HistoryModel | null,
  { baseUrl, terms }: { readonly baseUrl: string } & Pick<Publisher, 'terms'>,
): string =>
  document(
    {
      title: `${pageWords(model)} · Perch status`,
      description: 'The current state of this service and of the network that it reads, and the last 90 days.',
      here: '/status',
      feed: STATUS_FEED,
    },
    <div class="wrap page">
      <p class="eyebrow">Status</p>
      <h1 class={`state ${model.status}`}>{pageWords(model)}</h1>
      <p class="lead">
        Failed requests are not charged. <a href="#feed">Get notified of incidents</a> by a feed, in Slack or by mail;
        programs get this page as JSON.
      </p>
      <ul class="cards two">
        {model.families.map((family) => (
          <Family key={family.name} {...family} />
        ))}
        <Closed {...model} />
        <Service {...model} />
      </ul>
      <History history={history} />
      <Promised terms={terms} />
      <Subscribe baseUrl={baseUrl} />
    </div>,
  );
