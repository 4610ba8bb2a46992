import type { Actor } from '../../../src/domain/audit.js';
import type { OperatorEvent } from '../../../src/ports/operator.js';
import { detailText, kindText } from '../kit/signed-in/audit-text.js';
import type { CsvRows } from '../kit/signed-in/csv.js';
import type { PageLayout } from '../kit/signed-in/frame.js';
import { Card, CsvLink, DataTable, Details, Nothing, When } from '../kit/signed-in/parts.js';
import { operatorPage } from './frame.js';

const WHO: Record<Actor['who'], string> = {
  customer: 'the customer',
  operator: 'the command line',
  client: 'an app',
  payments: 'the payment processor',
  service: 'Perch',
};

/** Changes, and who made them. `linked`: also shows the account of each change. */
export const EventTable = (props: { caption: string; events: readonly OperatorEvent[]; linked?: boolean }) => (
  <DataTable
    caption={props.caption}
    tall
    columns={[
      { title: 'When (UTC)' },
      ...(props.linked ? [{ title: 'Account' }] : []),
      { title: 'What' },
      { title: 'Details' },
      { title: 'By' },
      { title: 'From' },
    ]}
    rows={props.events.map((event, index) => ({
      key: `${event.at} ${index}`,
      cells: [
        <When key="when" at={event.at} />,
        ...(props.linked
          ? [
              <a key="account" class="clip" href={`/operator/accounts/${event.accountId}`}>
                <bdi>{event.account}</bdi>
              </a>,
            ]
          : []),
        kindText(event.what),
        <Details key="details" detail={event.detail} />,
        event.operator === null ? WHO[event.who] : <bdi class="clip">{event.operator}</bdi>,
        event.address === null ? '' : <code key="from">{event.address}</code>,
      ],
    }))}
  />
);

export const eventsCsv = (events: readonly OperatorEvent[]): CsvRows => [
  ['at', 'account_id', 'account', 'what', 'details', 'by', 'from'],
  ...events.map((event) => [
    ...[event.at, event.accountId, event.account, kindText(event.what), detailText(event.detail)],
    ...[event.operator ?? WHO[event.who], event.address],
  ]),
];

/** `GET /operator/actions`. */
export const actionsPage = ({ layout, events }: { layout: PageLayout; events: readonly OperatorEvent[] }): string =>
  operatorPage(
    {
      title: 'Actions',
      lead: 'What operators did to accounts, here and on the command line.',
      here: '/operator/actions',
      layout,
    },
    <Card id="actions" title="Newest actions" aside={<CsvLink href="/operator/actions.csv" />}>
      {events.length === 0 ? (
        <Nothing>No actions yet.</Nothing>
      ) : (
        <EventTable caption="Actions of operators, newest first" events={events} linked />
      )}
    </Card>,
  );
