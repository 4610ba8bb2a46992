import { counted, figure } from '../../../../src/domain/figures.js';
import type { Family } from '../../../../src/domain/model.js';
import type { Incident, StatusDay } from '../../../../src/domain/status-history.js';
import { DAY_MS, utcDay } from '../../../../src/lib/durations.js';
import type { HistoryModel } from './status-model.js';
import { TimeText } from './status-parts.js';

const DAYS = 90;
const NAMES: Record<Family, string> = { fast: 'Profiles, tweets and timelines', slow: 'Search and all other lists' };
/** A bar of the picture and the room after it. */
const [BAR, STEP, HEIGHT] = [3, 4, 28];
/** From this share of a day's minutes on, a day without service is shown as one. */
const LONG_OUTAGE = 0.01;

type Level = 'none' | 'ok' | 'degraded' | 'down';

function dayLevel(day: StatusDay | undefined): Level {
  if (day === undefined || day.minutes === 0) return 'none';
  if (day.down >= LONG_OUTAGE * day.minutes) return 'down';
  return day.down + day.degraded > 0 ? 'degraded' : 'ok';
}

/** Rounded down: 100% only without a bad minute. */
const percent = (part: number, whole: number): string => `${figure(Math.floor((10_000 * part) / whole) / 100)}%`;

function describeDay(day: string, sums: StatusDay | undefined): string {
  if (sums === undefined || sums.minutes === 0) return `${day}: no data`;
  const { minutes, degraded, down } = sums;
  const told = [down > 0 ? `${counted(down, 'minute')} down` : '', degraded > 0 ? `${figure(degraded)} degraded` : ''];
  return `${day}: ${told.filter(Boolean).join(', ') || 'no trouble'} in ${counted(minutes, 'minute')}`;
}

const Bars = ({ days, label }: { days: readonly (readonly [string, StatusDay | undefined])[]; label: string }) => (
  <svg class="days" viewBox={`0 0 ${DAYS * STEP} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
    {days.map(([day, sums], index) => (
      <rect key={day} class={dayLevel(sums)} x={index * STEP} width={BAR} height={HEIGHT}>
        <title>{describeDay(day, sums)}</title>
      </rect>
    ))}
  </svg>
);

const FamilyHistory = ({ family, fromDay, days }: { family: Family; fromDay: string; days: readonly StatusDay[] }) => {
  const own = days.filter((day) => day.family === family);
  const byDay = new Map(own.map((day) => [day.day, day]));
  const first = Date.parse(`${fromDay}T00:00:00Z`);
  const slots = Array.from({ length: DAYS }, (_, index) => utcDay(first + index * DAY_MS)).map(
    (day) => [day, byDay.get(day)] as const,
  );
  const sum = (name: 'minutes' | 'down' | 'calls' | 'readMs' | 'items' | 'cacheHits'): number =>
    own.reduce((all, day) => all + day[name], 0);
  const minutes = sum('minutes');
  const uptime = minutes === 0 ? 'no data yet' : `${percent(minutes - sum('down'), minutes)} available`;
  const latency = sum('calls') === 0 ? null : `${figure(Math.round(sum('readMs') / sum('calls')))} ms a network call`;
  const cached = sum('items') === 0 ? null : `${percent(sum('cacheHits'), sum('items'))} from the cache`;
  const bad = slots.filter(([, day]) => day !== undefined && day.down + day.degraded > 0);
  return (
    <section class="family-history">
      <h3>{NAMES[family]}</h3>
      <p>{[uptime, latency, cached].filter((fact) => fact !== null).join(' · ')}</p>
      <Bars days={slots} label={`${NAMES[family]}, a bar for each of the last ${DAYS} days: ${uptime}`} />
      {bad.length === 0 ? null : (
        <details>
          <summary>{counted(bad.length, 'day')} with trouble</summary>
          <ul>
            {bad.map(([day, sums]) => (
              <li key={day}>{describeDay(day, sums)}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
};

const isoTime = (ms: number): string => new Date(ms).toISOString();

const IncidentRow = ({ family, trouble, from, until, calls, failures }: Incident) => (
  <li>
    <span class={`badge ${trouble}`}>{trouble === 'down' ? 'Down' : 'Degraded'}</span> <strong>{NAMES[family]}</strong>,
    for {counted(Math.round((until - from) / 60_000), 'minute')} from <TimeText at={isoTime(from)} />:{' '}
    {calls === 0 ? 'nothing could be read.' : `${figure(failures)} of ${counted(calls, 'call')} to the network failed.`}{' '}
    Failed reads were free.
  </li>
);

/** The last 90 days by family, and what went wrong. */
export const History = ({ history }: { history: HistoryModel | null }) => (
  <section class="history">
    <h2>The last {DAYS} days</h2>
    {history === null ? (
      <p>The history can’t be read right now.</p>
    ) : (
      <>
        <FamilyHistory family="fast" {...history} />
        <FamilyHistory family="slow" {...history} />
        <p class="key">
          <span class="ok">no trouble</span> <span class="degraded">some reads failed</span>{' '}
          <span class="down">not available for 1% of the day or more</span> <span class="none">no data</span>
        </p>
        <p class="key">Days are UTC. Minutes of all processes are added up.</p>
        <h2>Incidents</h2>
        {history.incidents.length === 0 ? (
          <p>{history.days.length === 0 ? 'No data yet.' : `None in the last ${DAYS} days.`}</p>
        ) : (
          <ul class="incidents">
            {history.incidents.map((incident) => (
              <IncidentRow key={`${incident.family} ${incident.from}`} {...incident} />
            ))}
          </ul>
        )}
      </>
    )}
  </section>
);
