import { isWorking, keyState } from '../../../../src/account/key-state.js';
import { formatCredits } from '../../../../src/domain/figures.js';
import type { KeyRecord } from '../../../../src/ports/accounts.js';
import type { Receipt } from '../../../../src/ports/ledger.js';
import { Chart } from '../../charts/chart.js';
import type { ChartData, Range } from '../../charts/chart-data.js';
import { SelectField } from '../../kit/signed-in/fields.js';
import { CapMeter, StateBadge } from '../../kit/signed-in/key-parts.js';
import { Card, FormError, type FormFault, Nothing, Notice, unplaced, When } from '../../kit/signed-in/parts.js';
import { NEWEST_BY_ID, RequestTable } from '../credits/request-table.js';
import { type DashboardLayout, dashboardPage } from '../frame/dashboard-page.js';
import { LastHoursCard } from '../usage/last-hours.js';
import type { LastHours } from '../usage/usage-charts.js';
import { type KeyInput, OVERLAPS } from './key-forms.js';
import { LimitsCard, type LimitsInput } from './key-limits.js';
import { KEY_FIELDS, KeyFields, LastUse } from './key-parts.js';

export type KeyForm = 'change' | 'limits' | 'rotate' | 'revoke';

/** A key that the customer made. */
export interface KeyModel {
  readonly layout: DashboardLayout;
  readonly nowMs: number;
  readonly record: KeyRecord;
  /** `2026-11-21`, within the last year. */
  readonly lastUse: string | undefined;
  /** The range and charts of what the key paid for in the last 30 days, and in the last hours. */
  readonly range: Range;
  readonly usage: ChartData;
  readonly lastHours: LastHours;
  /** Its newest paid requests. */
  readonly recent: readonly Receipt[];
  readonly typed: KeyInput;
  readonly limits: LimitsInput;
  /** What went wrong, and in which form. */
  readonly error: (FormFault & { readonly form: KeyForm }) | null;
}

const Facts = ({ record, nowMs, lastUse }: KeyModel) => (
  <dl class="facts card">
    <div>
      <dt>Prefix</dt>
      <dd>
        <code class="whole">{record.prefix}…</code>
      </dd>
    </div>
    <div>
      <dt>State</dt>
      <dd>
        <StateBadge record={record} nowMs={nowMs} />
      </dd>
    </div>
    <div>
      <dt>Spent</dt>
      <dd>{formatCredits(record.spent)}</dd>
    </div>
    <div>
      <dt>Last used (UTC)</dt>
      <dd>
        <LastUse record={record} day={lastUse} />
      </dd>
    </div>
    <div>
      <dt>Cap</dt>
      <dd>
        <CapMeter cap={record.cap} />
      </dd>
    </div>
    <div>
      <dt>Created (UTC)</dt>
      <dd>
        <When at={record.createdAt} />
      </dd>
    </div>
    <div>
      <dt>{record.revokedAt === null ? 'Expires (UTC)' : 'Revoked (UTC)'}</dt>
      <dd>
        {(record.revokedAt ?? record.expiresAt) ? <When at={record.revokedAt ?? record.expiresAt ?? ''} /> : 'never'}
      </dd>
    </div>
  </dl>
);

const faultIn = ({ error }: KeyModel, form: KeyForm): FormFault | null => (error?.form === form ? error : null);

const formError = (model: KeyModel, form: KeyForm): string | null => faultIn(model, form)?.message ?? null;

const Change = (model: KeyModel) => (
  <Card
    id="change"
    title="Name and cap"
    lead="Changes take effect within seconds. Credits already spent in the period still count."
  >
    <form method="post" action={`/dashboard/keys/${model.record.keyId}/change`} class="row-form">
      <KeyFields typed={model.typed} fault={faultIn(model, 'change')} />
      <button type="submit" class="button primary">
        Save
      </button>
    </form>
    <FormError id="change-error" message={unplaced(faultIn(model, 'change'), KEY_FIELDS)} />
  </Card>
);

const Rotate = (model: KeyModel) => (
  <Card
    id="rotate"
    title="Rotate"
    lead="Creates a new key with the same name, cap, limits and wallet. The old one keeps working for as long as you choose."
  >
    <form method="post" action={`/dashboard/keys/${model.record.keyId}/rotate`} class="row-form">
      <SelectField
        name="overlap"
        label="Old key"
        value="24h"
        options={OVERLAPS.map(({ value, text }) => [value, text])}
      />
      <button type="submit" class="button">
        Rotate key
      </button>
    </form>
    <FormError id="rotate-error" message={formError(model, 'rotate')} />
  </Card>
);

const Revoke = (model: KeyModel) => (
  <Card id="revoke" title="Revoke" lead="The key stops working everywhere within seconds. This cannot be undone.">
    <details class="confirm" open={formError(model, 'revoke') !== null}>
      <summary class="button">Revoke this key…</summary>
      <form method="post" action={`/dashboard/keys/${model.record.keyId}/revoke`} class="row-form">
        <p>Requests that use it will be refused.</p>
        <button type="submit" class="button danger">
          Revoke now
        </button>
      </form>
    </details>
    <FormError id="revoke-error" message={formError(model, 'revoke')} />
  </Card>
);

const Usage = ({ record, range, usage, lastHours, recent }: KeyModel) => (
  <>
    <Card id="days" title="Credits per day, last 30 days" lead="By endpoint or operation.">
      {usage.series.length === 0 ? (
        <Nothing>No paid requests with this key in the last 30 days.</Nothing>
      ) : (
        <Chart data={usage} range={range} />
      )}
    </Card>
    <LastHoursCard lastHours={lastHours} hrefOf={(hours) => `/dashboard/keys/${record.keyId}?hours=${hours}#hours`} />
    <Card id="recent" title="Recent paid requests" lead={`Among the newest 1,000 of the account. ${NEWEST_BY_ID}`}>
      {recent.length === 0 ? (
        <Nothing>None with this key.</Nothing>
      ) : (
        <RequestTable caption="The most recent paid requests with this key" receipts={recent} keys={[record]} />
      )}
    </Card>
  </>
);

/** `GET /dashboard/keys/:keyId`. */
export const keyPage = (model: KeyModel): string => {
  const { record, layout, nowMs } = model;
  const state = keyState(record, nowMs);
  return dashboardPage(
    {
      script: 'key-form.js',
      title: record.name,
      lead: <a href="/dashboard/keys">All keys</a>,
      here: '/dashboard/keys',
      below: true,
      layout,
    },
    <>
      <Facts {...model} />
      {state === 'active' ? (
        <>
          <Change {...model} />
          <LimitsCard record={record} typed={model.limits} fault={faultIn(model, 'limits')} />
        </>
      ) : null}
      {isWorking(state) ? (
        <div class="two">
          {state === 'active' ? <Rotate {...model} /> : null}
          <Revoke {...model} />
        </div>
      ) : (
        <Notice tone="plain" title="This key no longer works.">
          {model.error === null ? 'Its receipts and usage are kept.' : model.error.message}
        </Notice>
      )}
      <Usage {...model} />
    </>,
  );
};
