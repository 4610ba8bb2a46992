import { counted, figure } from '../../../../src/domain/figures.js';
import type { Family } from '../../../../src/domain/model.js';
import type { Incident, StatusDay } from '../../../../src/domain/status-history.js';
import { DAY_MS, utcDay } from '../../../../src/lib/durations.js';
import { atomFeed } from '../../kit/atom.js';
import type { HistoryModel } from './status-model.js';
import { TimeText } from './status-parts.js';

const DAYS = 90;
export const FAMILY_NAMES: Record<Family, string> = {
  fast: 'Profiles, tweets and timelines',
  slow: 'Search and all other lists',
};
/** The width of a bar, the distance between two bars, and their height. */
const [BAR, STEP, HEIGHT] = [3, 4, 28];
/** A day is shown as down if the service was down for at least this share of its measured minutes. */
const LONG_OUTAGE = 0.01;

type Level = 'none' | 'ok' | 'degraded' | 'down';

function dayLevel(day: StatusDay | undefined): Level {
  if (day === undefined || day.minutes === 0) return 'none';
  if (day.down >= LONG_OUTAGE * day.minutes) return 'down';
  return day.down + day.degraded > 0 ? 'degraded' : 'ok';
}

/** Rounded down, so that only a period without a bad minute shows 100%. */
const percent = (part: number, whole: number): string => `${figure(Math.floor((10_000 * part) / whole) / 100)}%`;

function describeDay(day: string, sums: StatusDay | undefined): string {
  if (sums === undefined || sums.minutes === 0) return `${day}: no data`;
  const { minutes, degraded, down } = sums;
  const parts = [down > 0 ? `${counted(down, 'minute')} down` : '', degraded > 0 ? `${figure(degraded)} degraded` : ''];
  return `${day}: ${parts.filter(Boolean).join(', ') || 'no trouble'} in ${counted(minutes, 'minute')}`;
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

/** The first measured day; null if there is none yet. */
const firstDay = (days: readonly StatusDay[]): string | null => days.find(({ minutes }) => minutes > 0)?.day ?? null;

/** The available share of the measured minutes, and since when; nothing is known about the days before. */
function availability(fromDay: string, own: readonly StatusDay[]): string {
  const since = firstDay(own);
  if (since === null) return 'no data yet';
  const minutes = own.reduce((sum, day) => sum + day.minutes, 0);
  const down = own.reduce((sum, day) => sum + day.down, 0);
  const measured = own.filter((day) => day.minutes > 0).length;
  const when = since === fromDay ? `in the last ${DAYS} days` : `since ${since}`;
  const most = Math.round((Date.parse(fromDay) - Date.parse(since)) / DAY_MS) + DAYS;
  const gaps = measured === most ? '' : `, in ${measured} of ${counted(most, 'day')} with data`;
  return `${percent(minutes - down, minutes)} available ${when}${gaps}`;
}

const FamilyHistory = ({ family, fromDay, days }: { family: Family; fromDay: string; days: readonly StatusDay[] }) => {
  const own = days.filter((day) => day.family === family);
  const byDay = new Map(own.map((day) => [day.day, day]));
  const first = Date.parse(`${fromDay}T00:00:00Z`);
  const slots = Array.from({ length: DAYS }, (_, index) => utcDay(first + index * DAY_MS)).map(
    (day) => [day, byDay.get(day)] as const,
  );
  const sum = (name: 'calls' | 'readMs' | 'items' | 'cacheHits'): number =>
    own.reduce((all, day) => all + day[name], 0);
  const uptime = availability(fromDay, own);
  const latency =
    sum('calls') === 0 ? null : `${figure(Math.round(sum('readMs') / sum('calls')))} ms to read the network`;
  const cached = sum('items') === 0 ? null : `${percent(sum('cacheHits'), sum('items'))} from the cache`;
  const bad = slots.filter(([, day]) => day !== undefined && day.down + day.degraded > 0);
  return (
    <section class="family-history">
      <h3>{FAMILY_NAMES[family]}</h3>
      <p>{[uptime, latency, cached].filter((fact) => fact !== null).join(' · ')}</p>
      <Bars days={slots} label={`${FAMILY_NAMES[family]}, a bar for each of the last ${DAYS} days: ${uptime}`} />
      <p class="days-axis" aria-hidden="true">
        <span>{DAYS} days ago</span>
        <span>Today</span>
      </p>
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

/** How long an incident lasted, and what could not be read. */
const durationOf = ({ from, until }: Incident): string => counted(Math.round((until - from) / 60_000), 'minute');
const outcomeOf = ({ calls, failures }: Incident): string =>
  calls === 0 ? 'Nothing could be read.' : `${figure(failures)} of ${counted(calls, 'read')} of the network failed.`;

const IncidentRow = (incident: Incident) => (
  <li>
    <span class={`badge ${incident.trouble}`}>{incident.trouble === 'down' ? 'Down' : 'Degraded'}</span>{' '}
    <strong>{FAMILY_NAMES[incident.family]}</strong>, for {durationOf(incident)} from{' '}
    <TimeText at={isoTime(incident.from)} />. {outcomeOf(incident)} Failed reads were free.
  </li>
);

export const STATUS_FEED = '/status.atom';

/** `GET /status.atom`: an entry for each incident, whose id stays the same while the incident lasts. */
export const statusFeed = ({ fromDay, incidents }: HistoryModel, baseUrl: string): string =>
  atomFeed({
    baseUrl,
    path: STATUS_FEED,
    page: '/status',
    title: 'Perch incidents',
    updated: isoTime(incidents[0]?.until ?? Date.parse(fromDay)),
    entries: incidents.map((incident) => ({
      name: `${incident.family}-${isoTime(incident.from)}`,
      title: `${incident.trouble === 'down' ? 'Down' : 'Degraded'}: ${FAMILY_NAMES[incident.family]}`,
      published: isoTime(incident.from),
      updated: isoTime(incident.until),
      html: `<p>For ${durationOf(incident)}. ${outcomeOf(incident)} Failed reads were free.</p>`,
    })),
  });

function noneSince({ fromDay, days }: HistoryModel): string {
  const since = firstDay(days);
  if (since === null) return 'No data yet.';
  return since === fromDay ? `None in the last ${DAYS} days.` : `None since ${since}, the first day with data.`;
}

/** The last 90 days by family, and the incidents in them. */
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
        <p class="key">
          Days are UTC. Availability is a share of the minutes that were measured, so days without data are left out.
        </p>
        <h2>Incidents</h2>
        {history.incidents.length === 0 ? (
          <p>{noneSince(history)}</p>
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
