import { counted, figure, formatCredits } from '../../../src/domain/figures.js';
import { formatAmount } from '../kit/signed-in/formats.js';
import { CapMeter, StateBadge } from '../kit/signed-in/key-parts.js';
import { Card, DataTable, Day, Nothing, Notice, RequestId, When } from '../kit/signed-in/parts.js';
import { Statement } from '../kit/signed-in/statement.js';
import { Actions, type OperatorAccountModel } from './account-actions.js';
import { EventTable } from './events.js';
import { operatorPage } from './frame.js';

/** The most live keys listed, and the most test keys. */
export const MOST_KEYS = 100;

const Facts = ({ account }: OperatorAccountModel) => (
  <dl class="facts card">
    <div>
      <dt>Balance</dt>
      <dd>{formatCredits(account.balance)}</dd>
    </div>
    <div>
      <dt>Paid in total</dt>
      <dd>${figure(account.paidUsd)}</dd>
    </div>
    <div>
      <dt>Rate limit</dt>
      <dd>{counted(account.qps, 'request')} per second</dd>
    </div>
    <div>
      <dt>Email</dt>
      <dd>{account.email === null ? 'none' : <bdi>{account.email}</bdi>}</dd>
    </div>
    <div>
      <dt>Account</dt>
      <dd>
        <code>{account.accountId}</code>
      </dd>
    </div>
  </dl>
);

const Keys = ({ keys: all, nowMs }: OperatorAccountModel) => {
  const keys = all.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  return (
    <Card
      id="keys"
      title="Keys"
      lead={`${keys.length < MOST_KEYS ? '' : `At most ${MOST_KEYS} live and ${MOST_KEYS} test keys are listed; ended ones are left out first. `}Keys that begin with perch_test_ spend play credits.`}
    >
      {keys.length === 0 ? (
        <Nothing>No keys.</Nothing>
      ) : (
        <DataTable
          caption="Keys, newest first"
          tall
          columns={[
            { title: 'Key' },
            { title: 'Name' },
            { title: 'State' },
            { title: 'Spent', numeric: true },
            { title: 'Cap' },
            { title: 'Created' },
          ]}
          rows={keys.map((record) => ({
            key: record.keyId,
            cells: [
              <code key="prefix">{record.prefix}…</code>,
              <bdi key="name" class="clip">
                {record.name}
              </bdi>,
              <StateBadge key="state" record={record} nowMs={nowMs} />,
              formatAmount(record.spent),
              <CapMeter key="cap" cap={record.cap} />,
              <Day key="created" at={record.createdAt} />,
            ],
          }))}
        />
      )}
    </Card>
  );
};

const Requests = ({ recent }: OperatorAccountModel) => (
  <Card id="requests" title="Newest paid requests">
    {recent.length === 0 ? (
      <Nothing>No paid requests yet.</Nothing>
    ) : (
      <DataTable
        caption="Cost of each request, newest first"
        tall
        columns={[
          { title: 'When (UTC)' },
          { title: 'Operation' },
          { title: 'Key' },
          { title: 'Items', numeric: true },
          { title: 'Cached', numeric: true },
          { title: 'Credits', numeric: true },
          { title: 'Request id' },
        ]}
        rows={recent.map((receipt) => ({
          key: receipt.requestId,
          cells: [
            <When key="when" at={receipt.at} />,
            <code key="operation">{receipt.operation}</code>,
            <code key="key">{receipt.keyPrefix}…</code>,
            figure(receipt.items),
            figure(receipt.cacheHits),
            formatAmount(receipt.amount),
            <RequestId key="id" id={receipt.requestId} />,
          ],
        }))}
      />
    )}
  </Card>
);

/** `GET /operator/accounts/:accountId`, and the answer to its forms. */
export const operatorAccountPage = (model: OperatorAccountModel): string =>
  operatorPage(
    {
      title: model.account.name,
      lead: <a href="/operator/accounts">All accounts</a>,
      here: '/operator/accounts',
      below: true,
      layout: model.layout,
    },
    <>
      {model.account.frozen ? (
        <Notice tone="warn" title="This account is frozen.">
          None of its keys works. Its owner can still sign in.
        </Notice>
      ) : null}
      <Facts {...model} />
      <Actions {...model} />
      <Keys {...model} />
      <Requests {...model} />
      <Statement statement={model.statement} file={`/operator/accounts/${model.account.accountId}/statement.csv`} />
      <Card id="log" title="Activity" lead="Every change to the account, and who made it.">
        {model.events.length === 0 ? (
          <Nothing>No changes yet.</Nothing>
        ) : (
          <EventTable caption="Changes to the account, newest first" events={model.events} />
        )}
      </Card>
    </>,
  );
