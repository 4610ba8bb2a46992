import type { FastifyReply } from 'fastify';
import { figure } from '../../../../src/domain/figures.js';
import { INTERFACE_NAMES, LEFT } from '../../../../src/domain/traffic.js';
import { isUuid } from '../../../../src/lib/uuid.js';
import type { AccountKey } from '../../../../src/ports/accounts.js';
import type { LoggedRequest, RequestFilter } from '../../../../src/ports/figures.js';
import { queryString } from '../../../http/request.js';
import {
  type AuthenticatedRoutes,
  type SignedInRequest,
  sendPrivatePage,
} from '../../kit/signed-in/authenticated-routes.js';
import { SelectField } from '../../kit/signed-in/fields.js';
import { formatAmount } from '../../kit/signed-in/formats.js';
import { Badge, Card, DataTable, Nothing, RequestId, type Row, type Tone, When } from '../../kit/signed-in/parts.js';
import { type DashboardLayout, dashboardLayout, dashboardPage } from '../frame/dashboard-page.js';
import type { DashboardServices } from '../frame/services.js';

const PAGE = '/dashboard/usage/requests';

/** Requests on one page. */
const SHOWN = 50;

/** The form's choices besides "all". */
const STATUSES = [200, 400, 402, 403, 404, 429, 500, 503] as const;

/** The choices in the form; empty stands for all. */
interface FilterChoices {
  readonly key: string;
  readonly status: string;
  readonly operation: string;
  /** The id of the last request on the page before this one. */
  readonly before: string;
}

const choicesIn = (query: URLSearchParams): FilterChoices => ({
  key: query.get('key') ?? '',
  status: query.get('status') ?? '',
  operation: query.get('operation') ?? '',
  before: query.get('before') ?? '',
});

/** Ignores values that cannot match anything, so the page shows all requests, and its form says so. */
function toFilter({ key, status, operation, before }: FilterChoices): RequestFilter {
  const code = STATUSES.find((one) => String(one) === status);
  return {
    keyId: isUuid(key) ? key : undefined,
    status: status === 'failed' ? 'failed' : code,
    operation: operation === '' ? undefined : operation,
    before: isUuid(before) ? before : undefined,
    limit: SHOWN + 1,
  };
}

/** `GET /dashboard/usage/requests`: the newest requests, including failed ones. */
export function mountRequests(
  routes: AuthenticatedRoutes,
  { requestLog }: Pick<DashboardServices, 'requestLog'>,
): void {
  routes.page(PAGE, async (signedIn: SignedInRequest, reply: FastifyReply) => {
    const { account, request, signal } = signedIn;
    const choices = choicesIn(queryString(request));
    const [found, operations] = await Promise.all([
      requestLog.list(account.accountId, toFilter(choices), signal),
      requestLog.operations(account.accountId, signal),
    ]);
    const requests = found.slice(0, SHOWN);
    const next = found.length > SHOWN ? (requests.at(-1)?.requestId ?? null) : null;
    const layout = dashboardLayout(signedIn);
    return sendPrivatePage(reply, requestsPage({ layout, keys: account.keys, choices, requests, operations, next }));
  });
}

interface RequestsModel {
  readonly layout: DashboardLayout;
  readonly keys: readonly AccountKey[];
  readonly choices: FilterChoices;
  readonly requests: readonly LoggedRequest[];
  readonly operations: readonly string[];
  /** Where the next page begins; null on the last page. */
  readonly next: string | null;
}

const ALL = ['', 'All'] as const;

const Filter = ({ choices, keys, operations }: RequestsModel) => (
  <form method="get" action={PAGE} class="card row-form">
    <SelectField
      name="status"
      label="Status"
      value={choices.status}
      options={[ALL, ['failed', 'Failed'], ...STATUSES.map((status) => [String(status), String(status)] as const)]}
    />
    <SelectField
      name="key"
      label="Key"
      value={choices.key}
      options={[ALL, ...keys.map(({ keyId, name, prefix }) => [keyId, `${name} (${prefix}…)`] as const)]}
    />
    <SelectField
      name="operation"
      label="Endpoint or operation"
      value={choices.operation}
      options={[ALL, ...operations.map((operation) => [operation, operation] as const)]}
    />
    <button type="submit" class="button primary">
      Show
    </button>
  </form>
);

