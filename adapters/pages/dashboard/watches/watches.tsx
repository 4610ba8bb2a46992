import { figure } from '../../../../src/domain/figures.js';
import type { AccountKey } from '../../../../src/ports/accounts.js';
import type { WatchRecord } from '../../../../src/ports/watches.js';
import { InputField, SelectField } from '../../kit/signed-in/fields.js';
import { formatAmount } from '../../kit/signed-in/formats.js';
import { Card, DataTable, type FormFault, Nothing, When } from '../../kit/signed-in/parts.js';
import { type DashboardLayout, dashboardPage } from '../frame/dashboard-page.js';
import { WATCHED_LISTS, type WatchInput, watchText } from './watch-forms.js';
import { LastChecked, NoPayingKey, PayingKey, Reason, State } from './watch-parts.js';

export interface WatchesModel {
  readonly layout: DashboardLayout;
  readonly watches: readonly WatchRecord[];
  /** The keys that may pay for a watch. */
  readonly keys: readonly AccountKey[];
  readonly typed: WatchInput;
  readonly fault: FormFault | null;
}

const What = ({ typed, fault }: WatchesModel) => (
  <>
    <SelectField name="list" label="Watch" value={typed.list} options={Object.entries(WATCHED_LISTS)} fault={fault} />
    <InputField
      name="subject"
      label="Handle, search or tweet id"
      grow
      value={typed.subject}
      required
      spellcheck={false}
      dir="auto"
      placeholder="harbor_obs"
      fault={fault}
    />
  </>
);

const Payment = ({ typed, fault, keys }: WatchesModel) => (
  <>
    <PayingKey keys={keys} keyId={typed.keyId} fault={fault} />
    <InputField
      name="max_credits_per_day"
      label="Most credits a day (optional)"
      inputMode="decimal"
      value={typed.dailyLimit}
      placeholder="500"
      fault={fault}
    />
  </>
);

const NewWatch = (model: WatchesModel) => (
  <Card
    id="new"
    title="New watch"
    lead="New items are sent to your server in signed webhooks, oldest first. Each costs the same as on a page and is charged once. While there is nothing new, you pay nothing."
  >
    {model.keys.length === 0 ? (
      <NoPayingKey />
    ) : (
      <form method="post" action="/dashboard/watches" class="row-form">
        <What {...model} />
        <InputField
          name="webhook_url"
          label="Webhook URL (https)"
          grow
          inputMode="url"
          value={model.typed.webhookUrl}
          required
          spellcheck={false}
          placeholder="https://example.com/webhooks/perch"
          fault={model.fault}
        />
        <Payment {...model} />
        <button type="submit" class="button primary">
          Start watching
        </button>
      </form>
    )}
    <p class="soft small">
      <a href="/docs/live#watches">What a webhook contains, and how to verify its signature</a>
    </p>
  </Card>
);

const WatchTable = ({ watches }: WatchesModel) => (
  <DataTable
    caption="Watches, with what each has delivered and cost"
    columns={[
      { title: 'Watch' },
      { title: 'State' },
      { title: 'Checked (UTC)' },
      { title: 'Newest item (UTC)' },
      { title: 'Deliveries', numeric: true },
      { title: 'Credits today', numeric: true },
    ]}
    rows={watches.map((watch) => ({
      key: watch.watchId,
      cells: [
        <span key="watch">
          <a href={`/dashboard/watches/${watch.watchId}`}>
            <bdi>{watchText(watch)}</bdi>
          </a>
          <Reason watch={watch} />
        </span>,
        <State key="state" watch={watch} />,
        <LastChecked key="checked" watch={watch} />,
        watch.newestAt === null ? <span class="soft">none yet</span> : <When at={watch.newestAt} />,
        figure(watch.number),
        formatAmount(watch.spentToday),
      ],
    }))}
  />
);

/** `GET /dashboard/watches`. */
export const watchesPage = (model: WatchesModel): string =>
  dashboardPage(
    {
      title: 'Watches',
      lead: 'Follow an account or a search, and get every new post on your server, once and soon after it appears.',
      here: '/dashboard/watches',
      layout: model.layout,
    },
    <>
      <NewWatch {...model} />
      <Card id="watches" title="Your watches">
        {model.watches.length === 0 ? <Nothing>No watches yet. Start one above.</Nothing> : <WatchTable {...model} />}
      </Card>
    </>,
  );
