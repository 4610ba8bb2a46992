/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { Health, SessionStatus } from './status-model.js';
import { Time } from './status-parts.js';

const STATES: Record<SessionStatus['state'], { health: Health; badge: string; says: string }> = {
  ok: { health: 'ok', badge: 'Working', says: 'reads everything' },
  limited: { health: 'degraded', badge: 'Limited', says: 'reads all but this' },
  resting: { health: 'degraded', badge: 'Resting', says: 'the network asked for a rest' },
  failing: { health: 'down', badge: 'Failing', says: 'tried again every few seconds' },
};

/** `search:Top` is the product Top of the search. */
const kindWords = (kind: string): string => (kind === '*' ? 'everything' : kind.replace(':', ' '));

const worst = (sessions: readonly SessionStatus[]): Health => {
  const healths = sessions.map(({ state }) => STATES[state].health);
  if (healths.every((health) => health === 'ok')) return 'ok';
  return healths.every((health) => health === 'down') ? 'down' : 'degraded';
};

const Session = ({ name, state, closed }: SessionStatus) => (
  <div class="wide">
    <dt>{name}</dt>
    <dd>
      {STATES[state].badge}: {STATES[state].says}
    </dd>
    {closed.map(({ kind, why, until }) => (
      <dd key={kind}>
        {kindWords(kind)}: {why} until <Time at={until} />
      </dd>
    ))}
  </div>
);

/** The credentials that the network is read with, and what they may not read now. */
export const Sessions = ({ sessions }: { sessions: readonly SessionStatus[] }) => {
  const health = worst(sessions);
  const working = sessions.filter(({ state }) => state === 'ok').length;
  return (
    <li>
      <h2>
        Reading sessions{' '}
        <span class={`badge ${health}`}>
          {working} of {sessions.length} working
        </span>
      </h2>
      <p>What the network is read with; a read goes by one that may make it</p>
      <dl class="facts">
        {sessions.map((session) => (
          <Session key={session.name} {...session} />
        ))}
      </dl>
    </li>
  );
};
