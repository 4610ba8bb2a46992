import type { Health, SessionStatus } from './status-model.js';
import { TimeText } from './status-parts.js';

const STATES: Record<SessionStatus['state'], { health: Health; badge: string; says: string }> = {
  ok: { health: 'ok', badge: 'Working', says: 'can read everything' },
  limited: { health: 'degraded', badge: 'Limited', says: 'can read everything except this' },
  resting: { health: 'degraded', badge: 'Paused', says: 'the network asked for a pause' },
  failing: { health: 'down', badge: 'Failing', says: 'retried every few seconds' },
};

/** Why a kind of read is closed, in the words of the states. */
const WHY: Record<SessionStatus['closed'][number]['why'], string> = {
  refused: 'denied',
  resting: 'paused',
  failing: 'failing',
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
        {kindWords(kind)}: {WHY[why]} until <TimeText at={until} />
      </dd>
    ))}
  </div>
);

/** The credentials that the network is read with, and what they can't read now. */
export const SessionsTable = ({ sessions }: { sessions: readonly SessionStatus[] }) => {
  const health = worst(sessions);
  const working = sessions.filter(({ state }) => state === 'ok').length;
  return (
    <li>
      <h2>
        Network sessions{' '}
        <span class={`badge ${health}`}>
          {working} of {sessions.length} working
        </span>
      </h2>
      <p>Credentials for reading the network; each read uses one that has access</p>
      <dl class="facts">
        {sessions.map((session) => (
          <Session key={session.name} {...session} />
        ))}
      </dl>
    </li>
  );
};
