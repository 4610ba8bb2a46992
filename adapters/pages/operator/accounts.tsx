import { toCredits } from '../../../src/domain/credits.js';
import { figure } from '../../../src/domain/figures.js';
import type { ListedAccount } from '../../../src/ports/operator.js';
import type { CsvRows } from '../kit/signed-in/csv.js';
import { faultAt, InputField } from '../kit/signed-in/fields.js';
import { formatAmount } from '../kit/signed-in/formats.js';
import type { PageLayout } from '../kit/signed-in/frame.js';
import { Badge, Card, CsvLink, DataTable, Nothing, When } from '../kit/signed-in/parts.js';
import { operatorPage } from './frame.js';

export interface AccountsModel {
  readonly layout: PageLayout;
  /** The search text as typed; empty for all accounts. */
  readonly search: string;
  /** What is wrong with the search text. */
  readonly error: string | null;
  readonly accounts: readonly ListedAccount[];
  /** The id of the last account shown, if more follow. */
  readonly next: string | null;
}

export const Find = ({ search, error }: Pick<AccountsModel, 'search' | 'error'>) => (
  <section class="card" aria-label="Find an account">
    <form method="get" action="/operator/accounts" class="row-form">
      <InputField
        name="q"
        label="Part of a name or email address, an account id, or the six characters of a key"
        grow
        value={search}
        dir="auto"
        fault={faultAt('q', error)}
      />
      <button type="submit" class="button primary">
        Find
      </button>
    </form>
  </section>
);

export const AccountTable = ({ accounts }: Pick<AccountsModel, 'accounts'>) => (
  <DataTable
    caption="Accounts, newest first"
    columns={[
      { title: 'Name' },
      { title: 'Email' },
      { title: 'Credits', numeric: true },
      { title: 'Paid in total', numeric: true },
      { title: 'Active keys', numeric: true },
      { title: 'State' },
      { title: 'Created (UTC)' },
    ]}
    rows={accounts.map((account) => ({
      key: account.accountId,
      cells: [
        <a key="name" class="clip" href={`/operator/accounts/${account.accountId}`}>
          <bdi>{account.name}</bdi>
        </a>,
        account.email === null ? '' : <bdi class="clip">{account.email}</bdi>,
        formatAmount(account.balance),
        `$${figure(account.paidUsd)}`,
        figure(account.keys),
        account.frozen ? <Badge tone="bad">Frozen</Badge> : <Badge tone="ok">Active</Badge>,
        <When key="created" at={account.createdAt} />,
      ],
    }))}
  />
);

export const accountsCsv = (accounts: readonly ListedAccount[]): CsvRows => [
  ['account_id', 'name', 'email', 'credits', 'paid_usd', 'active_keys', 'state', 'created_at'],
  ...accounts.map((account) => [
    ...[account.accountId, account.name, account.email, toCredits(account.balance), account.paidUsd, account.keys],
    ...[account.frozen ? 'frozen' : 'active', account.createdAt],
  ]),
];

/** `GET /operator/accounts`. */
export const accountsPage = (model: AccountsModel): string =>
  operatorPage(
    { title: 'Accounts', lead: 'Every account of this server.', here: '/operator/accounts', layout: model.layout },
    <>
      <Find {...model} />
      <Card
        id="list"
        title={model.search === '' ? 'Newest accounts' : 'Found'}
        aside={<CsvLink href={`/operator/accounts.csv?${new URLSearchParams({ q: model.search })}`} />}
      >
        {model.accounts.length === 0 ? <Nothing>No account matches.</Nothing> : <AccountTable {...model} />}
        {model.next === null ? null : (
          <p>
            <a
              class="button"
              href={`/operator/accounts?${new URLSearchParams({ q: model.search, after: model.next })}`}
            >
              Older accounts
            </a>
          </p>
        )}
      </Card>
    </>,
  );