const toneOf = ({ status, code }: LoggedRequest): Tone => {
  if (status === LEFT || status >= 500) return 'bad';
  return status >= 400 || code !== null ? 'warn' : 'ok';
};

const Outcome = ({ request }: { request: LoggedRequest }) => (
  <>
    <Badge tone={toneOf(request)}>{request.status === LEFT ? 'Caller left' : String(request.status)}</Badge>{' '}
    {request.code === null ? null : (
      <a href={`/problems/${request.code}`}>
        <code>{request.code}</code>
      </a>
    )}
  </>
);

const What = ({ request: { operation, requestLine, message, interface: through } }: { request: LoggedRequest }) => (
  <div class="asked">
    {operation === null ? (
      <span class="soft">not determined</span>
    ) : (
      <code>
        <bdi>{operation}</bdi>
      </code>
    )}{' '}
    <span class="soft small">{INTERFACE_NAMES[through]}</span>
    <span class="soft small block detail">
      <bdi>{requestLine}</bdi>
    </span>
    {message === null ? null : (
      <span class="small block detail">
        <bdi>{message}</bdi>
      </span>
    )}
  </div>
);

const keyNameOf = (keys: readonly AccountKey[], { keyId }: LoggedRequest) => {
  const key = keys.find((one) => one.keyId === keyId);
  return key === undefined ? <span class="soft">a former key</span> : <bdi class="clip">{key.name}</bdi>;
};

const row = (keys: readonly AccountKey[], request: LoggedRequest): Row => ({
  key: request.requestId,
  cells: [
    <div key="when">
      <When at={new Date(request.at).toISOString()} seconds />
      <span class="small block">
        {request.charged > 0 ? (
          <a href={`/dashboard/receipts?request_id=${request.requestId}`}>
            <RequestId id={request.requestId} />
          </a>
        ) : (
          <RequestId id={request.requestId} />
        )}
      </span>
    </div>,
    <Outcome key="status" request={request} />,
    <What key="what" request={request} />,
    keyNameOf(keys, request),
    `${figure(request.ms)} ms`,
    formatAmount(request.charged),
  ],
});

const requestsPage = (model: RequestsModel): string => {
  const { layout, choices, requests, keys, next } = model;
  const isFiltered = choices.key !== '' || choices.status !== '' || choices.operation !== '';
  const { before: _, ...chosen } = choices;
  return dashboardPage(
    {
      title: 'Requests',
      lead: 'Your newest requests, including failures: what was asked, with which key, and the result.',
      here: PAGE,
      layout,
    },
    <>
      <Filter {...model} />
      <Card id="requests" title="Newest first">
        {requests.length === 0 ? (
          <Nothing>
            {isFiltered ? 'No logged request matches.' : 'No requests yet. They appear here within seconds.'}
          </Nothing>
        ) : (
          <DataTable
            caption="Requests, the newest first"
            columns={[
              { title: 'When (UTC)' },
              { title: 'Status' },
              { title: 'Request' },
              { title: 'Key' },
              { title: 'Time', numeric: true },
              { title: 'Credits', numeric: true },
            ]}
            rows={requests.map((request) => row(keys, request))}
          />
        )}
        {next === null ? null : (
          <p class="actions">
            <a class="button small" href={`${PAGE}?${new URLSearchParams({ ...chosen, before: next })}`}>
              Older requests
            </a>
          </p>
        )}
      </Card>
      <p class="soft small">
        The newest 1,000 requests are kept, for 30 days at most. Each server process logs only the first 20 successes
        and 40 failures in 5 seconds; usage and receipts include every paid request. Neither bodies nor parts of an
        address that look like a secret are kept. Requests without a valid key are in no account's log.
      </p>
    </>,
  );
};
