import { counted, figure } from '../../../../src/domain/figures.js';
import { HOURLY_DAYS, USAGE_GROUPS } from '../../../../src/domain/usage.js';
import type { UsageRow } from '../../../../src/ports/ledger.js';
import { Chart } from '../../charts/chart.js';
import { type ChartData, daysIn } from '../../charts/chart-data.js';
import { InputField } from '../../kit/signed-in/fields.js';
import { Card, FormError, Nothing } from '../../kit/signed-in/parts.js';
import { type DashboardLayout, dashboardPage } from '../frame/dashboard-page.js';
import { LastHoursCard } from './last-hours.js';
import type { LastHours } from './usage-charts.js';
import { lastDays, PRESETS, type UsageSelection, usageQuery } from './usage-params.js';
import { SHOWN, TITLES, UsageTable } from './usage-table.js';

export interface UsageModel {
  readonly layout: DashboardLayout;
  readonly nowMs: number;
  readonly selection: UsageSelection;
  /** What was wrong with the request; `selection` is then the default range. */
  readonly error: string | null;
  /** The input as typed, if it was wrong. */
  readonly typed: { readonly from: string; readonly to: string };
  readonly rows: readonly UsageRow[];
  readonly credits: ChartData;
  readonly items: ChartData;
  readonly lastHours: LastHours;
}

const Presets = ({ selection, nowMs }: { selection: UsageSelection; nowMs: number }) => (
  <ul class="pills">
    {PRESETS.map((days) => {
      const range = lastDays(days, nowMs);
      const here = range.from === selection.from && range.to === selection.to;
      return (
        <li key={days}>
          <a
            href={`/dashboard/usage?${usageQuery({ ...selection, ...range })}`}
            {...(here ? { 'aria-current': 'true' as const } : {})}
          >
            {days} days
          </a>
        </li>
      );
    })}
  </ul>
);

const today = (nowMs: number): UsageSelection => ({ ...lastDays(1, nowMs), groups: ['hour'] });

const RangeForm = ({ selection, error, typed, nowMs }: UsageModel) => (
  <section class="card range" aria-label="Period and grouping">
    <Presets selection={selection} nowMs={nowMs} />
    <form
      method="get"
      action="/dashboard/usage"
      class="row-form"
      {...(error === null ? {} : { 'aria-describedby': 'range-error' })}
    >
      <InputField name="from" label="First day" type="date" value={typed.from} required />
      <InputField name="to" label="Last day (UTC)" type="date" value={typed.to} required />
      <fieldset class="checks">
        <legend>Group table by</legend>
        {USAGE_GROUPS.map((group) => (
          <label key={group}>
            <input type="checkbox" name="group" value={group} checked={selection.groups.includes(group)} />{' '}
            {TITLES[group]}
          </label>
        ))}
      </fieldset>
      <button type="submit" class="button primary">
        Show
      </button>
    </form>
    <p class="soft small">
      Hours are kept for {HOURLY_DAYS} days. <a href={`/dashboard/usage?${usageQuery(today(nowMs))}`}>Today by hour</a>
    </p>
    <FormError id="range-error" message={error} />
  </section>
);

const Charts = ({ selection, credits, items }: UsageModel) => {
  const per = credits.step === 1 ? 'per day' : 'per week';
  return (
    <>
      <Card id="credits" title={`Credits ${per}`} lead="By endpoint or operation.">
        <Chart data={credits} range={selection} />
      </Card>
      <Card id="items" title={`Items ${per}`} lead="Read from the network, or from the cache at half price.">
        <Chart data={items} range={selection} />
      </Card>
    </>
  );
};

/** `GET /dashboard/usage`. */
export const usagePage = (model: UsageModel): string => {
  const { layout, selection, rows } = model;
  const lastHours = (
    <LastHoursCard
      lastHours={model.lastHours}
      hrefOf={(hours) => `/dashboard/usage?${usageQuery(selection)}&hours=${hours}#hours`}
    />
  );
  return dashboardPage(
    {
      title: 'Usage',
      lead: 'Paid requests by day, hour, endpoint and key. Free requests are not included.',
      here: '/dashboard/usage',
      layout,
    },
    <>
      <RangeForm {...model} />
      {rows.length === 0 ? (
        <>
          <Nothing>
            No paid requests in these {counted(daysIn(selection), 'day')}. <a href="/dashboard/keys">Create a key</a>{' '}
            and start reading.
          </Nothing>
          {lastHours}
        </>
      ) : (
        <>
          <Charts {...model} />
          {lastHours}
          <Card
            id="table"
            title="Details"
            {...(rows.length > SHOWN
              ? { lead: `The first ${SHOWN} of ${figure(rows.length)} rows; download the CSV for all of them.` }
              : {})}
            aside={
              <a class="button small" href={`/dashboard/usage.csv?${usageQuery(selection)}`}>
                Download CSV
              </a>
            }
          >
            <UsageTable selection={selection} rows={rows} />
          </Card>
        </>
      )}
    </>,
  );
};
