import type { ComponentChildren } from 'preact';
import { counted, figure, inCredits } from '../../../src/domain/figures.js';
import { PLAY_CREDITS } from '../../../src/domain/mode.js';
import { UNITS } from '../../../src/domain/prices.js';
import { STARTING_QPS } from '../../../src/domain/tiers.js';
import { Contact, document, type Publisher } from '../kit/layout.js';
import { Section, Table } from '../kit/parts.js';
import { type Calculation, type Month, monthRows, packRows, pageRows, priceRows } from './pricing-facts.js';

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The calculation, what is sold here, and by whom. */
export interface PricingModel extends Calculation {
  readonly publisher: Publisher;
  /** Whether packs can be bought by card. */
  readonly sells: boolean;
}

export const Prices = () => (
  <Section
    id="prices"
    title="What an item costs"
    lead="You pay for the items you receive. Cached items cost half; fresh reads bypass the cache and cost double."
  >
    <Table
      caption="Credits per item"
      head={['Item', 'Uncached', 'Cached', 'Fresh']}
      rows={priceRows().map((row) => [capital(row.items), figure(row.miss), figure(row.hit), figure(row.bypass)])}
    />
  </Section>
);

/** Keeps a text on one line. */
const Whole = ({ children }: { children: ComponentChildren }) => <span class="whole">{children}</span>;

const pageText = ({ count, credits }: { count: number; credits: number }): string =>
  `${inCredits(credits)} for ${figure(count)}`;

const Pages = () => (
  <Section
    id="pages"
    title="What a page of a list costs"
    lead="The maximum: a page with fewer items costs less, and an empty page costs nothing."
  >
    <Table
      caption="Credits per page of each list, uncached"
      head={['List', 'Per item', 'Usual page', 'Largest page']}
      rows={pageRows().map(({ title, each, usual, largest }) => [
        title,
        figure(each),
        <Whole key="usual">{pageText(usual)}</Whole>,
        <Whole key="largest">{pageText(largest)}</Whole>,
      ])}
    />
  </Section>
);

export const Packs = () => (
  <Section
    id="packs"
    title="Packs of credits"
    lead={`Paid once, no subscription, and credits do not expire. Your rate limit rises with the total you have paid, and never goes down; before the first payment, it is ${counted(STARTING_QPS, 'request')} per second.`}
  >
    <Table
      caption="Credit packs"
      head={['Pack', 'Price', 'Credits', 'Per 1,000', 'Requests/s']}
      rows={packRows().map((pack) => [
        capital(pack.name),
        `$${figure(pack.usd)}`,
        figure(pack.credits),
        `$${pack.usd_per_1000.toFixed(2)}`,
        pack.requests_per_second,
      ])}
    />
  </Section>
);

/** `Builder, $50`; `3 × Scale, $1,800`. */
const packText = ({ pack, count }: NonNullable<Month['buy']>): string =>
  `${count === 1 ? '' : `${figure(count)} × `}${capital(pack.name)}, $${figure(count * pack.usd)}`;

/** Some examples. None assumes cached items, because an hourly read finds nothing that was cached for minutes. */
export const Months = () => (
  <Section
    id="months"
    title="What a month costs"
    lead="Four things people build, each with the smallest pack that covers a month if nothing is read from the cache."
  >
    <Table
      caption="Credits a month, and the pack to buy"
      head={['Use', 'Credits a month', 'Pack to buy', 'Lasts']}
      rows={monthRows().map(({ what, credits, buy }) => [
        what,
        figure(credits),
        <Whole key="pack">{buy === null ? 'none' : packText(buy)}</Whole>,
        buy === null ? '' : <Whole key="lasts">{counted(buy.months, 'month')}</Whole>,
      ])}
    />
  </Section>
);

const Field = ({ unit, text, error }: Calculation['fields'][number]) => (
  <div class="field">
    <label for={unit}>{capital(UNITS[unit].items)}</label>
    <input
      id={unit}
      name={unit}
      type="text"
      inputMode="numeric"
      maxLength={20}
      autocomplete="off"
      value={text}
      {...(error === null ? {} : { 'aria-invalid': 'true' as const, 'aria-describedby': `${unit}-error` })}
    />
    {error === null ? null : (
      <p class="fault" id={`${unit}-error`} role="alert">
        {error}
      </p>
    )}
  </div>
);

