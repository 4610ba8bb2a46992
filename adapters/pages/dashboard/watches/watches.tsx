import { figure } from '../../../../src/domain/figures.js';
import type { KeyRecord } from '../../../../src/ports/accounts.js';
import type { WatchRecord } from '../../../../src/ports/watches.js';
import { formatAmount } from '../../kit/signed-in/formats.js';
import { Card, DataTable, FieldError, type FormFault, Nothing, When, wrong } from '../../kit/signed-in/parts.js';
import { type DashboardLayout, dashboardPage } from '../frame/dashboard-page.js';
import { WATCHED_LISTS, type WatchInput, watchText } from './watch-forms.js';
import { LastChecked, Reason, State } from './watch-parts.js';

export interface WatchesModel {
  readonly layout: DashboardLayout;
  readonly watches: readonly WatchRecord[];
  /** Those that may pay for a watch. */
  readonly keys: readonly KeyRecord[];
  readonly typed: WatchInput;
  readonly fault: FormFault | null;
}

const What = ({ typed, fault }: WatchesModel) => (
  <>
    <div class="field">
      <label for="list">Watch</label>
      <select id="list" name="list" {...wrong(fault, 'list')}>
        {Object.entries(WATCHED_LISTS).map(([value, text]) => (
          <option key={value} value={value} selected={value === typed.list}>
            {text}
          </option>
        ))}
      </select>
      <FieldError fault={fault} field="list" />
    </div>
    <div class="field grow">
      <label for="subject">Handle, search or tweet id</label>
      <input
        id="subject"
        name="subject"
        type="text"
        value={typed.subject}
        required
        autocomplete="off"
        spellcheck={false}
        dir="auto"
        placeholder="harbor_obs"
        {...wrong(fault, 'subject')}
      />
      <FieldError fault={fault} field="subject" />
    </div>
  </>
);

const Payment = ({ typed, fault, keys }: WatchesModel) => (
  <>
    <div class="field">
      <label for="key">Paid by</label>
      <select id="key" name="key" {...wrong(fault, 'key')}>
        {keys.map(({ keyId, name, prefix }) => (
          <option key={keyId} value={keyId} selected={keyId === typed.keyId}>
            {name} ({prefix}…)
          </option>
        ))}
      </select>
      <FieldError fault={fault} field="key" />
    </div>
    <div class="field">
      <label for="max_credits_per_day">Most credits a day (optional)</label>
      <input
        id="max_credits_per_day"
        name="max_credits_per_day"
        type="text"
        inputMode="decimal"
        value={typed.dailyLimit}
        autocomplete="off"
        placeholder="500"
        {...wrong(fault, 'max_credits_per_day')}
      />
      <FieldError fault={fault} field="max_credits_per_day" />
    </div>
  </>
);

const NewWatch = (model: WatchesModel) => (
  <Card
    id="new"
    title="New watch"
    lead="What is new is sent to your server, signed, oldest first, and costs what it costs on a page, once. Nothing new costs nothing."
  >
    {model.keys.length === 0 ? (
      <Nothing>
        A watch is paid by a key. <a href="/dashboard/keys">Create one first.</a>
      </Nothing>
    ) : (
      <form method="post" action="/dashboard/watches" class="row-form">
        <What {...model} />
        <div class="field grow">
          <label for="webhook_url">Webhook URL (https)</label>
          <input
            id="webhook_url"
            name="webhook_url"
            type="text"
            inputMode="url"
            value={model.typed.webhookUrl}
            required
            autocomplete="off"
            spellcheck={false}
            placeholder="https://example.com/webhooks/perch"
            {...wrong(model.fault, 'webhook_url')}
          />
          <FieldError fault={model.fault} field="webhook_url" />
        </div>
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
    caption="Watches, and what each has brought and cost"
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
      lead: 'Follow an account or a search, and get every new post on your server, soon and once.',
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
