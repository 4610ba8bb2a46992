import type { SaleRecord } from '../../../../src/billing/billing.js';
import { counted, figure, formatCredits } from '../../../../src/domain/figures.js';
import { PACKS, TIERS, tierQps, usdPer1000 } from '../../../../src/domain/tiers.js';
import type { AccountRecord } from '../../../../src/ports/accounts.js';
import type { StatementEntry } from '../../../../src/ports/ledger.js';
import { Contact } from '../../kit/layout.js';
import { capitalized } from '../../kit/signed-in/formats.js';
import { Badge, Card, DataTable, FormError, Notice, type Tone } from '../../kit/signed-in/parts.js';
import { Statement } from '../../kit/signed-in/statement.js';
import { type DashboardLayout, dashboardPage } from '../frame/dashboard-page.js';
import { rateStanding } from '../overview/overview-model.js';
import { Purchases } from './purchases.js';

/** The outcome of a checkout that the customer returned from. */
export interface CheckoutReturn {
  readonly tone: Tone;
  readonly title: string;
  readonly text: string;
}

export interface CreditsModel {
  readonly layout: DashboardLayout;
  readonly account: AccountRecord;
  /** Whether packs can be bought by card. */
  readonly open: boolean;
  /** Whom to ask for credits if they cannot; null if not configured. */
  readonly contact: string | null;
  /** New for each page and sent with its forms, so that a second click opens no second checkout. */
  readonly pageKey: string;
  readonly checkoutReturn: CheckoutReturn | null;
  /** Why a checkout could not be opened. */
  readonly error: string | null;
  readonly sales: readonly SaleRecord[];
  readonly statement: readonly StatementEntry[];
}

/** A frozen account cannot use credits, so it cannot buy any. */
const isSold = ({ open, account }: CreditsModel): boolean => open && !account.frozen;

const PackCard = ({ pack, model }: { pack: (typeof PACKS)[number]; model: CreditsModel }) => {
  const { account, pageKey } = model;
  const reaches = tierQps(account.paidUsd + pack.usd);
  const raises = !rateStanding(account).special && reaches > account.qps;
  return (
    <li class="pack">
      <h3>{capitalized(pack.name)}</h3>
      <p class="big">
        {figure(pack.credits)} <span>credits</span>
      </p>
      <p class="soft">
        ${figure(pack.usd)}, or ${usdPer1000(pack).toFixed(2)} per 1,000
      </p>
      <p class="soft small">
        {raises
          ? `Raises your rate limit to ${counted(reaches, 'request')} per second.`
          : 'Does not change your rate limit.'}
      </p>
      {isSold(model) ? (
        <form method="post" action="/dashboard/credits/buy">
          <input type="hidden" name="pack" value={pack.name} />
          <input type="hidden" name="page" value={pageKey} />
          <button type="submit" class="button primary">
            Buy <span class="unseen">{pack.name} </span>for ${figure(pack.usd)}
          </button>
        </form>
      ) : null}
    </li>
  );
};

const Packs = (model: CreditsModel) => (
  <Card
    id="packs"
    title="Packs"
    lead={
      isSold(model)
        ? "You pay by card on the payment processor's website. Credits do not expire."
        : 'Credits do not expire.'
    }
  >
    {model.open ? null : (
      <Notice tone="plain" title="Card checkout is not available on this server.">
        The packs are shown for reference.{' '}
        {model.contact === null ? (
          'Ask the operator for credits. This server does not say how to reach them, so ask the person who gave you its address.'
        ) : (
          <>
            Ask the operator for credits: <Contact contact={model.contact} />.
          </>
        )}{' '}
        Your account is <code>{model.account.accountId}</code>. Until then, test mode is free.
      </Notice>
    )}
    {model.open && model.account.frozen ? (
      <Notice tone="plain" title="A frozen account cannot buy credits.">
        {model.contact === null ? (
          'Contact the operator to have it unfrozen.'
        ) : (
          <>
            Contact the operator to have it unfrozen: <Contact contact={model.contact} />.
          </>
        )}
      </Notice>
    ) : null}
    <FormError id="buy-error" message={model.error} />
    <ul class="packs">
      {PACKS.map((pack) => (
        <PackCard key={pack.name} pack={pack} model={model} />
      ))}
    </ul>
  </Card>
);

const Tiers = ({ account }: CreditsModel) => {
  const { special, next } = rateStanding(account);
  const reached = TIERS.filter((tier) => account.paidUsd >= tier.paidUsd).at(-1);
  return (
    <Card
      id="tiers"
      title="Rate limit by total paid"
      lead={`${account.paidUsd === 0 ? 'Nothing has been paid yet.' : `Paid in total: $${figure(account.paidUsd)}.`} ${
        special
          ? `The operator has set your limit to ${counted(account.qps, 'request')} per second.`
          : next === null
            ? 'You are in the highest tier.'
            : `Paying $${figure(next.moreUsd)} more raises your limit to ${counted(next.requestsPerSecond, 'request')} per second.`
      }`}
    >
      <DataTable
        caption="Requests per second by total paid"
        columns={[{ title: 'Total paid' }, { title: 'Requests per second', numeric: true }]}
        rows={TIERS.map((tier) => {
          const here = tier === reached && !special;
          const paid = (
            <>
              {tier.paidUsd === 0 ? 'Nothing' : `From $${figure(tier.paidUsd)}`}{' '}
              {here ? <Badge tone="ok">You are here</Badge> : null}
            </>
          );
          return { key: String(tier.paidUsd), cells: [paid, tier.requestsPerSecond], here };
        })}
      />
    </Card>
  );
};

/** `GET /dashboard/credits`. */
export const creditsPage = (model: CreditsModel): string =>
  dashboardPage(
    {
      title: 'Credits',
      lead: (
        <>
          Your balance is <strong>{formatCredits(model.account.balance)}</strong>.
        </>
      ),
      here: '/dashboard/credits',
      layout: model.layout,
    },
    <>
      {model.checkoutReturn === null ? null : (
        <Notice tone={model.checkoutReturn.tone} title={model.checkoutReturn.title}>
          {model.checkoutReturn.text}
        </Notice>
      )}
      <div class="third">
        <Packs {...model} />
        <Tiers {...model} />
      </div>
      <Statement {...model} file="/dashboard/credits/statement.csv" />
      <Purchases {...model} />
    </>,
  );