const Result = ({ month }: { month: Month | null }) => {
  if (month === null) return <p>There is no result until every number is valid.</p>;
  const { credits, buy } = month;
  if (buy === null) return <p>Nothing to pay: no items are read.</p>;
  const { pack, count, months } = buy;
  return (
    <dl class="facts">
      <div>
        <dt>Credits a month</dt>
        <dd>{figure(credits)}</dd>
      </div>
      <div>
        <dt>Pack to buy</dt>
        <dd>{packText(buy)}</dd>
      </div>
      <div>
        <dt>Lasts</dt>
        <dd>{counted(months, 'month')}</dd>
      </div>
      <div>
        <dt>What is left after a month</dt>
        <dd>{inCredits(Math.round((count * pack.credits - credits) * 1000) / 1000)}</dd>
      </div>
      <div>
        <dt>Requests per second</dt>
        <dd>{figure(pack.requestsPerSecond)}</dd>
      </div>
    </dl>
  );
};

const PERS = [
  { value: 'day', text: 'a day' },
  { value: 'month', text: 'a month' },
] as const;

const Calculator = ({ fields, per, month, warnings }: Calculation) => (
  <Section
    id="calculator"
    title="Calculate yours"
    lead="How many items do you read? Every item is counted at its full price, as if nothing were cached. A month has 30 days."
  >
    <form class="calculator" action="/pricing#calculator">
      <div class="field">
        <label for="per">Items</label>
        <select id="per" name="per">
          {PERS.map(({ value, text }) => (
            <option key={value} value={value} selected={value === per}>
              {text}
            </option>
          ))}
        </select>
      </div>
      {fields.map((field) => (
        <Field key={field.unit} {...field} />
      ))}
      <p>
        <button type="submit" class="button primary">
          Calculate
        </button>
      </p>
    </form>
    <div class="result" role="status">
      <Result month={month} />
      {warnings.map((warning) => (
        <p key={warning} class="soft">
          {warning}
        </p>
      ))}
    </div>
  </Section>
);

const FREE = [
  ['Failed requests', 'Errors are not charged.'],
  ['Empty results', 'Zero items returned means zero credits.'],
  ['Included data', 'The author of a tweet, media, counts and all other fields of an item.'],
  ['Schema and account', 'The schema, price estimates, your balance and your usage.'],
  ['Missing inputs', 'Batch inputs that do not exist or cannot be read.'],
  ['Trying it out', `Test keys read invented data for ${figure(PLAY_CREDITS)} play credits a day.`],
] as const;

export const Free = () => (
  <Section id="free" title="What is free">
    <ul class="cards">
      {FREE.map(([title, text]) => (
        <li key={title}>
          <h3>{title}</h3>
          <p>{text}</p>
        </li>
      ))}
    </ul>
  </Section>
);

const Buying = ({ sells, publisher: { contact, refunds } }: PricingModel) => (
  <Section id="buying" title="Buying and refunds">
    <p>
      {sells ? (
        <>
          You pay for packs by card, on the <a href="/dashboard/credits">credits page</a> of your dashboard. Credits
          arrive within seconds, with a receipt to print.
        </>
      ) : (
        <>This service does not take card payments yet. Its operator grants credits.</>
      )}
    </p>
    <p>
      {refunds === null ? (
        'The operator has not published a refund policy, so ask before you buy.'
      ) : (
        <>
          <a href={refunds}>The refund policy</a> says whether unspent credits are paid back.
        </>
      )}{' '}
      A refund takes back unspent credits; what was read stays charged.
    </p>
    {contact === null ? null : (
      <p>
        Questions: <Contact contact={contact} />
      </p>
    )}
  </Section>
);

/** `GET /pricing` for a browser. */
export const pricingPage = (model: PricingModel): string =>
  document(
    {
      title: 'Pricing · Perch',
      description: 'What reads cost, the packs of credits, and a calculator that names the pack to buy.',
      here: '/pricing',
    },
    <>
      <div class="wrap page-head">
        <h1>Pricing</h1>
        <p class="lead">
          Buy credits in packs, and pay for the items that you receive: one credit for a tweet or a profile, less for
          lists of people. The same prices in GraphQL, REST and MCP. <a href="/docs/pricing">The documentation</a> has
          every rule, budgets and spend caps.
        </p>
      </div>
      <Packs />
      <Calculator {...model} />
      <Months />
      <Prices />
      <Pages />
      <Free />
      <Buying {...model} />
    </>,
  );
