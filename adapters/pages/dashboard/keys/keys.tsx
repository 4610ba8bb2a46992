import { isWorking, keyState } from '../../../../src/account/key-state.js';
import { counted, figure } from '../../../../src/domain/figures.js';
import { type Mode, PLAY_CREDITS } from '../../../../src/domain/mode.js';
import type { KeyRecord } from '../../../../src/ports/accounts.js';
import { formatAmount } from '../../kit/signed-in/formats.js';
import { CapMeter, StateBadge } from '../../kit/signed-in/key-parts.js';
import { Card, DataTable, Day, FormError, type FormFault, Nothing, unplaced } from '../../kit/signed-in/parts.js';
import { type DashboardLayout, dashboardPage } from '../frame/dashboard-page.js';
import type { KeyInput } from './key-forms.js';
import { LIMIT_FIELDS, type LimitsInput, NewKeyLimits } from './key-limits.js';
import { KEY_FIELDS, KeyFields, LastUse } from './key-parts.js';

export interface KeysModel {
  readonly layout: DashboardLayout;
  readonly nowMs: number;
  /** The newest first. */
  readonly keys: readonly KeyRecord[];
  /** By key id, the day of its last use within the last year. */
  readonly lastUses: ReadonlyMap<string, string>;
  /** By grant id, the name of its client. */
  readonly clients: ReadonlyMap<string, string>;
  readonly typed: KeyInput;
  readonly limits: LimitsInput;
  /** The mode that is chosen in the form for a new key. */
  readonly newMode: Mode;
  readonly error: FormFault | null;
}

const End = ({ record: { revokedAt, expiresAt } }: { record: KeyRecord }) => {
  const at = revokedAt ?? expiresAt;
  return at === null ? <span class="soft">never</span> : <Day at={at} />;
};

const Name = ({ record, clients }: { record: KeyRecord; clients: KeysModel['clients'] }) => (
  <>
    <bdi class="clip">{record.name}</bdi>
    <code class="soft block">{record.prefix}…</code>
    {record.grantId === null ? null : (
      <span class="small block">
        app <bdi class="clip">{clients.get(record.grantId) ?? ''}</bdi>
      </span>
    )}
  </>
);

const Action = ({ record }: { record: KeyRecord }) =>
  record.grantId === null ? (
    <a class="button small" href={`/dashboard/keys/${record.keyId}`} aria-label={`Manage ${record.name}`}>
      Manage
    </a>
  ) : (
    <a class="button small" href="/dashboard/clients" aria-label={`Manage ${record.name} under apps`}>
      Apps
    </a>
  );

const KeyTable = (props: {
  caption: string;
  keys: readonly KeyRecord[];
  clients: KeysModel['clients'];
  lastUses: KeysModel['lastUses'];
  nowMs: number;
}) => (
  <DataTable
    caption={props.caption}
    columns={[
      { title: 'Key' },
      { title: 'State' },
      { title: 'Spent', numeric: true },
      { title: 'Cap' },
      { title: 'Last used' },
      { title: 'Expires' },
      { title: 'Action' },
    ]}
    rows={props.keys.map((record, index) => {
      // The key's client has a newer key.
      const replaced =
        record.grantId !== null && props.keys.findIndex(({ grantId }) => grantId === record.grantId) < index;
      return {
        key: record.keyId,
        cells: [
          <Name key="name" record={record} clients={props.clients} />,
          <StateBadge key="state" record={record} nowMs={props.nowMs} replaced={replaced} />,
          formatAmount(record.spent),
          <CapMeter key="cap" cap={record.cap} />,
          <LastUse key="last-used" record={record} day={props.lastUses.get(record.keyId)} />,
          <End key="end" record={record} />,
          <Action key="action" record={record} />,
        ],
      };
    })}
  />
);

const MODES = [
  { mode: 'live', text: 'Live: spends your credits' },
  { mode: 'test', text: `Test: ${figure(PLAY_CREDITS)} play credits a day, invented data` },
] as const;

const NewKey = ({ typed, limits, error, newMode }: KeysModel) => (
  <Card
    id="new"
    title="New key"
    lead="All keys of one mode spend from one wallet. A cap limits what this key can spend."
  >
    <form method="post" action="/dashboard/keys" class="row-form">
      <KeyFields typed={typed} fault={error} />
      <fieldset class="checks">
        <legend>Mode</legend>
        {MODES.map(({ mode, text }) => (
          <label key={mode}>
            <input type="radio" name="mode" value={mode} checked={mode === newMode} /> {text}
          </label>
        ))}
      </fieldset>
      <NewKeyLimits typed={limits} fault={error} />
      <button type="submit" class="button primary">
        Create key
      </button>
    </form>
    <FormError id="new-error" message={unplaced(error, [...KEY_FIELDS, ...LIMIT_FIELDS])} />
  </Card>
);

/** The most ended keys listed. */
const ENDED = 50;

/** `GET /dashboard/keys`. */
export const keysPage = (model: KeysModel): string => {
  const { layout, keys, clients, lastUses, nowMs } = model;
  const common = { clients, lastUses, nowMs };
  const works = (record: KeyRecord): boolean => isWorking(keyState(record, nowMs));
  const live = keys.filter(works);
  const over = keys.filter((record) => !works(record));
  return dashboardPage(
    {
      script: 'key-form.js',
      title: 'Keys',
      lead: (
        <>
          Programs use a key to read. Send it in the header <code>x-api-key</code>; never put it in a URL, or in code
          that runs in a browser.
        </>
      ),
      here: '/dashboard/keys',
      layout,
    },
    <>
      <NewKey {...model} />
      <Card id="live" title="Active keys">
        {live.length === 0 ? (
          <Nothing>No active keys. Create one above.</Nothing>
        ) : (
          <KeyTable caption="State, spending and cap of each active key" keys={live} {...common} />
        )}
      </Card>
      {over.length === 0 ? null : (
        <details class="card">
          <summary>
            {over.length > ENDED ? `The newest ${ENDED} inactive keys` : counted(over.length, 'inactive key')}
          </summary>
          {over.length > ENDED ? (
            <p class="soft">Older ones are not listed; usage still includes what they spent.</p>
          ) : null}
          <KeyTable caption="Spending of inactive keys" keys={over.slice(0, ENDED)} {...common} />
        </details>
      )}
    </>,
  );
};
